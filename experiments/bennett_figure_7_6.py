"""Two planes in two dimensions, uncoupled (UBPA1).

65 points of one set and 102 of the other, as many as the thesis shows; hers are not printed, so
ours are drawn at random in the disc, with a seed that was picked for a wide angle between the
planes. The thesis separates hers in 157 pivots of the simplex method. Published is UBPA1 alone,
from the thesis's start: `algorithm="parallel", start="thesis"`. The other row, which is drawn, is
the same with other starts and settling; `found_by_` says which step found the planes.
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
    """A row a point and method, with what found the planes beside it."""
    X, y = points(method == "coupled", sizes)
    found = []
    for name in (f"{method}, published", method):
        model = fitted(name, X, y)
        frame = pd.DataFrame({"method": name, "x1": X[:, 0], "x2": X[:, 1], "class": y})
        found.append(
            frame.assign(
                separated=int(model.separable_), found_by=model.found_by_, steps=model.n_iter_
            )
        )
    return pd.concat(found, ignore_index=True)


def points(coupled: bool, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Random points of the disc, so many of each class."""
    X, y = two_planes(4000, 2, coupled, random_state=5)
    X *= np.random.default_rng(0).uniform(0.1, 1.0, size=(len(X), 1))
    rows = np.concatenate([np.flatnonzero(y == c)[:k] for c, k in enumerate(sizes[::-1])])
    return X[rows], y[rows]


def fitted(method: str, X: np.ndarray, y: np.ndarray) -> BilinearSeparator:
    topology, _, published = method.partition(", ")
    coupled = topology == "coupled"
    model = BilinearSeparator(
        topology="alternating" if coupled else "second",
        algorithm="frank_wolfe" if coupled else "parallel",
    )
    return model.set_params(**{"start": "thesis"} if published else {}).fit(X, y)


def draw(frame: pd.DataFrame) -> Any:
    """The points, and the side of the two planes that each place is on."""
    figure, ax = axes(5.0, 5.0)
    method = frame["method"].iloc[-1]
    own = frame[frame["method"] == method]
    X, y = own[["x1", "x2"]].to_numpy(), own["class"].to_numpy()
    model = fitted(method, X, y)
    across = np.linspace(-1.05, 1.05, 400)
    places = np.stack(np.meshgrid(across, across), axis=-1)
    inside = model.predict(places.reshape(-1, 2)).reshape(400, 400)
    ax.contourf(across, across, inside, levels=[-0.5, 0.5, 1.5], colors=["#f3e5d8", "#dbe7f3"])
    for label, marker in ((0, "o"), (1, "+")):
        ax.plot(*X[y == label].T, marker, color="black", markersize=4, fillstyle="none")
    ax.set(aspect="equal", xlabel="", ylabel="")
    return figure
