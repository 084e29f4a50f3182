"""Parallel efficiency of MCD-PGD on the cores that there are.

The thesis had one node of a CM-5 for each of 7 classes; here the classes are shared among as many
jobs as there are cores. Seconds are by the clock, the best of seven fits to all rows, one job and
several in turn. Efficiency is the time of one job, divided by the jobs and by their time.
"""

import os
import time
from typing import Any

import pandas as pd

from experiments.bennett_table_6_1 import SETS
from experiments.harness.bench import Bench, grid
from planetree import QuadraticSeparator


def run(bench: Bench) -> pd.DataFrame:
    """A row a set."""
    sets = bench.pick(["Glass", "Image-s", "Image-n"], ["Iris"])
    return bench.cells(speedup, grid(set=sets, method=["PGD"], tries=[bench.pick(7, 1)]))


def speedup(set: str, method: str, tries: int) -> dict[str, Any]:
    cores = os.cpu_count() or 1
    seconds(set, cores)  # threads and caches get warm
    pairs = [(seconds(set, 1), seconds(set, cores)) for _ in range(tries)]
    alone, together = map(min, zip(*pairs, strict=True))
    return {"cores": cores, "seconds": together, "efficiency": 100 * alone / (cores * together)}


def seconds(set: str, jobs: int) -> float:
    """Time of one fit by the clock."""
    X, y = SETS[set]()
    start = time.perf_counter()
    QuadraticSeparator(solver="gradient_distribution", n_jobs=jobs).fit(X, y)
    return round(time.perf_counter() - start, 4)
