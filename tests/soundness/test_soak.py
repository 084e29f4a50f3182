"""A short part of `make soak`: kills while saving, faults, threads and memory."""

import os

import pytest

from campaigns.soaking import faults, kills, steadiness
from tests.test_contract import ESTIMATORS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks are those of POSIX")
# HiGHS fails in one setting of each class.
FIRST = {type(each): i for i, each in reversed([*enumerate(ESTIMATORS)])}
QUICK = {
    kills: [1, 2],
    faults: [*range(0, 9, 3), *(3 * i + 1 for i in sorted(FIRST.values())), 11, 107],
    steadiness: [6, 46, 7],
}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Fewer repetitions in a trial than the long campaign has."""
    monkeypatch.setattr(kills, "KILLS", 2)
    monkeypatch.setattr(faults, "FORKS", 15)
    monkeypatch.setattr(steadiness, "FITS", 150)


@pytest.mark.parametrize("campaign", QUICK, ids=lambda each: each.__name__.rpartition(".")[2])
def test_no_trial_of_a_campaign_finds_anything(campaign):
    found = {number: campaign.trial(17, number) for number in QUICK[campaign]}
    wrong = {number: trial for number, trial in found.items() if trial.found}
    assert not wrong, f"{len(wrong)} of {len(found)}, first: {next(iter(wrong.items()))}"
