"""Two planes by bilinear programs and by back-propagation.

Five problems as in Tables 7.1 and 7.2 of each dimension and topology, with 500 training points.
Back-propagation trains the networks of Figures 7.3 and 7.4, two hidden units for the uncoupled
topology and two layers of two for the coupled one, by stochastic gradients on standardized columns,
until it separates the points, looked at every 100 epochs, or for 40,000 epochs as in the thesis.
UBPA and BPA are the published algorithms alone.
"""

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from experiments.harness.bench import Bench, grid
from planetree import BilinearSeparator
from planetree.datasets import two_planes

EPOCHS, BLOCK = 40_000, 100
METHODS = ["UBPA, uncoupled", "BP, uncoupled", "BPA, coupled", "BP, coupled"]

warnings.filterwarnings("ignore", category=ConvergenceWarning, module="sklearn.neural_network")


def run(bench: Bench) -> pd.DataFrame:
    """A row a method and dimension."""
    cases = grid(
        method=METHODS,
        dimension=bench.pick([5, 10], [5]),
        size=[bench.pick(500, 60)],
        repeat=range(bench.pick(5, 1)),
        epochs=[bench.pick(EPOCHS, BLOCK)],
    )
    groups = bench.cells(one, cases).groupby(["method", "dimension", "size"], sort=False)
    return groups.agg(separated=("separated", "sum"), seconds=("seconds", "mean")).reset_index()


def one(method: str, dimension: int, size: int, repeat: int, epochs: int) -> dict[str, Any]:
    """Whether a training set is separated, and at what cost."""
    coupled = method.endswith(", coupled")
    X, y = two_planes(size, dimension, coupled, random_state=1000 * dimension + repeat)
    start = time.process_time()
    if method.startswith("BP,"):
        separated = propagated_back(X, y, coupled, repeat, epochs)
    else:
        separated = planes(coupled).fit(X, y).separable_
    seconds = time.process_time() - start
    return {"separated": int(separated), "seconds": round(seconds, 4)}


def planes(coupled: bool) -> Any:
    """The published algorithm alone, from the thesis's start."""
    algorithm = "frank_wolfe" if coupled else "serial"
    topology = "alternating" if coupled else "second"
    return BilinearSeparator(topology=topology, algorithm=algorithm, start="thesis")


def propagated_back(X: np.ndarray, y: np.ndarray, coupled: bool, seed: int, epochs: int) -> bool:
    """Whether the network of Figure 7.3, or of Figure 7.4, comes to separate within the epochs."""
    network = MLPClassifier(
        (2, 2) if coupled else (2,), activation="logistic", solver="sgd", learning_rate_init=0.1,
        momentum=0.9, alpha=0.0, tol=0.0, n_iter_no_change=epochs, max_iter=BLOCK,
        warm_start=True, random_state=seed,
    )  # fmt: skip
    Z = StandardScaler().fit_transform(X)
    return any(network.fit(Z, y).score(Z, y) == 1.0 for _ in range(0, epochs, BLOCK))
