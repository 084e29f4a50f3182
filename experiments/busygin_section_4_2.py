"""Selection under clustering constraints on colon tissue.

The paper draws its halves at random and names its errors; the halves with odd numbers for training
and even ones for the test give the same errors, so those are taken. Beside them, the mean of 20
random halves of 11 normal and 20 tumor samples each. The pairwise program has no solution here but
0, and which pairs are dropped depends on the duals that the solver returns: it is solved by our
program and, whole, by the simplex method of HiGHS.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from sklearn.model_selection import StratifiedShuffleSplit

from experiments.busygin_section_4_1 import METHODS as OF_LEUKEMIA
from experiments.busygin_section_4_1 import outcome
from experiments.harness.bench import Bench, grid
from experiments.harness.tables import colon, colon_by_number
from planetree import CentroidSelector

METHODS = OF_LEUKEMIA | {"k-means, 50 features": CentroidSelector(max_features=50)}
BY_SIMPLEX = "pairwise (20)(3)-(5), duals of HiGHS"


class Pairs(NamedTuple):
    """Squared differences of pairs of samples, feature by feature, and whether they are mates."""

    gaps: np.ndarray
    mates: np.ndarray

    def take(self, chosen: np.ndarray) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.gaps[chosen], self.mates[chosen])


def run(bench: Bench) -> pd.DataFrame:
    """A row a method for the paper's half, and one for each random half."""
    methods = bench.pick(list(METHODS), ["k-means (18)(2)"])
    printed = bench.cells(by_number, grid(set=["odd and even"], method=methods))
    if not bench.quick:
        simplex = bench.cells(by_simplex, grid(set=["odd and even"], method=[BY_SIMPLEX]))
        printed = pd.concat([printed, simplex], ignore_index=True)
    drawn = grid(set=["random halves"], method=methods, repeat=range(bench.pick(20, 1)))
    return pd.concat([printed, bench.cells(at_random, drawn)], ignore_index=True)


def by_number(set: str, method: str) -> dict[str, Any]:
    return outcome(METHODS[method], *colon_by_number())


def by_simplex(set: str, method: str) -> dict[str, Any]:
    """Section 3.2 word for word: pairs whose dual is not 0 are dropped until a weight is not."""
    training, test = colon_by_number()
    pairs, relaxations = pairs_of(training), 0
    weights, duals = thresholds(pairs)
    while weights.max() <= 1e-6:
        pairs, relaxations = pairs.take(duals <= 1e-9), relaxations + 1
        weights, duals = thresholds(pairs)
    gaps = ((test.X[:, None] - training.X[None]) ** 2) @ weights
    wrong = test.take(training.y[gaps.argmin(axis=1)] != test.y)
    named = sorted(zip(wrong.y.tolist(), wrong.numbers.tolist(), strict=True))
    return {
        "misclassified": ", ".join(f"{label} {number}" for label, number in named),
        "features": int(np.sum(weights > 1e-3)),
        "relaxations": relaxations,
    }


def pairs_of(samples: Any) -> Pairs:
    """All pairs; differences in units of their median, so that the program is well scaled."""
    first, second = np.array(list(itertools.combinations(range(len(samples.y)), 2))).T
    gaps = (samples.X[first] - samples.X[second]) ** 2
    return Pairs(gaps / np.median(gaps), samples.y[first] == samples.y[second])


def thresholds(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the program max D_ext - D_int s.t. (3)-(5), and the duals of the pairs."""
    sign = np.where(pairs.mates, 1.0, -1.0)[:, None]
    limits = np.column_stack([-1.0 * pairs.mates, 1.0 * ~pairs.mates])
    n = pairs.gaps.shape[1]
    rows = np.vstack([np.hstack([sign * pairs.gaps, limits]), [0.0] * n + [1.0, -1.0]])
    cost = np.array([0.0] * n + [1.0, -1.0])
    bounds = [(0.0, 1.0)] * n + [(0.0, None)] * 2
    found = linprog(
        cost, rows, np.zeros(len(rows)), bounds=bounds, method="highs-ds",
        options={"presolve": False},
    )  # fmt: skip
    return found.x[:n], np.abs(found.ineqlin.marginals[:-1])


def at_random(set: str, method: str, repeat: int) -> dict[str, Any]:
    samples = colon()
    halves = StratifiedShuffleSplit(20, test_size=0.5, random_state=0).split(samples.X, samples.y)
    found = outcome(METHODS[method], *map(samples.take, list(halves)[repeat]))
    wrong = found.pop("misclassified")
    n_wrong = 0 if wrong == "none" else wrong.count(",") + 1
    found.pop("selected", None)
    return found | {"rows": 31, "error": 100 * n_wrong / 31}
