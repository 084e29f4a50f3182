"""Fits in several threads at once, for the thread sanitizer: `make sanitize-threads`.

Every class of estimator is fitted in `THREADS` threads to one table, which they share, and answers
as it does alone. The sanitizer ends the process with an error if the core has a race.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor

from sklearn.base import clone

from campaigns.soaking.faults import small_table, told_by
from tests.test_contract import ESTIMATORS

THREADS, FITS = 4, 8


def main():
    """Fit all; 1 if an answer differs from that of one thread."""
    warnings.simplefilter("ignore")
    X, y = small_table()
    wrong = 0
    for estimator in {type(each): each for each in reversed(ESTIMATORS)}.values():
        expected = told_by(clone(estimator).fit(X, y), X)
        with ThreadPoolExecutor(THREADS) as pool:
            fits = pool.map(lambda _, e=estimator: clone(e).fit(X, y), range(FITS))
            differ = sum(told_by(each, X) != expected for each in fits)
        print(f"{type(estimator).__name__}: {FITS} fits, {differ} differ", flush=True)
        wrong += differ
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
