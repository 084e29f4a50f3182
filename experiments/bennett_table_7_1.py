"""Two planes at once, uncoupled (UBPA): how many training sets are separated.

Two random planes through the center of the unit sphere classify random points on it; ten training
sets of each size, and 5000 fresh points for the test. The last row goes beyond the thesis.
"""

import itertools
import time
from collections.abc import Sequence
from typing import Any

import pandas as pd

from experiments.harness.bench import Bench
from planetree import BilinearSeparator
from planetree.datasets import two_planes

N_TEST = 5000


def run(bench: Bench) -> pd.DataFrame:
    """A row a dimension and size."""
    dimensions = bench.pick((10, 25, 50, 100), (10,))
    return separated(trials(bench, dimensions, "uncoupled", bench.pick([(200, 5000)], [])))


def trials(
    bench: Bench, dimensions: tuple[int, ...], method: str, more: Sequence[tuple[int, int]] = ()
) -> pd.DataFrame:
    """A row a training set: of each dimension both sizes, and what else is asked for."""
    pairs = [*itertools.product(dimensions, bench.pick((500, 1000), (200,))), *more]
    cases = [
        {"dimension": dimension, "size": size, "method": method, "repeat": repeat}
        for dimension, size in pairs
        for repeat in range(bench.pick(10, 2))
    ]
    return bench.cells(trial, cases)


def trial(dimension: int, size: int, method: str, repeat: int) -> dict[str, Any]:
    """Whether a training set is separated, the error on fresh points, and the cost."""
    coupled = method == "coupled"
    X, y = two_planes(size + N_TEST, dimension, coupled, random_state=1000 * dimension + repeat)
    model = BilinearSeparator(topology="alternating" if coupled else "second")
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
    groups = frame.groupby(["dimension", "size", "method"], sort=False)
    means = groups[["error", "steps", "seconds"]].mean()
    return means.assign(separated=groups["separated"].sum()).reset_index()
