"""Which rule of pruning suits trees of planes?

Not an item of the thesis, which names Quinlan (1987) for its pruning: ours, to judge the default.
One tree is grown on each training set of ten folds, twice over, and pruned by each rule that needs
no other trees; cost-complexity pruning grows ten more and is not among them. The sets
are others than those of Table 4.1, with at most 2,500 rows; of each, the complete rows.
Categories are read as they are.
"""

from typing import Any

import pandas as pd

from experiments.harness.bench import Bench, error, folds, grid, rows
from planetree import SeparatorTreeClassifier
from planetree.datasets import load

SETS = (
    "auto-imports", "banknote", "credit-g", "glass", "house-votes-84", "ionosphere", "iris",
    "lymphography", "pima", "promoters", "segmentation-test", "sonar", "tic-tac-toe", "vehicle",
    "vowel", "wdbc", "wine", "wpbc",
)  # fmt: skip
RULES = {
    "pessimistic": "pessimistic",
    "standard error": "standard_error",
    "not pruned": None,
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold and rule."""
    sets, repeats = bench.pick(SETS, ("wine",)), range(bench.pick(2, 1))
    cases = grid(set=sets, repeat=repeats, n_folds=[bench.pick(10, 2)])
    frame = bench.cells(one_division, cases).drop(columns="n_folds")
    return frame[["set", "method", "repeat", "fold", "rows", "training_rows", "error", "leaves"]]


def one_division(set: str, repeat: int, n_folds: int) -> list[dict[str, Any]]:
    """The complete rows of a set, in folds."""
    data = load(set)
    complete = data.X.notna().all(axis=1).to_numpy()
    X, y = data.X[complete].reset_index(drop=True), data.y[complete]
    found = []
    for fold, (train, test) in enumerate(folds(y, n_folds, repeat)):
        model = SeparatorTreeClassifier(pruning=None).fit(rows(X, train), y[train])
        sizes = {"fold": fold, "rows": len(test), "training_rows": len(train)}
        for method, rule in RULES.items():
            model.prune(rule)
            wrong = error(model, rows(X, test), y[test])
            found.append({"method": method, "error": wrong, "leaves": model.tree_.n_leaves} | sizes)
    return found
