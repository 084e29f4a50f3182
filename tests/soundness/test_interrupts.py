"""Ctrl-C and time limits are honored, with headroom for a busy machine.

The campaigns `interrupts` and `time_limits` measure the same with larger tables and tight limits.
One fit stands for each way of waiting: C4.5's core, Newton and the simplex on hinges, with many
classes too, the hulls, HiGHS in a thread of its own, and loops in Python.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

from campaigns import interrupts, slow_fits, time_limits
from planetree import RobustSeparator
from planetree.exceptions import TimeLimitWarning

HEADROOM = 1.5  # seconds more than a quiet machine is allowed
QUICK = {
    "C45Classifier": 0.15,
    "CentroidSelector": 0.5,
    "GeneticSelector": 0.25,
    "MaxNormSeparator": 0.5,
    "PlaneTreeClassifier": 0.5,
    "QuadraticSeparator": 0.1,
    "RobustSeparator": 0.3,
    "RobustSeparator, 300 classes": 0.5,
    "SparseSeparator": 0.1,
}


@pytest.mark.skipif(os.name == "nt", reason="signals of processes are those of POSIX")
def test_ctrl_c_is_honored_by_every_kind_of_fit():
    process = slow_fits.start(QUICK)
    deaf = {name: interrupts.seconds_deaf(process, 0.2) for name in QUICK}
    heard = {name: found[1] for name, found in deaf.items() if not isinstance(found, str)}
    assert len(heard) >= len(QUICK) - 2, deaf  # a fast machine may finish some
    assert {found for found in deaf.values() if isinstance(found, str)} <= {"finished"}, deaf
    assert max(heard.values()) < interrupts.LIMIT + HEADROOM, deaf


@pytest.mark.parametrize("name", QUICK)
def test_a_time_limit_is_kept_and_what_was_found_answers(name):
    begun = slow_fits.Moment.of()
    found = slow_fits.run(name, QUICK[name], time_limit=0.3)
    found["fair"] = found["seconds"] - (found["ended"]["waited"] - begun.waited)
    assert not time_limits.wrongs(found, 0.3, 1.2 * 0.3 + 0.5 + HEADROOM), found


@pytest.mark.parametrize("perturbation", [0.0, 0.01])
def test_a_limit_before_the_first_step_leaves_planes_that_are_better_than_none(perturbation):
    """w = 0 has the sum of the charges for its error, k (k - 1); it was what came back."""
    k = 30
    X, y = slow_fits.table_of(slow_fits.SlowFit("RobustSeparator", 3000, 5, k))
    model = RobustSeparator(time_limit=1e-6, perturbation=perturbation)
    with pytest.warns(TimeLimitWarning):
        model.fit(X, y)
    assert np.abs(model.coef_).max() > 0
    assert model.status_ == "time_limit"
    assert model.error_ < 0.95 * k * (k - 1)
    scores = X @ model.coef_.T + model.intercept_
    lack = np.maximum(0.0, 1 - (scores[np.arange(len(X)), y][:, None] - scores))
    lack[np.arange(len(X)), y] = 0.0
    by_hand = sum(lack[y == c].sum(axis=1).mean() for c in range(k))
    assert model.error_ == pytest.approx(by_hand, rel=1e-12)
    assert model.bound_ <= model.objective_
    assert model.gap_ == pytest.approx((model.objective_ - model.bound_) / model.objective_)


@pytest.mark.filterwarnings("ignore::planetree.exceptions.TimeLimitWarning")
@pytest.mark.parametrize("limit", [3e-3, 6e-3, 0.012, 0.025, 0.05])
def test_a_longer_limit_never_leaves_worse_planes_than_the_first(limit):
    """Steps on a sample of the rows came back though they were worse than none on all rows."""
    X, y = slow_fits.table_of(slow_fits.SlowFit("RobustSeparator", 3000, 5, 30))
    first = RobustSeparator(time_limit=1e-6).fit(X, y).error_
    for factor in (0.8, 1.0, 1.25, 1.5):
        assert RobustSeparator(time_limit=factor * limit).fit(X, y).error_ <= first


@pytest.mark.skipif(os.name == "nt", reason="signals of processes are those of POSIX")
def test_ctrl_c_while_the_solver_is_loaded_is_no_import_error():
    """Signals reach the main thread alone, which only waits for the import."""
    code = (
        "import builtins, threading\n"
        "from planetree.solvers import linear_program\n"
        "plain, threads = builtins.__import__, []\n"
        "def spy(name, *rest):\n"
        "    if name == 'highspy': threads.append(threading.current_thread())\n"
        "    return plain(name, *rest)\n"
        "builtins.__import__ = spy\n"
        "linear_program.LinearProgram([1.0], [[1.0]], 1.0, 2.0, 0.0, 5.0).solve()\n"
        "assert threads and threading.main_thread() not in threads, threads\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
