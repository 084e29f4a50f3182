"""Failed allocations, each in a fork: `python -m campaigns.soaking.forks SEED NUMBER FORKS`.

The library of `faults` must be preloaded. Findings are printed as JSON.
"""

import ctypes
import json
import os
import random
import signal
import sys
import time
import warnings

from sklearn.base import clone

from campaigns.soaking.faults import small_table, told_by
from planetree.exceptions import SolverError
from tests.test_contract import ESTIMATORS

_FINE, _ODD, _OTHER = 0, 2, 3  # and 4: a crash inside numpy or scikit-learn
_SECONDS = 10.0


def _fork(arm, n, estimator, X, y, expected):
    """Exit code or signal of a child whose nth allocation fails; None if it hangs."""
    child = os.fork()
    if child == 0:
        os._exit(_attempt(arm, n, estimator, X, y, expected))
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _attempt(arm, n, estimator, X, y, expected):
    model = clone(estimator)
    ctypes.CDLL(None).planetree_watch()
    try:
        arm(n)
        model.fit(X, y)
        arm(-1)
        return _FINE if told_by(model, X) == expected else _OTHER
    except (MemoryError, SolverError, SystemError):  # numpy forgets to say MemoryError
        return _FINE
    except BaseException as error:
        arm(-1)
        chain = [error, error.__cause__, error.__context__]
        if any(isinstance(each, MemoryError) for each in chain):
            return _FINE
        print(f"allocation {n}: {error!r}"[:300], file=sys.stderr, flush=True)
        return _ODD


def main():
    """Try allocations chosen by the seed."""
    seed, number, forks = map(int, sys.argv[1:])
    warnings.simplefilter("ignore")
    rng = random.Random(f"{seed} {number}")
    estimator = ESTIMATORS[number // 3 % len(ESTIMATORS)]
    if "n_jobs" in repr(estimator):
        estimator = clone(estimator).set_params(n_jobs=1)  # threads do not live on in a fork
    X, y = small_table()
    expected = told_by(clone(estimator).fit(X, y), X)
    library = ctypes.CDLL(None)
    library.planetree_arm.argtypes, library.planetree_count.restype = [ctypes.c_long], ctypes.c_long
    library.planetree_arm(1 << 40)
    clone(estimator).fit(X, y)
    most, found = library.planetree_count(), {}
    for _ in range(forks):
        n = rng.randrange(max(1, most))
        code = _fork(library.planetree_arm, n, estimator, X, y, expected)
        told = f"allocation {n} of {most}"
        if code is None:
            found["crash"] = f"{told}: no end after {_SECONDS:.0f} s"
        elif code < 0:
            found["crash"] = f"{told}: {signal.Signals(-code).name}"
        elif code == _ODD:
            found["strange error"] = told
        elif code == _OTHER:
            found["other answer"] = told
    print(json.dumps(found))


if __name__ == "__main__":
    main()
