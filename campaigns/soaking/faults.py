"""Faults in the style of SQLite's tests: the nth write, HiGHS call or allocation fails.

    strange error   a failure that comes out as something else than what it is
    lost            a file that was there is not as it was after a write that failed
    left over       a part of a file stays after a write that failed
    other answer    a fit that ends although a call failed, and answers otherwise
    crash           a failed allocation ends the process, or it hangs

For allocations a library is compiled that counts `malloc` and fails one; each n is tried in a fork
of a process that has loaded everything. A fork that crashes inside numpy, some of whose loops use a
buffer without asking whether there is one, or ends inside scikit-learn's tree, which lets
`std::bad_alloc` pass where nothing may, ends with a code of its own: that is no finding here.
"""

import errno
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.base import clone

import planetree
from campaigns.fuzzing.workers import Trial
from campaigns.slow_fits import ROOT, SlowFit, table_of
from planetree import files
from planetree.exceptions import CheckpointError, SolverError
from tests.test_contract import ESTIMATORS

FORKS = 40  # allocations that one trial fails
_MALLOC = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
static long left = -1, count = 0;
static void crashed(int signal_number) {
    void *frames[16];
    int n = backtrace(frames, 16);
    Dl_info place;
    for (int i = 2; i < n && dladdr(frames[i], &place); ++i) {  /* 0 and 1 are this handler's */
        if (strstr(place.dli_fname, "libc.so") || strstr(place.dli_fname, "libstdc++")) continue;
        if (strstr(place.dli_fname, "/numpy/") || strstr(place.dli_fname, "/sklearn/")) _exit(4);
        break;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}
void planetree_watch(void) {
    void *frame[1];
    backtrace(frame, 1);  /* loads what it needs */
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
}
void planetree_arm(long n) { left = n; count = 0; }
long planetree_count(void) { left = -1; return count; }
static int fails(size_t size) {
    if (left < 0 || size < 256) return 0;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) == 0 ? (errno = ENOMEM, 1) : 0;
}
extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_calloc(size_t, size_t);
void *malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
void *realloc(void *p, size_t n) { return fails(n) ? NULL : __libc_realloc(p, n); }
void *calloc(size_t k, size_t n) { return fails(k * n) ? NULL : __libc_calloc(k, n); }
"""


def small_table():
    """Few rows of two classes that overlap."""
    X, y = table_of(SlowFit("", 30, 4))
    return np.round(X, 2), y


def told_by(model, X):
    """What a model answers for rows."""
    if hasattr(model, "predict"):
        return np.asarray(model.predict(X)).tolist()
    return model.get_support().tolist()


def _failing(n, function, failure):
    """A function whose nth call fails."""
    calls = iter(range(10**9))

    def call(*arguments, **options):
        return failure() if next(calls) == n else function(*arguments, **options)

    return call


def _full():
    raise OSError(errno.ENOSPC, "No space left on device")


class _Disk:
    """`os`, but one of the calls that write a file fails."""

    def __init__(self, name):
        self.fsync = _failing(0 if name == "fsync" else -1, os.fsync, _full)
        self.replace = _failing(0 if name == "replace" else -1, os.replace, _full)

    def __getattr__(self, name):
        return getattr(os, name)


def write(rng):
    """Save over a file while the disk fails."""
    X, y = small_table()
    model = planetree.RobustSeparator().fit(X, y)
    name = rng.choice(["open", "fsync", "replace"])
    opened = mock.patch.object(files, "open", _failing(0, open, _full), create=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_text("old")
        broken = opened if name == "open" else mock.patch.object(files, "os", _Disk(name))
        with broken:
            try:
                planetree.save(model, path)
            except OSError:
                pass
            except Exception as error:
                return {"strange error": f"{name}: {error!r}"[:300]}
            else:
                return {"strange error": f"{name}: the failure was not told"}
        if path.read_text() != "old":
            return {"lost": name}
        rest = [each.name for each in Path(folder).iterdir() if each != path]
        return {"left over": f"{name}: {rest}"} if rest else {}


def solve(rng, estimator):
    """Fit while the nth run of HiGHS says that it failed, or raises."""
    import highspy

    X, y = small_table()
    expected = told_by(clone(estimator).fit(X, y), X)
    n, raises = rng.randrange(6), rng.random() < 0.5

    def failure():
        if raises:
            raise RuntimeError("HiGHS failed")
        return highspy.HighsStatus.kError

    with mock.patch.object(highspy.Highs, "run", _failing(n, highspy.Highs.run, failure)):
        try:
            found = told_by(clone(estimator).fit(X, y), X)
        except (SolverError, CheckpointError):
            return {}
        except RuntimeError as error:
            return {} if "HiGHS" in str(error) else {"strange error": repr(error)[:300]}
        except Exception as error:
            return {"strange error": f"run {n}, raises {raises}: {error!r}"[:300]}
    return {} if found == expected else {"other answer": f"run {n}, raises {raises}"}


def _library():
    """The library that fails an allocation, compiled once."""
    home = Path(tempfile.gettempdir()) / f"planetree-faults-{os.getuid()}"
    home.mkdir(exist_ok=True)
    name = hashlib.sha256(_MALLOC.encode()).hexdigest()[:12]
    library = home / f"{name}.so"
    if not library.exists():
        source, part = home / f"{name}.c", home / f"{name}.{os.getpid()}.so"
        source.write_text(_MALLOC)
        built = [shutil.which("cc"), "-O1", "-shared", "-fPIC", str(source), "-o", str(part)]
        subprocess.run(built, check=True, capture_output=True)
        part.rename(library)
    return library


def allocate(seed, number):
    """Fit one estimator in many forks, in each of which another allocation fails."""
    given = [sys.executable, "-m", "campaigns.soaking.forks", str(seed), str(number), str(FORKS)]
    done = subprocess.run(
        given,
        cwd=ROOT,
        env=os.environ | {"LD_PRELOAD": str(_library())},
        capture_output=True,
        text=True,
        timeout=50,
    )
    if done.returncode:
        return {"crash": f"exit {done.returncode}: {done.stderr[-200:]}"}
    return json.loads(done.stdout.splitlines()[-1])  # HiGHS prints what it lacks


def trial(seed, number):
    """A write, a solve or allocations."""
    rng = random.Random(f"{seed} {number}")
    estimator = ESTIMATORS[number // 3 % len(ESTIMATORS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if number % 3 == 0:
            return Trial("write", write(rng))
        if number % 3 == 1:
            return Trial("HiGHS", solve(rng, estimator), repr(estimator))
        return Trial("allocation", allocate(seed, number), repr(estimator))
