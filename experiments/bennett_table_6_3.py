"""Parallel efficiency of MCD-PGD on the cores that there are.

The thesis had one node of a CM-5 for each of 7 classes; here the classes are shared among as many
jobs as there are cores. Seconds are by the clock, the best of five fits to all rows, one job and
several in turn. Efficiency is the time of one job, divided by the jobs and by their time. On the
thesis's sets the solver uses one thread whatever is asked for, because more cost time, so that
their efficiency is 100% divided by the cores. Clouds is drawn, 20,000 rows of 40 columns in 7
classes, and large enough for threads.
"""

import os
import time
from typing import Any

import numpy as np
import pandas as pd

from experiments.bennett_table_6_1 import SETS
from experiments.harness.bench import Bench, grid
from planetree import QuadraticSeparator


def run(bench: Bench) -> pd.DataFrame:
    """A row a set."""
    sets = bench.pick(["Glass", "Image-s", "Image-n", "Clouds"], ["Iris"])
    return bench.cells(speedup, grid(set=sets, method=["PGD"], tries=[bench.pick(5, 1)]))


def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Rows of seven normal clouds that overlap."""
    rng = np.random.default_rng(0)
    centers, y = rng.normal(scale=0.5, size=(7, 40)), rng.integers(7, size=20_000)
    return centers[y] + rng.normal(size=(20_000, 40)), y


def speedup(set: str, method: str, tries: int) -> dict[str, Any]:
    cores = os.cpu_count() or 1
    seconds(set, cores)  # threads and caches get warm
    pairs = [(seconds(set, 1), seconds(set, cores)) for _ in range(tries)]
    alone, together = map(min, zip(*pairs, strict=True))
    return {"cores": cores, "seconds": together, "efficiency": 100 * alone / (cores * together)}


def seconds(set: str, jobs: int) -> float:
    """Time of one fit by the clock."""
    X, y = clouds() if set == "Clouds" else SETS[set]()
    start = time.perf_counter()
    QuadraticSeparator(solver="gradient_distribution", n_jobs=jobs).fit(X, y)
    return round(time.perf_counter() - start, 4)
