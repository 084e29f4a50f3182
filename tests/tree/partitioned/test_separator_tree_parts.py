"""A tree of separators over a table in parts: leaves and planes of memory, each proved."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import Moving, dealt

from planetree import (
    BilinearSeparator,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
    load,
    save,
)
from planetree.distributed import Partitions, open_partitions, using
from planetree.separators.problem import in_term_order

PARTED = "planetree.tree.partitioned.separator_tree_parts."


def curved(seed, n, k=2):
    """Classes that one plane does not part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=n) > 0.5) * 1
    return X, np.where(X[:, 2] + 0.2 * rng.normal(size=n) > 1, k - 1, y)


@pytest.fixture
def few_rows(monkeypatch):
    """Little is at hand, so that small tables are fitted as large ones are."""
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 300)
    monkeypatch.setattr(PARTED + "_SAMPLE", 300)
    monkeypatch.setattr(PARTED + "_CELLS", 600)


def assert_same_tree(found, whole):
    """The same leaves with the same rows, by the same planes, but for rounding."""
    one, other = found.unpruned_tree_, whole.unpruned_tree_
    assert one.n_branches.tolist() == other.n_branches.tolist()
    assert one.class_weights == pytest.approx(other.class_weights, rel=1e-9)
    for a, b in zip(one.splits, other.splits, strict=True):
        if a is not None:
            assert a.rule == b.rule
            weights, offsets = centered(a), centered(b)
            assert weights == pytest.approx(offsets, rel=1e-5, abs=1e-6 * np.abs(offsets).max())
    assert found.tree_.n_branches.tolist() == whole.tree_.n_branches.tolist()


def centered(planes):
    """Planes for classes may differ by what all have in common."""
    planes = in_term_order(planes)
    found = np.column_stack([planes.weights, planes.offsets])
    return found - found.mean(axis=0) if planes.rule == "argmax" else found


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 3]),
    how=st.sampled_from(["random", "sorted", "class", "skewed"]),
    quadratic=st.booleans(),
    few=st.sampled_from([0, 300, 1000]),
)
def test_leaves_and_planes_are_those_of_the_whole_table(seed, k, how, quadratic, few):
    X, y = curved(seed, 2000, k)
    separator = QuadraticSeparator() if quadratic else RobustSeparator()
    whole = SeparatorTreeClassifier(separator, max_splits=4).fit(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", 300)
        patch.setattr(PARTED + "_SAMPLE", 300)
        patch.setattr(PARTED + "_CELLS", 3 * few)
        parts = dealt(X, y, np.ones(len(y)), 4, how, seed)
        found = SeparatorTreeClassifier(separator, max_splits=4).fit(parts)
    assert_same_tree(found, whole)
    assert all(each.gap <= 1e-9 for each in found.certificates_)
    pairs = zip(found.certificates_, whole.certificates_, strict=True)
    assert all(a.bound <= b.objective * (1 + 1e-15) for a, b in pairs)
    assert (found.predict(X) == whole.predict(X)).mean() > 0.999


def test_a_small_table_is_fitted_in_memory_to_the_bit():
    X, y = curved(1, 1500)
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    whole, found = (SeparatorTreeClassifier().fit(*given) for given in ((X, y), (parts,)))
    assert found.to_text() == whole.to_text()
    assert np.array_equal(found.predict_proba(X), whole.predict_proba(X))
    assert found.n_reads_ == 1


@pytest.mark.usefixtures("few_rows")
def test_weights_and_costs_of_classes_are_those_of_the_whole_table():
    X, y = curved(2, 2500, 3)
    w = np.random.default_rng(2).integers(0, 3, len(y)) * 1.0
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]
    for options in ({"costs": costs}, {"class_weight": "balanced"}):
        model = SeparatorTreeClassifier(max_splits=3, **options)
        found = model.fit(dealt(X, y, w, 4, "random", 2))
        assert_same_tree(found, SeparatorTreeClassifier(max_splits=3, **options).fit(X, y, w))
        assert sorted(model.class_order_.tolist()) == [0, 1, 2]


@pytest.mark.usefixtures("few_rows")
def test_few_features_a_decision():
    X, y = curved(3, 2500)
    separator = SparseSeparator(RobustSeparator(), n_features=1)
    model = SeparatorTreeClassifier(separator, max_splits=3, pruning=None)
    found = model.fit(dealt(X, y, np.ones(len(y)), 3, "random", 3))
    assert all(split is None or split.n_terms == 1 for split in found.tree_.splits)
    assert found.n_leaves_ == 4


@pytest.mark.usefixtures("few_rows")
def test_gaps_and_categories_are_taken(tmp_path):
    rng = np.random.default_rng(4)
    X, y = curved(4, 3000)
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], 3000), y=y)
    frame.loc[rng.random(3000) < 0.1, "b"] = np.nan
    frame.loc[rng.random(3000) < 0.1, "d"] = None
    parts = open_partitions([frame[i::4] for i in range(4)] + [frame[:0]], target="y")
    found = SeparatorTreeClassifier(max_splits=4, pruning=None).fit(parts)
    tree = found.unpruned_tree_
    assert tree.class_weights[0].tolist() == np.bincount(y).tolist()
    leaves = tree.n_branches == 0
    assert tree.class_weights[leaves].sum(axis=0) == pytest.approx(np.bincount(y), rel=1e-12)
    shares = found.tree_.distribution(
        found._read(frame.drop(columns="y")), graded=False
    )  # every row comes to leaves with all of its weight
    assert np.isfinite(shares).all()
    whole = SeparatorTreeClassifier(max_splits=4, pruning=None).fit(frame.drop(columns="y"), y)
    assert found.score(frame.drop(columns="y"), y) > whole.score(frame.drop(columns="y"), y) - 0.03
    save(found, tmp_path / "tree.json")
    again = load(tmp_path / "tree.json")
    some = frame.drop(columns="y")[:50]
    assert again.predict(some).tolist() == found.predict(some).tolist()


@pytest.mark.usefixtures("few_rows")
def test_a_cluster_and_dask_frames_give_the_same_bits(client):
    dd = pytest.importorskip("dask.dataframe")
    X, y = curved(5, 2500)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    lazy = dd.from_pandas(frame, npartitions=3)
    parts = open_partitions([lazy.partitions[i].compute() for i in range(3)], target="y")
    with using(None):
        alone = SeparatorTreeClassifier(max_splits=3).fit(parts)
    with using(client):
        cluster = SeparatorTreeClassifier(max_splits=3).fit(open_partitions(lazy, target="y"))
    assert cluster.to_text() == alone.to_text()
    assert [c.bound for c in cluster.certificates_] == [c.bound for c in alone.certificates_]


@pytest.mark.usefixtures("few_rows")
def test_a_fit_that_was_cut_off_goes_on(tmp_path, monkeypatch):
    X, y = curved(6, 2500)
    parts = dealt(X, y, np.ones(len(y)), 3, "random", 6)
    alone = SeparatorTreeClassifier(max_splits=3).fit(parts)
    path = tmp_path / "fit.state"
    with monkeypatch.context() as patch:
        patch.setattr(PARTED + "_PartedGrower.graded", _cut_off)
        with pytest.raises(RuntimeError, match="cut off"), using(None, state=path):
            SeparatorTreeClassifier(max_splits=3).fit(parts)
    assert path.exists()
    with using(None, state=path):
        found = SeparatorTreeClassifier(max_splits=3).fit(parts)
    assert not path.exists()
    assert found.to_text() == alone.to_text()


def _cut_off(*_):
    raise RuntimeError("cut off")


@pytest.mark.usefixtures("few_rows")
def test_rows_that_change_between_two_leaves_are_noticed():
    X, y = curved(7, 2500)
    with using(None):  # where a part knows how often it was read
        whole = SeparatorTreeClassifier(max_splits=2).fit(Partitions((Moving((X, y)),)))
        for n_same in range(3, whole.n_reads_):  # the first two only tell what the table is
            reads = [(X, y)] * n_same + [(X + 1e-9, y)]
            with pytest.raises(ValueError, match="changed since they were read first"):
                SeparatorTreeClassifier(max_splits=2).fit(Partitions((Moving(*reads),)))


def test_what_needs_all_rows_is_refused_with_advice():
    parts = open_partitions([curved(8, 50)])
    sample = r"planetree\.distributed\.sample"
    for options, said in (
        ({"separator": BilinearSeparator()}, "RobustSeparator, QuadraticSeparator or"),
        ({"separator": SparseSeparator(), "max_features_total": 2}, "max_features_total=None"),
        ({"pruning": "cost_complexity"}, "pruning='pessimistic'"),
    ):
        with pytest.raises(ValueError, match=f"{said}.*{sample}"):
            SeparatorTreeClassifier(**options).fit(parts)
