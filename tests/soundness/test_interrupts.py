"""Ctrl-C and time limits are honored, with headroom for a busy machine.

The campaigns `interrupts` and `time_limits` measure the same with larger tables and tight limits.
"""

import os

import pytest

from campaigns import interrupts, time_limits
from campaigns.slow_fits import SLOW_FITS, has_time_limit

QUICK = {
    "BilinearSeparator": 1.0,
    "C45Classifier": 0.15,
    "GeneticSelector": 0.25,
    "GrinoldSeparator": 0.5,
    "MaxNormSeparator": 0.5,
    "PlaneTreeClassifier": 0.5,
    "QuadraticSeparator": 0.3,
    "SeparatorTreeClassifier": 0.5,
    "SparseSeparator": 0.5,
}


@pytest.mark.skipif(os.name == "nt", reason="signals of processes are those of POSIX")
@pytest.mark.parametrize("name", QUICK)
def test_ctrl_c_is_honored_within_two_seconds(name):
    deaf = interrupts.seconds_deaf(name, 0.3, QUICK[name], patience=20.0)
    assert deaf == "finished" or deaf < 2.0


@pytest.mark.parametrize("name", [n for n in QUICK if has_time_limit(SLOW_FITS[n])])
def test_a_time_limit_is_kept_and_what_was_found_answers(name):
    found, wrong = time_limits.kept(name, 0.5, QUICK[name])
    assert found["how"] == "finished", found
    assert found["seconds"] < 0.5 + 2.0
    assert not set(wrong) - {"late"}, wrong
