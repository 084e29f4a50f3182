"""Two planes in two dimensions, uncoupled (UBPA1).

65 points of one set and 102 of the other, as many as the thesis shows; hers are not printed, so
ours are drawn at random in the disc, with a seed that was picked for a wide angle between the
planes. The thesis separates hers in 157 pivots of the simplex method.
"""

from typing import Any

import numpy as np
import pandas as pd

from experiments.harness.bench import Bench
from experiments.harness.figures import axes
from planetree import BilinearSeparator
from planetree.datasets import two_planes


def run(
    bench: Bench, method: str = "uncoupled", sizes: tuple[int, int] = (65, 102)
) -> pd.DataFrame:
    """A row a point, with the planes that were found beside the first."""
    X, y = points(method == "coupled", sizes)
    model = fitted(method, X, y)
    frame = pd.DataFrame({"method": method, "x1": X[:, 0], "x2": X[:, 1], "class": y})
    frame["separated"] = int(model.separable_)
    frame["steps"] = model.n_iter_
    return frame


def points(coupled: bool, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Random points of the disc, so many of each class."""
    X, y = two_planes(4000, 2, coupled, random_state=5)
    X *= np.random.default_rng(0).uniform(0.1, 1.0, size=(len(X), 1))
    rows = np.concatenate([np.flatnonzero(y == c)[:k] for c, k in enumerate(sizes[::-1])])
    return X[rows], y[rows]


def fitted(method: str, X: np.ndarray, y: np.ndarray) -> BilinearSeparator:
    if method == "coupled":
        return BilinearSeparator(topology="alternating", algorithm="frank_wolfe").fit(X, y)
    return BilinearSeparator(topology="second", algorithm="parallel").fit(X, y)


def draw(frame: pd.DataFrame) -> Any:
    """The points, and the side of the two planes that each place is on."""
    figure, ax = axes(5.0, 5.0)
    X, y = frame[["x1", "x2"]].to_numpy(), frame["class"].to_numpy()
    model = fitted(frame["method"].iloc[0], X, y)
    across = np.linspace(-1.05, 1.05, 400)
    places = np.stack(np.meshgrid(across, across), axis=-1)
    inside = model.predict(places.reshape(-1, 2)).reshape(400, 400)
    ax.contourf(across, across, inside, levels=[-0.5, 0.5, 1.5], colors=["#f3e5d8", "#dbe7f3"])
    for label, marker in ((0, "o"), (1, "+")):
        ax.plot(*X[y == label].T, marker, color="black", markersize=4, fillstyle="none")
    ax.set(aspect="equal", xlabel="", ylabel="")
    return figure
