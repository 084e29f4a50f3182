"""Answers that depend on order, repetition, names or units: their number may only fall."""

import pytest

from campaigns import invariance
from tests.test_contract import ESTIMATORS

ALLOWED = invariance.allowed()
LOWER = "python -m campaigns.invariance --allow"


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_no_more_tables_change_their_answers_than_before(estimator):
    name = invariance.name_of(estimator)
    allowed = dict.fromkeys(invariance.CHANGES, 0) | ALLOWED.get(name, {})
    counts, first, _ = invariance.count(estimator, invariance.QUICK)
    worse = {change: first[change] for change in counts if counts[change] > allowed[change]}
    assert not worse, f"answers changed that did not before; first tables: {worse}"
    better = {change: counts[change] for change in counts if counts[change] < allowed[change]}
    assert not better, f"fewer answers change now: lower it ({LOWER}): {better}"


def test_the_counts_are_those_of_the_contract():
    assert set(ALLOWED) <= {invariance.name_of(each) for each in ESTIMATORS}
