"""Two planes on data that nobody made for them.

Not an item of the thesis: ours, to say when two planes pay. On two classes, `BilinearSeparator`
against one plane, `RobustSeparator`. On more classes, trees whose decisions are two planes, one
class against the rest, against the default trees, whose decisions have a plane for each class.
Ten folds.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from experiments.bennett_table_6_1 import SETS as MANY_CLASSES
from experiments.harness import tables
from experiments.harness.bench import Bench, folds, grid, scores
from planetree import BilinearSeparator, RobustSeparator, SeparatorTreeClassifier

SETS: dict[str, Callable[[], tables.Rows]] = {
    "Cancer": tables.cancer_566,
    "Heart": tables.heart,
    **{name: MANY_CLASSES[name] for name in ("Iris", "Wine", "Glass")},
}
ALONE = {"one plane": RobustSeparator, "two planes": BilinearSeparator}
IN_TREES = {
    "one plane": SeparatorTreeClassifier,
    "two planes": lambda: SeparatorTreeClassifier(BilinearSeparator()),
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold."""
    cases = grid(set=bench.pick(list(SETS), ["Heart"]), method=ALONE, n_folds=[bench.pick(10, 2)])
    return bench.cells(cross_validate, cases).drop(columns=["n_folds", "seconds"])


def cross_validate(set: str, method: str, n_folds: int) -> list[dict[str, Any]]:
    """Folds of a set; trees where it has more than two classes."""
    X, y = SETS[set]()
    models = IN_TREES if set in MANY_CLASSES else ALONE
    return scores(models[method], X, y, folds(y, n_folds, 0))
