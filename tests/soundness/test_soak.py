"""A short part of `make soak`: kills while saving, faults, threads and memory."""

import os

import pytest

from campaigns.soaking import faults, kills, steadiness

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks are those of POSIX")
QUICK = {
    kills: [1, 2],
    faults: [*range(0, 9, 3), *range(1, 141, 3), 11, 65, 110],
    steadiness: [6, 48, 72, 7],
}


@pytest.mark.parametrize("campaign", QUICK, ids=lambda each: each.__name__.rpartition(".")[2])
def test_no_trial_of_a_campaign_finds_anything(campaign):
    found = {number: campaign.trial(17, number) for number in QUICK[campaign]}
    wrong = {number: trial for number, trial in found.items() if trial.found}
    assert not wrong, f"{len(wrong)} of {len(found)}, first: {next(iter(wrong.items()))}"
