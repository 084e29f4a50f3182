"""Squared violations of a table in parts: the planes of the whole table, proved over all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import Interrupted, Moving, assert_same, dealt, table

from planetree import QuadraticSeparator, load, save
from planetree.distributed import Partitions, open_partitions, using
from planetree.exceptions import TimeLimitWarning


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 2, 3, 5]),
    kind=st.sampled_from(["plain", "levels", "tails", "separable", "far"]),
    how=st.sampled_from(["random", "sorted", "class", "skewed", "single"]),
    weighted=st.booleans(),
    l2=st.sampled_from([0.0, 0.0, 0.1]),
)
def test_the_value_and_the_proof_are_those_of_the_whole_table(seed, k, kind, how, weighted, l2):
    X, y = table(seed, 600, 4, k, kind)
    w = np.random.default_rng(seed).integers(0, 4, len(y)) * 1.0 if weighted else np.ones(len(y))
    w[:k] = 1.0
    whole = QuadraticSeparator(l2=l2).fit(X, y, w)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", 150)
        found = QuadraticSeparator(l2=l2).fit(dealt(X, y, w, 5, how, seed))
    assert_same(found, whole)
    assert found.objective_ == pytest.approx(whole.objective_, rel=1e-9, abs=1e-12)
    assert found.separable_ == whole.separable_
    assert found.coef_ == pytest.approx(whole.coef_, rel=1e-5, abs=1e-5 * np.abs(whole.coef_).max())


def test_costs_and_uniform_charges_are_those_of_the_whole_table():
    X, y = table(3, 800, 3, 3, "plain")
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]
    for options in ({"costs": costs}, {"weighting": "uniform"}):
        whole = QuadraticSeparator(**options).fit(X, y)
        parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
        assert_same(QuadraticSeparator(**options).fit(parts), whole)


@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_terms_that_others_imply_do_not_cost_the_proof(l2):
    """A constant, a copy of a column, and the indicators of all categories."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"size": rng.normal(size=700), "color": rng.choice(list("abc"), 700)})
    frame["tenth"], frame["again"] = 0.1, frame["size"]
    frame["kind"] = (frame["size"] + (frame.color == "a") + rng.normal(size=700) > 0.3) * 1
    parts = open_partitions([frame[i::4] for i in range(4)], target="kind")
    whole = QuadraticSeparator(l2=l2).fit(frame.drop(columns="kind"), frame.kind)
    assert_same(QuadraticSeparator(l2=l2).fit(parts), whole)


def test_rows_that_change_between_two_reads_are_noticed(monkeypatch):
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 50)
    X, y = table(5, 400, 3, 2, "plain")
    for later in ((X + 1e-9, y), (X, 1 - y), (X[1:], y[1:])):
        for n_before in (1, 2):
            reads = [(X, y)] * n_before + [later]
            if n_before == 1 and len(later[0]) == 400 and (later[1] == y).all():
                continue  # the first read only tells what the table is
            with (
                using(None),  # where a part knows how often it was read
                pytest.raises(ValueError, match="changed since they were read first"),
            ):
                QuadraticSeparator().fit(Partitions((Moving(*reads),)))


def test_options_that_need_all_rows_are_refused():
    parts = open_partitions([(np.arange(4.0)[:, None], [0, 0, 1, 1])])
    for options, advice in (
        ({"solver": "gradient_distribution"}, "Set solver='newton'"),
        ({"validation_fraction": 0.2}, "Set validation_fraction=None"),
        ({"products": "squares"}, "Set products=None"),
        ({"warm_start": True}, "Set warm_start=False"),
    ):
        with pytest.raises(ValueError, match=advice):
            QuadraticSeparator(**options).fit(parts)


def test_a_time_limit_keeps_the_best_planes_with_their_gap(monkeypatch):
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 60)
    X, y = table(6, 3000, 4, 3, "tails")
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    with pytest.warns(TimeLimitWarning):
        found = QuadraticSeparator(time_limit=1e-9).fit(parts)
    whole = QuadraticSeparator().fit(X, y)
    assert found.status_ == "time_limit"
    assert found.bound_ <= whole.objective_ * (1 + 1e-15)
    assert found.objective_ >= whole.objective_ * (1 - 1e-12)


def test_a_cluster_and_a_file_give_the_same_bits(client, tmp_path):
    X, y = table(7, 2000, 4, 3, "plain")
    parts = open_partitions([(X[i::5], y[i::5]) for i in range(5)])
    alone = QuadraticSeparator().fit(parts)
    with using(client):
        cluster = QuadraticSeparator().fit(parts)
    assert np.array_equal(cluster.coef_, alone.coef_)
    assert cluster.bound_ == alone.bound_
    save(alone, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.n_reads_, again.gap_) == (alone.n_reads_, alone.gap_)


def test_a_class_that_a_plane_separates_from_the_others_needs_no_balance():
    """Its rows are at their margins, where rounding alone would pull."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=3000) > 0.5) * 1
    y = np.where(X[:, 2] > 1, 2, y)
    whole = QuadraticSeparator().fit(X, y)
    assert_same(QuadraticSeparator().fit(dealt(X, y, np.ones(3000), 3, "random", 0)), whole)


@pytest.mark.filterwarnings("ignore:QuadraticSeparator was interrupted")
def test_an_interrupt_keeps_the_best_planes_so_far(monkeypatch):
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 60)
    X, y = table(8, 2000, 4, 3, "tails")
    whole = QuadraticSeparator().fit(Partitions((Moving((X, y)),)))
    for n_before in range(whole.n_reads_):
        parts = Partitions((Interrupted((X, y), n_before),))
        if n_before < 2:  # there are no planes yet
            with pytest.raises(KeyboardInterrupt):
                QuadraticSeparator().fit(parts)
            continue
        found = QuadraticSeparator().fit(parts)
        assert found.status_ == "interrupted"
        assert found.bound_ <= whole.objective_ <= found.objective_ * (1 + 1e-12)
