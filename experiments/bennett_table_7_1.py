"""Two planes at once, uncoupled: how many training sets are separated.

Two random planes through the center of the unit sphere classify random points on it; ten training
sets of each size, and 5000 fresh points for the test. Published is UBPA alone, from the thesis's
start: `algorithm="serial", start="thesis"`. The other rows are the default, which adds other starts
and settling to it.
"""

import time
from typing import Any

import pandas as pd

from experiments.harness.bench import Bench, grid
from planetree import BilinearSeparator
from planetree.datasets import two_planes

N_TEST = 5000


def run(bench: Bench) -> pd.DataFrame:
    """A row a dimension and size."""
    dimensions = bench.pick((10, 25, 50, 100), (10,))
    return separated(trials(bench, dimensions, ["uncoupled, published", "uncoupled"]))


def trials(bench: Bench, dimensions: tuple[int, ...], methods: list[str]) -> pd.DataFrame:
    """A row a training set: of each dimension both sizes, by each method."""
    cases = grid(
        method=methods,
        dimension=dimensions,
        size=bench.pick((500, 1000), (200,)),
        repeat=range(bench.pick(10, 2)),
    )
    return bench.cells(trial, cases)


def trial(dimension: int, size: int, method: str, repeat: int) -> dict[str, Any]:
    """Whether a training set is separated, the error on fresh points, and the cost."""
    topology, _, published = method.partition(", ")
    coupled = topology == "coupled"
    X, y = two_planes(size + N_TEST, dimension, coupled, random_state=1000 * dimension + repeat)
    model = BilinearSeparator(topology="alternating" if coupled else "second")
    if published:
        model.set_params(start="thesis", algorithm="frank_wolfe" if coupled else "serial")
    start = time.process_time()
    model.fit(X[:size], y[:size])
    return {
        "separated": int(model.separable_),
        "error": 100 * (1 - model.score(X[size:], y[size:])),
        "steps": model.n_iter_,
        "seconds": round(time.process_time() - start, 4),
    }


def separated(frame: pd.DataFrame) -> pd.DataFrame:
    """How many training sets of each size are separated, and the mean of the rest."""
    groups = frame.groupby(["method", "dimension", "size"], sort=False)
    means = groups[["error", "steps", "seconds"]].mean()
    return means.assign(separated=groups["separated"].sum()).reset_index()
