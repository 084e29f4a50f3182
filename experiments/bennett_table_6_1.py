"""The linear program (6.5) and piecewise-quadratic minimization (6.6).

Ten folds, five times over, the same for both. PQM is minimized to its end by Newton's method. Where
the classes can be separated its planes are not unique; next to it is PQM with a small penalty
on the weights, which is unique.
"""

from typing import Any

import pandas as pd

from experiments.bennett_table_5_1 import as_accuracy
from experiments.harness import tables
from experiments.harness.bench import Bench, folds, grid, scores
from planetree import QuadraticSeparator, RobustSeparator

SETS = {
    "Wine": tables.wine,
    "Iris": tables.iris,
    "Glass": tables.glass,
    "Image-s": tables.image_s,
    "Image-n": tables.image_n,
}
METHODS = {
    "LP": RobustSeparator(),
    "PQM": QuadraticSeparator(),
    "PQM, l2 = 0.001": QuadraticSeparator(l2=0.001),
    "PGD": QuadraticSeparator(solver="gradient_distribution"),
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold."""
    sets = bench.pick(["Wine", "Iris", "Glass", "Image-s"], ["Iris"])
    return table(bench, sets, ["LP", "PQM", "PQM, l2 = 0.001"], bench.pick(5, 1))


def table(bench: Bench, sets: list[str], methods: list[str], repeats: int) -> pd.DataFrame:
    """Accuracies of methods on sets."""
    cases = grid(set=sets, method=methods, repeat=range(repeats), n_folds=[bench.pick(10, 2)])
    return as_accuracy(bench.cells(cross_validate, cases)).drop(columns="n_folds")


def cross_validate(set: str, method: str, repeat: int, n_folds: int) -> list[dict[str, Any]]:
    X, y = SETS[set]()
    return scores(lambda: METHODS[method], X, y, folds(y, n_folds, repeat))
