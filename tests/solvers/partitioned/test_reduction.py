"""Reduced programs lead to the planes of all rows, and changed rows are noticed."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import Interrupted, Moving, assert_same, dealt, table

from planetree import RobustSeparator
from planetree.clock import UNLIMITED
from planetree.distributed import Partitions, open_partitions
from planetree.separators.partitioned import PartedProblem
from planetree.solvers.partitioned import reduction
from planetree.solvers.partitioned.passes import RawPlanes


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


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 2, 3]),
    kind=st.sampled_from(["plain", "levels", "tails", "far"]),
    price=st.sampled_from([0.0, 0.02]),
    reach=st.floats(0.0, 2.0),
    off=st.sampled_from([0.0, 0.1, 1.0]),
)
@pytest.mark.filterwarnings("ignore:RobustSeparator")
def test_the_bound_of_any_grouping_is_below_the_value_of_all_rows(seed, k, kind, price, reach, off):
    """The lemma: groups of any planes, the best or others, prove no more than is true."""
    X, y = table(seed, 300, 3, k, kind)
    rng = np.random.default_rng(seed)

    whole = RobustSeparator(perturbation=price).fit(X, y)
    weights = whole.coef_ + off * rng.normal(size=whole.coef_.shape) / whole.scale_
    planes = RawPlanes(weights, -whole.intercept_ + off * rng.normal(size=len(weights)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reduction, "_FEW", 0)
        patch.setattr(reduction, "_ROUNDS", 1)
        patch.setattr(reduction.PartitionedHinges, "_of_sample", lambda *given: planes)
        patch.setattr(reduction.PartitionedHinges, "_reach", lambda *given: reach)
        parts = dealt(X, y, np.ones(300), 4, "random", seed)
        model = RobustSeparator(perturbation=price)
        found = PartedProblem(model, model, parts, UNLIMITED).solve()
    assert 0 <= found.bound <= whole.objective_ * (1 + 1e-15)
    assert whole.bound_ <= found.objective * (1 + 1e-15)


@pytest.mark.filterwarnings("ignore:RobustSeparator was interrupted")
@pytest.mark.parametrize("grouped_again", [False, True])
def test_an_interrupt_keeps_the_best_planes_so_far(monkeypatch, grouped_again):
    """Whenever it comes once there are planes, also while the rows are grouped again."""
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 60)
    if grouped_again:
        monkeypatch.setattr("planetree.solvers.partitioned.passes._MOST_STRAYS", 0)
    X, y = table(9, 3000, 3, 2, "tails")
    with warnings.catch_warnings(action="ignore"):  # not enough may be proved in so few rounds
        whole = RobustSeparator().fit(Partitions((Moving((X, y)),)))
    assert whole.n_reads_ > 3 + grouped_again
    for n_before in range(whole.n_reads_):
        parts = Partitions((Interrupted((X, y), n_before),))
        if n_before < 3:  # there are no planes yet
            with pytest.raises(KeyboardInterrupt):
                RobustSeparator().fit(parts)
            continue
        found = RobustSeparator().fit(parts)
        assert found.status_ == "interrupted"
        assert found.bound_ <= whole.objective_ <= found.objective_ * (1 + 1e-12)


@pytest.mark.filterwarnings("ignore:RobustSeparator was interrupted")
def test_an_interrupt_while_kept_rows_are_looked_at_keeps_them_too(monkeypatch):
    monkeypatch.setattr(reduction, "_BUDGET", 300)
    monkeypatch.setattr(reduction, "_RARE", 10)
    monkeypatch.setattr(reduction, "_SAFETY", 0.1)  # rows leave their groups, so there are rounds
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 1000)
    X, y = table(4, 20_000, 5, 2, "plain")
    parts = open_partitions([(X[i::4], y[i::4]) for i in range(4)])
    whole, check, seen = RobustSeparator().fit(parts), reduction.check_part, []

    def interrupted(rows, *given):
        seen.append(len(given) == 4)  # whether it is of kept rows
        if seen[-1] and False in seen:
            raise KeyboardInterrupt
        return check(rows, *given)

    monkeypatch.setattr(reduction, "check_part", interrupted)
    found = RobustSeparator().fit(parts)
    assert found.status_ == "interrupted"
    assert found.bound_ <= whole.objective_ <= found.objective_ * (1 + 1e-12)
