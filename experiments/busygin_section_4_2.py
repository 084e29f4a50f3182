"""Selection under clustering constraints on colon tissue.

The paper draws its halves at random and names its errors; the halves with odd numbers for training
and even ones for the test give the same errors, so those are taken. Beside them, the mean of 20
random halves of 11 normal and 20 tumor samples each.
"""

from typing import Any

import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from experiments.busygin_section_4_1 import METHODS as OF_LEUKEMIA
from experiments.busygin_section_4_1 import outcome
from experiments.harness.bench import Bench, grid
from experiments.harness.microarrays import colon, colon_by_number
from planetree import CentroidSelector

METHODS = OF_LEUKEMIA | {"k-means, 50 features": CentroidSelector(max_features=50)}


def run(bench: Bench) -> pd.DataFrame:
    """A row a method for the paper's half, and one for each random half."""
    methods = bench.pick(list(METHODS), ["k-means (18)(2)"])
    printed = bench.cells(by_number, grid(set=["odd and even"], method=methods))
    drawn = grid(set=["random halves"], method=methods, repeat=range(bench.pick(20, 1)))
    return pd.concat([printed, bench.cells(at_random, drawn)], ignore_index=True)


def by_number(set: str, method: str) -> dict[str, Any]:
    return outcome(METHODS[method], *colon_by_number())


def at_random(set: str, method: str, repeat: int) -> dict[str, Any]:
    samples = colon()
    halves = StratifiedShuffleSplit(20, test_size=0.5, random_state=0).split(samples.X, samples.y)
    found = outcome(METHODS[method], *map(samples.take, list(halves)[repeat]))
    wrong = found.pop("misclassified")
    n_wrong = 0 if wrong == "none" else wrong.count(",") + 1
    found.pop("selected", None)
    return found | {"rows": 31, "error": 100 * n_wrong / 31}
