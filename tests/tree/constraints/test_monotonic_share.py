"""The share of given classes never falls along a column that may only raise it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import PlaneTreeClassifier, TreeEditor
from planetree.grading import MARGIN
from planetree.model_files import load, save
from planetree.statistics import ShareBounds, with_share
from planetree.tree.constraints.monotonic_share import MonotonicShare

seeds = st.integers(0, 2**32 - 1)
LABELS = np.array(["dead", "mild", "severe", "well"])
NAMES = list("abc")


def patients(seed, n_rows=240, n_classes=4):
    """Rows whose class mostly worsens with a and c, but not monotonically, and turns with b."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=NAMES)
    worse = X["a"] + 0.7 * X["c"] - 0.6 * (X["a"] > 1) + 0.5 * np.sin(3 * X["b"])
    ranks = pd.qcut(worse + 0.7 * rng.normal(size=n_rows), n_classes, labels=False)
    return X, LABELS[[3, 1, 2, 0][:n_classes]][ranks]


def shares_along(model, column, classes, seed):
    """Share of some classes along a column, for rows with and without missing cells."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(scale=1.5, size=(30, 1, 3)), 80, axis=1)
    rows[rng.random(30) < 0.3, :, NAMES.index("b")] = np.nan
    rows[:, :, NAMES.index(column)] = np.linspace(-5, 5, 80)
    p = model.predict_proba(pd.DataFrame(rows.reshape(-1, 3), columns=NAMES))
    return p[:, np.isin(model.classes_, classes)].sum(axis=1).reshape(30, 80)


def assert_monotonic(model, signs, classes, seed=0, tolerance=2 * MARGIN):
    for column, sign in signs.items():
        assert np.all(sign * np.diff(shares_along(model, column, classes, seed)) >= -tolerance)


@settings(max_examples=6, deadline=None)
@given(
    seeds,
    st.sampled_from([["dead"], ["dead", "severe"], ["well"], ["mild", "well"], ["mild"]]),
    st.sampled_from(["leaf", "soft", None]),
    st.sampled_from([{"a": 1}, {"a": 1, "c": 1}, {"a": -1, "c": 1}]),
)
def test_the_share_of_given_classes_never_falls_along_a_column(seed, classes, grading, signs):
    X, y = patients(seed)
    asked = {column: (sign, classes) for column, sign in signs.items()}
    model = PlaneTreeClassifier(size=0.2, grading=grading, monotonic_cst=asked).fit(X, y)
    tolerance = 2 * MARGIN if grading == "leaf" else 1e-12
    assert_monotonic(model, signs, classes, seed, tolerance)
    for step in model.path_:
        assert_monotonic(model.select(step.n_terms), signs, classes, seed, tolerance)


def test_without_the_constraint_the_share_does_fall():
    X, y = patients(0)
    free = PlaneTreeClassifier(size=0.2).fit(X, y)
    assert np.diff(shares_along(free, "a", ["dead"], 0)).min() < -0.05


def test_columns_with_a_sign_are_still_read_and_tell_the_classes_apart():
    X, y = patients(1, n_rows=600)
    model = PlaneTreeClassifier(monotonic_cst={"a": (1, ["dead", "severe"])}).fit(X, y)
    free = PlaneTreeClassifier().fit(X, y)
    assert "a" in model.feature_names_used_
    assert model.score(X, y) > free.score(X, y) - 0.05


def test_a_pair_says_of_two_classes_what_a_sign_does_and_can_name_the_first():
    X, y = patients(2, n_classes=2)
    plain = PlaneTreeClassifier(monotonic_cst={"a": 1, "b": -1}).fit(X, y)
    last, first = plain.classes_[1], [plain.classes_[0]]
    for asked in ({"a": (1, last), "b": (-1, [last])}, {"a": (-1, first), "b": [1, first]}):
        other = PlaneTreeClassifier(monotonic_cst=asked).fit(X, y)
        np.testing.assert_array_equal(other.predict_proba(X), plain.predict_proba(X))


def test_the_share_of_some_classes_rises_where_that_of_the_others_falls():
    X, y = patients(3)
    rise = PlaneTreeClassifier(monotonic_cst={"a": (1, ["dead", "severe"])}).fit(X, y)
    fall = PlaneTreeClassifier(monotonic_cst={"a": (-1, ["mild", "well"])}).fit(X, y)
    np.testing.assert_array_equal(rise.predict_proba(X), fall.predict_proba(X))


@pytest.mark.parametrize("grading", ["leaf", "soft", None])
def test_an_edited_tree_keeps_the_share_monotonic(grading, tmp_path):
    X, y = patients(4)
    signs, classes = {"a": 1, "c": 1}, ["dead", "severe"]
    asked = {column: (sign, classes) for column, sign in signs.items()}
    model = PlaneTreeClassifier(size=0.3, grading=grading, monotonic_cst=asked).fit(X, y)
    editor = TreeEditor(model, X, y)
    with pytest.raises(ValueError, match=r"monotonic_cst holds for \['a', 'c'\]"):
        editor.replace(0, ({"a": 1.0, "c": -1.0}, 0.0))
    for node, decision, below in (
        (0, "b > 0.7", "grow"), (1, "a > 0.1", "grow"), (0, ["a", "b"], "keep"), (0, "c", "grow"),
    ):  # fmt: skip
        editor.replace(node, decision, below=below)
        assert_monotonic(editor.model_, signs, classes, seed=node)
    save(editor.model_, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), editor.model_.predict_proba(X))


@pytest.mark.parametrize("costs", [None, [[0, 2, 2], [1, 0, 1], [1, 1, 0]]])
def test_a_label_that_would_break_the_order_is_refused_and_nothing_changes(costs):
    """A leaf labeled dead must have a share of it that the leaf above does not reach."""
    y = np.repeat(["mild", "well", "mild", "well", "dead"], [60, 40, 50, 30, 20])
    X = pd.DataFrame({"a": np.repeat([-1.0, 1.0], 100), "b": np.arange(200) % 7})
    asked = {"a": (1, "dead")}
    model = PlaneTreeClassifier(monotonic_cst=asked, costs=costs).fit(X, y)
    editor = TreeEditor(model, X, y)
    editor.replace(0, "a > 0", below="close")
    before = editor.model_
    with pytest.raises(ValueError, match="monotonic_cst does not allow a leaf labeled 'dead'"):
        editor.relabel(1, "dead")
    assert editor.model_ is before
    for leaf, label in ((1, "well"), (2, "dead")):
        editor.relabel(leaf, label)
        assert editor.model_.predict(X)[[0, -1]][leaf - 1] == label
        p = editor.model_.predict_proba(X)[[0, -1], 0]
        assert p[0] <= p[1]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"a": 1}, r"y holds 4 classes, so monotonic_cst must say whose share"),
        ([1, 0, 0], r"y holds 4 classes, so monotonic_cst must say whose share"),
        ({"a": (1, "ill")}, r"must name some of the classes .*, but it names \['ill'\]"),
        ({"a": (1, [])}, "must name some of the classes"),
        ({"a": (1, list(LABELS))}, "not all of them"),
        ({"a": (2, "dead")}, "must hold -1, 0 or 1"),
        ({"a": (1, "dead", "mild")}, "a pair of a sign and classes"),
        ({"a": (1, "dead"), "c": (1, "mild")}, r"different classes .*\[\['dead'\], \['mild'\]\]"),
        ({"d": (1, "dead")}, "names 'd'"),
    ],
)
def test_what_cannot_be_meant_is_named(asked, message):
    X, y = patients(6)
    with pytest.raises(ValueError, match=message):
        PlaneTreeClassifier(monotonic_cst=asked).fit(X, y)


def test_a_sign_of_zero_asks_for_nothing():
    X, y = patients(7)
    free = PlaneTreeClassifier().fit(X, y)
    other = PlaneTreeClassifier(monotonic_cst={"a": 0, "b": (0, "dead")}).fit(X, y)
    np.testing.assert_array_equal(other.predict_proba(X), free.predict_proba(X))


@given(seeds)
def test_no_shares_within_the_bounds_are_more_likely(seed):
    """What `with_share` gives is the largest likelihood: random shares within have less."""
    rng = np.random.default_rng(seed)
    counts, classes = rng.exponential(size=4), np.array([False, True, True, False])
    low, high = np.sort(rng.random(2))
    bounds = ShareBounds(np.array([low]), np.array([high]), classes)
    best = bounds.within((counts / counts.sum())[None])[0]
    others = with_share(rng.dirichlet(np.ones(4), size=200), classes, rng.uniform(low, high, 200))
    assert np.all(np.log(others) @ counts <= np.log(best) @ counts + 1e-9)


def test_signs_and_classes_turn_together():
    share = MonotonicShare(np.array([1.0, -1.0, 0.0]), np.array([True, True, False]))
    assert share.without_first().signs.tolist() == [-1.0, 1.0, 0.0]
    assert share.without_first().classes.tolist() == [False, False, True]
    assert share.change(np.array([0, 2, 2]), np.ones(3), np.array([True, False, True])) == 0.5
