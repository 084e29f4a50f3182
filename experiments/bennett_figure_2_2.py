"""Pairs of planes on breast cancer, projected on their normals.

The training rows of Table 2.1. In each panel the axes are the scores of two successive pairs of
planes; the lines are the planes. What the first two pairs leave between their planes goes to the
next panel. The thesis drew four pairs; the number of ours is that of Table 2.1.
"""

from typing import Any

import numpy as np
import pandas as pd

from experiments.harness import tables
from experiments.harness.bench import Bench
from experiments.harness.figures import axes
from planetree import MultisurfaceClassifier


def run(bench: Bench) -> pd.DataFrame:
    """A row a point and panel: its class, its scores by two pairs of planes, and these planes."""
    (X, y), _ = tables.cancer_487()
    tree = MultisurfaceClassifier().fit(X, y).tree_
    pairs = [split for split in tree.splits if split is not None]
    left, parts = np.ones(len(y), dtype=bool), []
    for first in range(0, len(pairs), 2):
        two = [pairs[first], pairs[min(first + 1, len(pairs) - 1)]]
        rows, between = X[left], np.ones(left.sum(), dtype=bool)
        for pair in two:
            last = pair.n_branches == 2  # one plane: nothing is left between
            between &= (pair.branch(rows) == 1) & (not last)
        points = {"x": rows @ two[0].weights[0], "y": rows @ two[1].weights[0], "class": y[left]}
        planes = {"x_low": two[0].offsets[0], "x_high": two[0].offsets[-1]}
        planes |= {"y_low": two[1].offsets[0], "y_high": two[1].offsets[-1]}
        label = {"set": f"pairs {first + 1} and {first + 2}", "method": "MSM"}
        parts.append(pd.DataFrame(label | points | planes | {"separated": np.sum(~between)}))
        left[left] = between
    return pd.concat(parts, ignore_index=True)


def draw(frame: pd.DataFrame) -> Any:
    """A panel for two pairs: points by class, planes as lines."""
    panels = list(frame.groupby("set", sort=False))
    figure, all_axes = axes(4.5 * len(panels), 4.2, n_columns=len(panels))
    for ax, (panel, part) in zip(np.atleast_1d(all_axes), panels, strict=True):
        for label, points in part.groupby("class"):
            ax.plot(points["x"], points["y"], "o", markersize=3, alpha=0.6, label=str(label))
        for side in ("_low", "_high"):
            ax.axvline(part[f"x{side}"].iloc[0], color="gray")
            ax.axhline(part[f"y{side}"].iloc[0], color="gray", linestyle="--")
        ax.set(title=panel, xlabel="score of the first", ylabel="score of the second")
        ax.legend()
    return figure
