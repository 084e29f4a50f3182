"""Multisurface method and back-propagation on breast cancer.

Ten random divisions, 67% for training and 33% for the test. The thesis's bars are lost; its text
says that MSM is always right on its training set, within 4% of back-propagation on the test set,
and trained in less time. The network has as many hidden units as the thesis found enough: 7.
"""

from typing import Any

import pandas as pd

from experiments.bennett_table_2_1 import backpropagation, hidden_units
from experiments.harness import tables
from experiments.harness.bench import Bench, grid, scores, two_thirds
from experiments.harness.figures import axes, bars
from planetree import MultisurfaceClassifier

SETS = {"Cancer": tables.cancer_566, "Heart": tables.heart}


def run(bench: Bench, name: str = "Cancer") -> pd.DataFrame:
    """A row a division."""
    n_splits = bench.pick(10, 2)
    cases = grid(set=[name], method=["MSM", "BP"], n_splits=[n_splits])
    return bench.cells(divisions, cases).drop(columns="n_splits")


def divisions(set: str, method: str, n_splits: int) -> list[dict[str, Any]]:
    X, y = SETS[set]()
    make = MultisurfaceClassifier if method == "MSM" else lambda: backpropagation(7, 0)
    return scores(make, X, y, two_thirds(y, n_splits), lambda model: {"units": hidden_units(model)})


def draw(frame: pd.DataFrame) -> Any:
    """Errors on training and test rows."""
    figure, ax = axes()
    groups = frame.groupby("method", sort=False)[["training_error", "error"]]
    return bars(figure, ax, groups.mean().T, groups.std().T, "error, %")
