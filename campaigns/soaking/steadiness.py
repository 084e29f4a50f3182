"""Many fits: memory does not grow, and 24 threads answer as one.

    growth          resident memory grows by more than `GROWTH` bytes a fit
    other answer    a fit in one of many threads answers otherwise than alone

A trial fits one estimator `FITS` times, or in `THREADS` threads at once.
"""

import gc
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sklearn.base import clone

from campaigns.fuzzing.workers import Trial
from campaigns.soaking.faults import small_table, told_by
from tests.test_contract import ESTIMATORS

FITS, THREADS, GROWTH = 300, 24, 2000


def _resident():
    """Bytes of memory that this process holds."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grow(estimator):
    """Growth of memory over many fits, after as many as it takes to settle."""
    X, y = small_table()
    for _ in range(FITS // 3):
        clone(estimator).fit(X, y)
    before = _resident()
    for _ in range(FITS):
        clone(estimator).fit(X, y)
    grown = (_resident() - before) / FITS
    return {"growth": f"{grown:.0f} bytes a fit"} if grown > GROWTH else {}


def together(estimator):
    """Answers of fits in many threads at once."""
    X, y = small_table()
    expected = told_by(clone(estimator).fit(X, y), X)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda _: told_by(clone(estimator).fit(X, y), X), range(2 * THREADS)))
    wrong = sum(each != expected for each in found)
    return {"other answer": f"{wrong} of {len(found)} fits"} if wrong else {}


def trial(seed, number):
    """Threads, then memory, of each estimator in turn."""
    estimator = ESTIMATORS[number // 2 % len(ESTIMATORS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if number % 2:
            return Trial("memory", grow(estimator), repr(estimator))
        return Trial("threads", together(estimator), repr(estimator))
