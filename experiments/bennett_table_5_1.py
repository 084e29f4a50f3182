"""The multicategory linear program on three problems, leave-one-out.

The breast cancer prognosis set of 122 patients with 11 attributes is not public. The stand-in is a
relative that is public: of the 198 patients of the public prognosis file those with a recurrence
within 3 months, within 24 months, or none for 24 months, described by tumor size and the ten means
of their nuclei. Its numbers are not to be compared with the printed ones.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from experiments.harness import tables
from experiments.harness.bench import Bench, grid, scores
from planetree import RobustSeparator, SeparatorTreeClassifier

SETS = {"Wine": tables.wine, "Iris": tables.iris, "Prognosis, stand-in": tables.prognosis}
METHODS: dict[str, Callable[[], Any]] = {
    "single LP": RobustSeparator,
    "MSMT-MC": SeparatorTreeClassifier,
    "MSMT-MC, not pruned": lambda: SeparatorTreeClassifier(pruning=None),
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a left-out row."""
    cases = grid(set=SETS, method=["single LP"], last=[bench.pick(None, 8)])
    return as_accuracy(bench.cells(leave_one_out, cases))


def as_accuracy(frame: pd.DataFrame) -> pd.DataFrame:
    """Correctness in percent, as this chapter prints it."""
    frame["accuracy"] = 100 - frame.pop("error")
    frame["training_accuracy"] = 100 - frame.pop("training_error")
    return frame.drop(columns=["last"], errors="ignore")


def leave_one_out(set: str, method: str, last: int | None) -> list[dict[str, Any]]:
    X, y = SETS[set]()
    everyone = np.arange(len(y))
    splits = [(np.delete(everyone, i), everyone[i : i + 1]) for i in everyone[:last]]
    return scores(METHODS[method], X, y, splits, programs)


def programs(model: Any) -> dict[str, int]:
    """How many programs a classifier is made of."""
    if isinstance(model, SeparatorTreeClassifier):
        return {"programs": model.tree_.n_nodes - model.tree_.n_leaves}
    return {"programs": 1}
