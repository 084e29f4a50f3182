"""Waveforms: error of nested subsets of features, by two rankings.

Features are ranked by discriminant power (Tree) and by sequential forward selection with the
accuracy of three nearest neighbors (SFS). Both see the same rows: 2000 that trees grow from and
neighbors vote with, and 600 held out. Then two classifiers are trained on the first features of
each ranking and tested on 6000 other rows: a Gini tree pruned by cost-complexity (DT), and 3-NN.
The paper shows one draw; here are ten. The error is the mean over all numbers of features.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

from experiments.harness.bench import Bench, grid
from experiments.harness.figures import axes
from planetree import DiscriminantPowerSelector, FloatingSelector, nested_subset_errors
from planetree.datasets import make_waveform
from planetree.feature_selection import CostComplexityTree

Division = tuple[np.ndarray, np.ndarray]


class Problem(NamedTuple):
    """Training rows, divided in two, and test rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    division: Division


def run(bench: Bench) -> pd.DataFrame:
    """A row for each classifier, ranking, draw and number of features."""
    sizes = bench.pick((2000, 600, 6000), (60, 30, 60))
    return bench.cells(waveform_curves, grid(sizes=[sizes], fold=range(bench.pick(10, 1)))).drop(
        columns="sizes"
    )


def waveform_curves(sizes: tuple[int, int, int], fold: int) -> list[dict[str, Any]]:
    growing, held_out, test = sizes
    X, y = make_waveform(growing + held_out + test, random_state=fold)
    n = growing + held_out
    division = np.arange(growing), np.arange(growing, n)
    return curves("waveform", Problem(X[:n], y[:n], X[n:], y[n:], division))


def curves(name: str, problem: Problem) -> list[dict[str, Any]]:
    """The error in percent of each classifier on the first features of each ranking."""
    classifiers = {
        "DT": CostComplexityTree(holdout=problem.division),
        "3NN": KNeighborsClassifier(3),
    }
    found = []
    for ranking, rank in RANKINGS.items():
        errors = nested_subset_errors(rank(problem), *problem[:4], classifiers)
        found += [
            {"set": f"{name}, {kind}", "method": ranking, "subset": d, "error": 100 * error}
            for kind, values in errors.items()
            for d, error in enumerate(values.tolist(), 1)
        ]
    return found


def by_power(problem: Problem) -> np.ndarray:
    """Features in the order of their discriminant power."""
    model = DiscriminantPowerSelector(holdout=problem.division)
    return model.fit(problem.X, problem.y).order_


def by_search(problem: Problem) -> np.ndarray:
    """Features in the order in which sequential forward selection takes them."""
    search = FloatingSelector(
        KNeighborsClassifier(3), full_ranking=True, cv=[problem.division], method="sequential"
    )
    return search.fit(problem.X, problem.y).order_


RANKINGS: dict[str, Callable[[Problem], np.ndarray]] = {"Tree": by_power, "SFS": by_search}


def draw(frame: pd.DataFrame) -> Any:
    """Mean errors against the number of features, a panel a classifier."""
    figure, panels = axes(9.0, 3.5, n_columns=2)
    for ax, (name, part) in zip(panels, frame.groupby("set", sort=False), strict=True):
        for ranking, group in part.groupby("method", sort=False):
            means = group.groupby("subset")["error"].mean()
            ax.plot(means.index, means, label=ranking)
        ax.set(title=name, xlabel="features", ylabel="test error, %")
        ax.legend()
    return figure
