"""A certificate says what it knows: figures it has not are NaN, and only an optimum is proved."""

from dataclasses import FrozenInstanceError
from math import isnan

import pytest

from planetree.certificate import Certificate


@pytest.mark.parametrize("status", ["optimal", "time_limit", "inaccurate", "rounded", "unproved"])
def test_only_an_optimum_is_proved(status):
    assert Certificate("linear program", 1.0, 1.0, 0.0, status).is_proved == (status == "optimal")


def test_a_decision_without_a_program_claims_nothing():
    found = Certificate("gain ratio (C4.5)")
    assert all(isnan(each) for each in (found.objective, found.bound, found.gap))
    assert not found.is_proved
    assert found.moved is None


def test_a_certificate_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Certificate("linear program").status = "optimal"
