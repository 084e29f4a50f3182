"""Parallel efficiency of MCD-PGD on the cores that there are.

The thesis had one node of a CM-5 for each of 7 classes; here the classes are shared among as many
jobs as there are cores. Seconds are by the clock, the best of seven fits to all rows (three of the
drawn ones), one job and several in turn. Efficiency is the time of one job, divided by the jobs and
by their time. On the three sets of the thesis the solver uses one thread, whatever is asked for, so
that two jobs have an efficiency of 50%. The drawn rows are 20,000 of 40 columns and four classes.
One set is measured at a time, whatever else is run on several processes.
"""

import os
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from experiments.bennett_table_6_1 import SETS
from experiments.harness.bench import Bench, grid
from planetree import QuadraticSeparator


def run(bench: Bench) -> pd.DataFrame:
    """A row a set."""
    sets = bench.pick(["Glass", "Image-s", "Image-n"], ["Iris"])
    cases = grid(set=sets, method=["PGD"], tries=[bench.pick(7, 1)])
    large = grid(set=["Drawn"], method=["PGD"], tries=[3])
    return replace(bench, jobs=1).cells(speedup, cases + bench.pick(large, []))


def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Four normal clouds that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=20_000)
    return 0.6 * rng.normal(size=(4, 40))[y] + rng.normal(size=(20_000, 40)), y


def speedup(set: str, method: str, tries: int) -> dict[str, Any]:
    cores = os.cpu_count() or 1
    seconds(set, cores)  # threads and caches get warm
    pairs = [(seconds(set, 1), seconds(set, cores)) for _ in range(tries)]
    alone, together = map(min, zip(*pairs, strict=True))
    return {"cores": cores, "seconds": together, "efficiency": 100 * alone / (cores * together)}


def seconds(set: str, jobs: int) -> float:
    """Time of one fit by the clock."""
    X, y = drawn() if set == "Drawn" else SETS[set]()
    start = time.perf_counter()
    QuadraticSeparator(solver="gradient_distribution", n_jobs=jobs).fit(X, y)
    return round(time.perf_counter() - start, 4)
