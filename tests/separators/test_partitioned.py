"""A fit to a table in parts is that of the whole table, proved over all of its rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import Moving, assert_same, dealt, table

from planetree import QuadraticSeparator, RobustSeparator, load, save
from planetree.distributed import Partitions, open_partitions, sample


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 2, 3, 5]),
    kind=st.sampled_from(["plain", "levels", "tails", "separable", "far"]),
    how=st.sampled_from(["random", "sorted", "class", "skewed", "single"]),
    weighted=st.booleans(),
    price=st.sampled_from([0.0, 0.0, 0.02]),
)
def test_the_value_and_the_proof_are_those_of_the_whole_table(seed, k, kind, how, weighted, price):
    X, y = table(seed, 600, 4, k, kind)
    w = np.random.default_rng(seed).integers(0, 4, len(y)) * 1.0 if weighted else np.ones(len(y))
    w[:k] = 1.0
    model = RobustSeparator(perturbation=price)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", 150)
        found = RobustSeparator(perturbation=price).fit(dealt(X, y, w, 5, how, seed))
    assert_same(found, model.fit(X, y, w))
    assert found.separable_ == model.separable_


def test_costs_and_uniform_charges_are_those_of_the_whole_table():
    X, y = table(3, 800, 3, 3, "plain")
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]
    for options in ({"costs": costs}, {"weighting": "uniform"}):
        whole = RobustSeparator(**options).fit(X, y)
        parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
        assert_same(RobustSeparator(**options).fit(parts), whole)


def test_classes_that_grow_after_the_first_read_are_noticed():
    """The charges are 1 over the weights of the first read: they must be those of all others."""
    X, y = table(8, 300, 2, 2, "plain")
    more = np.append(np.arange(300), np.flatnonzero(y == 1))
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(Partitions((Moving((X, y), (X[more], y[more])),)))


def test_an_offset_is_not_refined_silently():
    X, y = table(12, 100, 2, 2, "plain")
    with pytest.raises(ValueError, match=r"refine_offset=False, or fit .*sample"):
        RobustSeparator(refine_offset=True).fit(open_partitions([(X, y)]))


def test_a_model_of_parts_is_saved_with_what_it_read(tmp_path):
    X, y = table(13, 200, 2, 2, "plain")
    model = RobustSeparator().fit(open_partitions([(X, y)]))
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.n_reads_, again.n_bytes_gathered_) == (model.n_reads_, model.n_bytes_gathered_)
    assert (again.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("k", [2, 3])
def test_a_column_of_one_value_needs_no_balance(k):
    """The offset does all that its weight could do, so the proof may leave it out."""
    X, y = table(15, 400, 2, k, "plain")
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(tenth=0.1, color="red", kind=y)
    frame["times"] = np.random.default_rng(15).random(400)
    parts = open_partitions([frame[i::3] for i in range(3)], target="kind", weight="times")
    whole = RobustSeparator().fit(X, y, frame.times)
    assert_same(RobustSeparator().fit(parts), whole)


@pytest.mark.parametrize("k", [2, 3])
def test_a_copy_of_a_column_does_not_cost_the_proof(k):
    X, y = table(17, 500, 3, k, "plain")
    X = np.column_stack([X, X[:, 0], X[:, 2]])
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    assert_same(RobustSeparator().fit(parts), RobustSeparator().fit(X, y))
    X[-1, 3] += 1.0  # no copy any more
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    with warnings.catch_warnings(action="ignore"):  # nothing may be proved of it
        found = RobustSeparator().fit(parts)
    assert found.bound_ <= RobustSeparator().fit(X, y).objective_ * (1 + 1e-15)


@pytest.mark.parametrize("kind", [RobustSeparator, QuadraticSeparator])
def test_terms_that_others_imply_exactly_do_not_cost_the_proof(kind):
    """A column turned around or times a power of two, and indicators of which one is 1."""
    X, y = table(18, 600, 3, 2, "plain")
    rng = np.random.default_rng(18)
    color, size = rng.integers(0, 4, 600), rng.integers(0, 2, 600)
    X = np.column_stack([X, -X[:, 0], 8 * X[:, 1], np.eye(4)[color], size, 1 - size])
    for w in (np.ones(600), np.where(color == 3, 0.0, 1.0)):
        parts = dealt(X, y, w, 3, "random", 18)
        whole = kind().fit(X, y, w)
        found = kind().fit(parts)
        assert_same(found, whole)
    X[-1, 5:9] = 1.0  # no union any more
    with warnings.catch_warnings(action="ignore"):  # nothing may be proved of it
        found = kind().fit(dealt(X, y, np.ones(600), 3, "random", 18))
    assert found.bound_ <= kind().fit(X, y).objective_ * (1 + 1e-15)


def test_what_is_wrong_with_a_part_is_said_with_its_name():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "y": [0, 1, 1], "w": 1.0})
    for wrong, said in (
        (frame.assign(a=[0.0, np.inf, 1.0]), "infinity"),
        (frame.assign(a=[0.0, np.nan, 1.0]), "a table in parts needs every value"),
        (frame.assign(y=[0.0, np.nan, 1.0]), "label of row 1"),
        (frame.assign(w=-1.0), "not negative"),
        (frame.assign(a=pd.Timestamp("2020-01-01")), "Dates"),
        (frame.drop(columns="y"), "no column 'y'"),
    ):
        parts = open_partitions([frame, wrong], target="y", weight="w")
        with pytest.raises((ValueError, TypeError), match=f"^part 1: .*{said}"):
            RobustSeparator().fit(parts)


def test_columns_of_frames_are_found_by_their_names():
    rng = np.random.default_rng(19)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["u", "v", "w"], 300)})
    frame["c"] = 100 + rng.normal(size=300)
    frame["y"] = (frame.a + (frame.b == "u") + 0.3 * rng.normal(size=300) > 0.3) * 1
    turned = [frame[:100], frame[100:200][["c", "y", "b", "a"]], frame[200:][["b", "a", "c", "y"]]]
    for kind in (RobustSeparator, QuadraticSeparator):
        whole = kind().fit(frame.drop(columns="y"), frame.y)
        found = kind().fit(open_partitions(turned, target="y"))
        assert found.columns_ == whole.columns_
        assert_same(found, whole)
    some = sample(open_partitions(turned, target="y"), 300)
    assert set(map(tuple, some.X.values[:, ::2])) == set(map(tuple, frame[["a", "c"]].to_numpy()))


def test_a_time_limit_is_said_as_one_with_a_true_gap(monkeypatch):
    """Where no row was on another side than its group it was called inaccurate."""
    X, y = table(20, 2000, 4, 2, "plain")
    whole = RobustSeparator().fit(X, y)
    parts = open_partitions([(X[i::4], y[i::4]) for i in range(4)])
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 500)
    of_program = "planetree.solvers.partitioned.reduction."
    alone = lambda *given: np.inf  # noqa: E731 - every row stands alone, so none strays
    monkeypatch.setattr(of_program + "PartitionedHinges._reach", alone)
    monkeypatch.setattr(of_program + "PartitionedHinges._bound", lambda *given: 0.0)  # too late
    with pytest.warns(Warning, match="time limit has passed: .* best planes"):
        found = RobustSeparator(time_limit=1e-4).fit(parts)
    assert found.status_ == "time_limit"
    assert found.bound_ <= whole.objective_ <= found.objective_
    assert found.gap_ == pytest.approx((found.objective_ - found.bound_) / found.objective_)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(4, 12), d=st.integers(1, 2), parts=st.integers(1, 12)
)
def test_a_few_rows_on_a_grid_are_proved_too(seed, n, d, parts):
    """Where many rows lie on their kinks the bound was 0: of one such table in seven."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (n, d)) * 1.0, np.append([0, 1], rng.integers(0, 2, n - 2))
    X[0] = 5.0
    for kind in (RobustSeparator, QuadraticSeparator):
        dealt_rows = [(X[i::parts], y[i::parts]) for i in range(parts)]
        assert_same(kind().fit(open_partitions(dealt_rows)), kind().fit(X, y))
