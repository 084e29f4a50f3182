"""The readable tree: what must not change it, what it promises, and what it prints."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plane_tables import clouds
from sklearn.datasets import load_iris, load_wine

from planetree import PlaneTreeClassifier, _core
from planetree.planes import Planes
from planetree.table import canonical_order
from planetree.tree.plane import plane_tree, tree_choice
from planetree.tree.plane.rounding import round_planes

pytestmark = pytest.mark.core

seeds = st.integers(0, 2**32 - 1)


def test_one_sparse_plane_is_enough_for_the_breast_cancer_data(cancer):
    """The tree is far smaller than a tree of cuts with the same training error."""
    X, y = cancer
    model = PlaneTreeClassifier().fit(X, y)
    assert model.n_leaves_ <= 3
    assert model.n_terms_ <= 6
    assert model.score(X, y) > 0.96


@pytest.mark.parametrize("data", [load_iris, load_wine])
def test_more_than_two_classes(data):
    X, y = data(return_X_y=True)
    model = PlaneTreeClassifier().fit(X, y)
    assert model.score(X, y) > 0.96
    assert set(model.predict(X)) == set(y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_certificate_of_every_plane_leaves_no_gap(cancer):
    model = PlaneTreeClassifier(size="accurate", grading=None).fit(*cancer)
    assert len(model.certificates_) == model.n_nodes_ - model.n_leaves_
    proofs = [each for each in model.certificates_ if each.kind == "linear program"]
    assert proofs
    for proof in proofs:
        assert proof.is_proved
        assert proof.gap <= 1e-9
        assert proof.bound <= proof.objective * (1 + 1e-9)


@settings(max_examples=8)
@given(seeds)
def test_the_order_of_rows_and_of_columns_does_not_matter(seed):
    X, y = clouds(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    model = PlaneTreeClassifier().fit(X, y)
    other = PlaneTreeClassifier().fit(X[rows], y[rows])
    assert np.array_equal(model.predict(X), other.predict(X))
    turned = PlaneTreeClassifier().fit(X[:, columns], y)
    assert np.array_equal(model.predict(X), turned.predict(X[:, columns]))


@settings(max_examples=8)
@given(seeds, st.sampled_from([2.0**20, 2.0**-20]))
def test_units_change_the_printed_weights_alone(seed, unit):
    X, y = clouds(seed)
    scaled = X.copy()
    scaled[:, 0] *= unit
    model, other = PlaneTreeClassifier().fit(X, y), PlaneTreeClassifier().fit(scaled, y)
    assert np.array_equal(model.predict(X), other.predict(scaled))
    assert model.n_terms_ == other.n_terms_


@settings(max_examples=6)
@given(seeds)
def test_a_constant_column_and_a_copy_of_a_column_change_nothing(seed):
    X, y = clouds(seed)
    wide = np.column_stack([X, np.full(len(y), 7.0), X[:, 1]])
    model, other = PlaneTreeClassifier().fit(X, y), PlaneTreeClassifier().fit(wide, y)
    assert np.array_equal(model.predict(X), other.predict(wide))
    # Classes of equal weight may change places, and planes turn around: shares round otherwise.
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(wide), atol=1e-15)
    assert np.array_equal(model.features_used_, other.features_used_)


def test_exclusive_or_is_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    assert PlaneTreeClassifier().fit(X, y).score(X, y) > 0.9


def test_smaller_sizes_have_fewer_terms(cancer):
    X, y = cancer
    sizes = [PlaneTreeClassifier(size=s).fit(X, y).n_terms_ for s in ("smallest", "accurate")]
    assert sizes[0] <= sizes[1]


def test_rounded_weights_send_every_training_row_the_same_way(cancer):
    X, y = cancer
    model = PlaneTreeClassifier(size="accurate", grading=None).fit(X, y)
    rounded = model.round_weights()
    assert np.array_equal(model.apply(X), rounded.apply(X))
    digits = [len(f"{abs(w):.16e}".split("e")[0].rstrip("0")) for w in all_weights(rounded.tree_)]
    assert np.mean(digits) < np.mean(
        [len(f"{abs(w):.16e}".split("e")[0].rstrip("0")) for w in all_weights(model.tree_)]
    )


def all_weights(tree):
    planes = [split for split in tree.splits if isinstance(split, Planes)]
    return np.concatenate([plane.weights[plane.weights != 0] for plane in planes])


def test_whole_weights_make_a_score_card():
    X = np.array([[a, b] for a in range(4) for b in range(4)], dtype=float)
    plane = Planes([[0.1999, 0.4001]], [0.9])
    card = round_planes(plane, X)
    assert np.array_equal(card.weights, np.round(card.weights))
    assert np.array_equal(card.branch(X), plane.branch(X))


def test_more_of_a_column_that_speaks_for_a_class_never_speaks_against_it():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(size=300) > 0.5).astype(int)
    model = PlaneTreeClassifier(size=0.1, monotonic_cst=[1, 0, 0]).fit(X, y)
    assert 0 in model.features_used_
    more = X.copy()
    more[:, 0] += rng.uniform(0, 3, size=300)
    assert np.all(model.predict_proba(more)[:, 1] >= model.predict_proba(X)[:, 1] - 1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_cut_of_a_column_that_speaks_against_a_class_mirrors_one_that_speaks_for_it(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2)).round(3)
    y = (rng.random(120) < np.where(X[:, 0] > 0.5, 0.9, 0.25)).astype(int)
    up = PlaneTreeClassifier(monotonic_cst=[1, 0], max_features_per_split=1).fit(X, y)
    down = PlaneTreeClassifier(monotonic_cst=[-1, 0], max_features_per_split=1).fit(-X, y)
    assert up.certificates_[0].kind == "best cut of every column, by entropy"
    assert [each.kind for each in up.certificates_] == [each.kind for each in down.certificates_]
    assert np.array_equal(up.predict(X), down.predict(-X))


def test_a_dear_mistake_is_made_less_often():
    X, y = clouds(5, n_rows=300, n_columns=2)
    plain = PlaneTreeClassifier().fit(X, y)
    careful = PlaneTreeClassifier(costs=[[0, 1], [20, 0]]).fit(X, y)
    missed = [np.sum((model.predict(X) == 0) & (y == 1)) for model in (plain, careful)]
    assert missed[1] <= missed[0]
    assert missed[1] < 0.02 * len(y)


def test_the_columns_that_all_decisions_read_are_within_their_number(cancer):
    X, y = cancer
    model = PlaneTreeClassifier(size=0.05, max_features_total=3).fit(X, y)
    assert model.n_features_used_ <= 3
    assert max(split.n_terms for split in model.tree_.splits if split is not None) <= 5


def test_categories_and_missing_values_are_taken():
    rng = np.random.default_rng(1)
    color = rng.choice(["red", "green", "blue", "black"], size=300)
    size = rng.normal(size=300)
    y = np.where(np.isin(color, ["red", "blue"]), size > 0, size > 1)
    frame = pd.DataFrame({"color": pd.Categorical(color), "size": size})
    frame.loc[rng.random(300) < 0.1, "size"] = np.nan
    frame.loc[rng.random(300) < 0.1, "color"] = None
    model = PlaneTreeClassifier().fit(frame, y)
    assert model.score(frame, y) > 0.85
    assert "color" in model.to_text()
    nothing_known = pd.DataFrame({"color": pd.Categorical([None], ["red"]), "size": [np.nan]})
    np.testing.assert_allclose(
        model.predict_proba(nothing_known)[0], np.bincount(y) / len(y), atol=0.2
    )


def test_values_that_are_missing_because_they_do_not_apply_tell_the_class():
    """By share, rows of every class went down both branches, and half of them were wrong."""
    rng = np.random.default_rng(4)
    y = np.resize([0, 1, 2], 300)
    depth = np.where(y == 0, np.nan, rng.normal(size=300) + 4.0 * (y == 1))
    coat = pd.Categorical(np.where(y == 2, None, "zinc"), ["zinc"])
    for frame in (pd.DataFrame({"depth": depth}), pd.DataFrame({"depth": depth, "coat": coat})):
        model = PlaneTreeClassifier().fit(frame, y)
        assert model.score(frame, y) > 0.95
        assert "is missing" in model.to_text()


def test_values_that_are_missing_by_chance_are_divided_by_share():
    X, y = clouds(6, n_rows=300)
    X[np.random.default_rng(6).random(X.shape) < 0.2] = np.nan
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    assert model.n_leaves_ > 1
    assert {split.unknown for split in model.tree_.splits if split is not None} == {-1}


def test_the_text_is_what_the_tree_does():
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0]})
    model = PlaneTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    assert model.to_text(graded=False) == "if age > 7: yes (3 rows)\notherwise: no (3 rows)"
    low, high = 7.0 + model.tree_.splits[0].spread * np.log(9.0) * np.array([-1.0, 1.0])
    sure = model.tree_.leaf_probabilities[2].max()
    assert model.to_text() == (
        f"if age > 7 (unsure between {low:.1f} and {high:.1f}): yes {sure:.1%} (3 rows)\n"
        f"otherwise: no {sure:.1%} (3 rows)"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": "tiny"}, "'size' parameter .* must be 'smallest', 'balanced' or 'accurate' or a"),
        ({"size": -1}, "or a number of at least 0. Got -1"),
        (
            {"size_price": -1},
            "'size_price' parameter of PlaneTreeClassifier must be a number of at least 0",
        ),
        ({"max_splits": 1.5}, "'max_splits' parameter .* must be a whole number of at least 0"),
        (
            {"max_features_per_split": 0},
            "'max_features_per_split' .* must be a whole number of at least 1",
        ),
        ({"monotonic_cst": [1, 2, 0, 0, 0]}, "must hold -1, 0 or 1"),
        ({"monotonic_cst": {"age": 1}}, "names 'age'"),
        ({"costs": [[0, 1]]}, "costs"),
        ({"class_weight": "even"}, "class_weight"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = clouds(0)
    with pytest.raises(ValueError, match=message):
        PlaneTreeClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    "table",
    {
        "constant": (np.ones((6, 2)), [0, 1, 0, 1, 0, 1]),
        "two rows": (np.array([[0.0], [1.0]]), [0, 1]),
        "rows in both classes": (np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 0, 1]),
        "all missing": (np.full((6, 2), np.nan), [0, 1, 0, 1, 0, 1]),
        "fifty classes": (np.arange(200.0)[:, None], np.repeat(np.arange(50), 4)),
        "one row of a class": (np.arange(30.0)[:, None], [1] + [0] * 29),
        "more columns than rows": (
            np.random.default_rng(0).normal(size=(20, 300)),
            np.resize([0, 1], 20),
        ),
    }.values(),
)
def test_odd_tables_give_a_tree(table):
    X, y = table
    model = PlaneTreeClassifier().fit(X, y)
    counts = np.bincount(y)
    assert np.sum(model.predict(X) == y) >= counts.max()


def test_a_size_is_a_word_or_a_number_and_its_old_name_warns():
    X, y = clouds(0)
    word, price = (PlaneTreeClassifier(size=size).fit(X, y) for size in ("accurate", 0.375))
    assert word.to_text() == price.to_text()
    with pytest.warns(FutureWarning, match=r"Use size=0\.375"):
        old = PlaneTreeClassifier(size_price=0.375).fit(X, y)
    assert old.to_text() == price.to_text()


def test_one_plane_has_as_many_terms_as_pay_unless_told_otherwise():
    """Nine columns that count alike: five of them at a time need a tree of many planes."""
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0], size=(300, 9))
    y = X.sum(axis=1) > 4.5
    model = PlaneTreeClassifier().fit(X, y)
    assert model.n_leaves_ == 2
    assert model.n_terms_ == 9
    few = PlaneTreeClassifier(max_features_per_split=5).fit(X, y)
    assert max(split.n_terms for split in few.tree_.splits if split is not None) <= 5


def test_there_are_as_many_leaves_as_classes_need_unless_told_otherwise():
    y = np.resize(np.arange(30), 300)
    X = np.column_stack([y % 6, y // 6]) + np.random.default_rng(0).uniform(-0.3, 0.3, (300, 2))
    assert PlaneTreeClassifier(size="accurate").fit(X, y).score(X, y) > 0.95
    assert PlaneTreeClassifier(size=0.0, max_splits=2).fit(X, y).n_leaves_ <= 3


def test_all_trees_of_the_path_of_a_monotonic_tree_are_monotonic():
    """The bug: without grading, their leaves had the shares of their rows, in bounds or not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X.sum(axis=1) + 2 * rng.normal(size=400) > 0
    model = PlaneTreeClassifier(size=0.0, monotonic_cst=[1, 0], grading=None).fit(X, y)
    assert len(model.path_) > 3
    lower = np.column_stack([np.sort(X[:, 0]), np.zeros(400)])
    for height in np.linspace(-1.5, 1.5, 7):
        lower[:, 1] = height
        for step in model.path_:
            assert np.all(np.diff(step.tree.distribution(lower)[:, 1]) >= -1e-12)


def test_nothing_is_random_and_parameters_are_named():
    assert "random_state" not in PlaneTreeClassifier().get_params()
    with pytest.raises(TypeError, match="positional"):
        PlaneTreeClassifier(15)


@pytest.mark.parametrize("n_categories", [3, 40])
def test_a_sign_for_a_column_of_categories_is_refused_however_many_there_are(n_categories):
    """Columns of many categories have no terms, so a sign once did nothing without a word."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_categories, 200)
    X = pd.DataFrame({"a": rng.normal(size=200), "kind": [f"k{c}" for c in codes]})
    with pytest.raises(ValueError, match=r"monotonic_cst is set for \['kind'\]"):
        PlaneTreeClassifier(monotonic_cst={"kind": 1}).fit(X, X["a"] > 0)


def test_cells_that_no_decision_reads_are_gone_when_planes_are_found_on_all_rows(monkeypatch):
    """They stayed: a million rows of 20 columns took 3.3 times the memory of their table."""
    seen, narrowed = [], []

    def watched_order(*given, **named):
        rows = canonical_order(*given, **named)
        seen.append(weakref.ref(rows.table.values))
        return rows

    def watched_finish(choice, grower, rows, *given):
        gc.collect()
        narrowed.append((seen[-1](), np.flatnonzero(rows.table.values.any(axis=0))))
        return tree_choice.found_on_all_rows(choice, grower, rows, *given)

    monkeypatch.setattr(plane_tree, "canonical_order", watched_order)
    monkeypatch.setattr(plane_tree, "found_on_all_rows", watched_finish)
    X, y = clouds(1, 31_000, 6)
    copied = X.astype(np.float32)  # which a table of doubles copies
    model = PlaneTreeClassifier(max_splits=1, max_features_per_split=2).fit(copied, y)
    ((whole, columns),) = narrowed
    assert whole is None
    assert model.n_terms_ <= len(columns) < 6


def test_of_many_rows_all_cells_are_copied_for_those_that_trees_grow_from_alone(monkeypatch):
    """All were: it took a tenth of the time of a fit, and the memory of a second table."""
    copied, scaled_cells = [], _core.scaled_cells

    def watched(*given):
        copied.append(scaled_cells(*given))
        return copied[-1]

    monkeypatch.setattr(_core, "scaled_cells", watched)
    X, y = clouds(1, 31_000, 6)
    PlaneTreeClassifier(max_splits=1, max_features_per_split=2).fit(X, y)
    assert [len(cells) for cells in copied] == [20_000, 31_000]
    assert copied[1].shape[1] < 6
