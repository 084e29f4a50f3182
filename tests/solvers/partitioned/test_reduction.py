"""Reduced programs lead to the planes of all rows, and changed rows are noticed."""

import pytest
from parted_rows import Moving, assert_same, table

from planetree import RobustSeparator
from planetree.distributed import Partitions, open_partitions
from planetree.solvers.partitioned import reduction


def test_newtons_method_on_kept_rows_leads_to_the_same_planes(monkeypatch):
    """With a sample of classes that count as rare no row was near, and there were no such steps."""
    monkeypatch.setattr(reduction, "_BUDGET", 300)
    monkeypatch.setattr(reduction, "_RARE", 10)
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 1000)
    steps, sums = [], reduction.newton_sums
    monkeypatch.setattr(reduction, "newton_sums", lambda *given: steps.append(1) or sums(*given))
    X, y = table(4, 20_000, 5, 2, "plain")
    parts = open_partitions([(X[i::4], y[i::4]) for i in range(4)])
    for price in (0.0, 0.02):
        steps.clear()
        whole = RobustSeparator(perturbation=price).fit(X, y)
        found = RobustSeparator(perturbation=price).fit(parts)
        assert_same(found, whole)
        assert found.n_reads_ <= 6
        assert len(steps) > 5


def test_rows_that_change_before_they_are_grouped_again_are_noticed(monkeypatch):
    """Else the bound of the old rows is kept beside the value of the new ones."""
    X, y = table(9, 3000, 3, 2, "tails")
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 60)
    monkeypatch.setattr("planetree.solvers.partitioned.passes._MOST_STRAYS", 0)
    same, moved = (X, y), (X / 2, y)
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(Partitions((Moving(same, same, same, moved),)))
