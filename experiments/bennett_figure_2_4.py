"""Parity of n bits by the multisurface method and by back-propagation.

All 2^n rows must be right; the thesis says n hidden units for odd n and n + 1 for even n, and
plots seconds of a DECstation 3100 that the scan lost. The widest pair of planes, problem (2.2), is
exact here: for n >= 4 its only normals are the unit vectors, whose pair cuts off no row, so
every count is owed to the rule against degeneracy, which the thesis does not state. Back-
propagation gets as many units, three starts and 2000 epochs each, up to 7 bits.
"""

import time
from typing import Any

import pandas as pd

from experiments.bennett_table_2_1 import backpropagation, hidden_units
from experiments.harness.bench import Bench, error, grid
from planetree import MultisurfaceClassifier
from planetree.datasets import parity


def run(bench: Bench) -> pd.DataFrame:
    """A row for each number of bits, and for back-propagation one a start."""
    ours = grid(method=["MSM"], bits=range(2, bench.pick(11, 5)), repeat=[0])
    theirs = grid(method=["BP"], bits=range(2, bench.pick(8, 3)), repeat=range(bench.pick(3, 1)))
    return bench.cells(one, [*ours, *theirs])


def one(method: str, bits: int, repeat: int) -> dict[str, Any]:
    X, y = parity(bits)
    model = MultisurfaceClassifier()
    if method == "BP":
        model = backpropagation(bits + (bits + 1) % 2, repeat)
        model[-1].set_params(max_iter=2000, tol=0.0, n_iter_no_change=2000)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    return {
        "training_accuracy": 100 - error(model, X, y),
        "units": hidden_units(model),
        "seconds": round(seconds, 4),
    }


def draw(frame: pd.DataFrame) -> Any:
    """Seconds of training against the number of bits."""
    from experiments.harness.figures import axes

    figure, ax = axes()
    for method, group in frame.groupby("method", sort=False):
        means = group.groupby("bits")["seconds"].mean()
        ax.semilogy(means.index, means.clip(lower=1e-3), "o-", label=method)
    ax.set(xlabel="bits", ylabel="seconds of training")
    ax.legend()
    return figure
