"""A short part of `make fuzz`, with trials that the long one does not repeat."""

import pytest

from campaigns.fuzzing import exports, files, readers, tables, workers

SEED = 17
QUICK = {tables: 153, files: 12, exports: 20, readers: 12}  # of files and readers, a hundred each


@pytest.mark.parametrize("campaign", QUICK, ids=lambda each: each.__name__.rpartition(".")[2])
def test_no_trial_of_a_campaign_finds_anything(campaign):
    found = {number: campaign.trial(SEED, number) for number in range(QUICK[campaign])}
    wrong = {number: trial for number, trial in found.items() if trial.found}
    assert not wrong, f"{len(wrong)} of {len(found)}, first: {next(iter(wrong.items()))}"


def test_workers_that_die_or_hang_are_findings_and_others_take_their_place(monkeypatch):
    monkeypatch.setattr(workers, "LIMIT", 4.0)
    module = "tests.soundness.trials_by_turns"
    outcomes = dict(workers.run(module, 0, start=0, trials=4, seconds=120, jobs=1))
    kinds = [sorted(outcomes[number].found) for number in range(4)]
    assert kinds == [[], ["died"], ["hang"], []]


def test_a_finding_is_made_as_small_as_it_gets(monkeypatch):
    """The instrument must see what it is for: an estimator that errs on one value."""

    class Errs(tables.ESTIMATORS[3].__class__):
        def fit(self, X, y, sample_weight=None):
            if (X == 7.0).any():
                raise IndexError("seven")
            return super().fit(X, y, sample_weight)

    kinds = ("plain", "array", "whole", "none")
    X, y = tables.np.arange(12.0).reshape(6, 2), tables.np.array([0, 1] * 3)
    assert "strange error" in tables.judge(Errs(), kinds, X, y, None)
    small, _, _ = tables.smaller(Errs(), kinds, X, y, None, "strange error")
    assert small.tolist() == [[7.0]]
