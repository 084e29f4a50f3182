"""Products of columns as terms: the planes of the columns one would have made by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import planetree
from planetree import (
    PlaneTreeClassifier,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
    TreeEditor,
)
from planetree.arrays import product_code
from planetree.distributed import open_partitions
from planetree.planes import Planes
from planetree.tree import explain


def ring(n=200, seed=0):
    """A disk and what is around it, and a column of large numbers that tells nothing."""
    X = np.random.default_rng(seed).normal([0.0, 0.0, 50.0], size=(n, 3))
    y = np.where((X[:, :2] ** 2).sum(axis=1) < 1.3, "in", "out")
    return pd.DataFrame(X, columns=["age", "dose", "n"]), y


def by_hand(X):
    """The frame with all squares and products as columns."""
    names = list(X.columns)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    return X.assign(**{f"{a} {b}": X[a] * X[b] for a, b in pairs})


@pytest.mark.parametrize("separator", [RobustSeparator, QuadraticSeparator])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_planes_with_products_are_those_of_columns_made_by_hand(separator, n_classes):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X.iloc[-50 * n_classes :], y[-50 * n_classes :]
    model = separator(products="all").fit(X, y)
    other = separator().fit(by_hand(X), y)
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-6, abs=1e-9)
    assert model.gap_ <= 1e-6
    assert model.n_features_in_ == 4
    assert model.planes_.weights.shape[1] == 14


def test_a_circle_is_two_squares_and_no_other_term_and_that_is_proved():
    X, y = ring()
    model = SparseSeparator(RobustSeparator(products="all"), exact=True).fit(X, y)
    assert model.separable_
    assert model.proved_
    assert model.n_features_used_ == model.planes_.n_terms == 2
    assert "age^2" in model.to_text()
    assert "dose^2" in model.to_text()
    assert model.features_.tolist() == [0, 1]
    assert model.near_equal().indispensable == ("age^2", "dose^2")
    assert model.score(X, y) == model.score(X[["age", "dose"]], y) == 1.0


def test_pairs_that_are_named_are_the_only_products():
    X, _ = ring()
    y = np.where((X["age"] - 0.2) * X["dose"] > 0, "up", "down")
    model = RobustSeparator(products=[("dose", "age")]).fit(X, y)
    assert model.term_names_ == ["age * dose", "age", "dose", "n"]
    assert model.separable_
    again = RobustSeparator(products=[(1, 0)]).fit(X, y)
    assert np.array_equal(model.coef_, again.coef_)


def test_scores_of_products_are_unknown_where_either_factor_is_missing():
    planes = Planes([[2.0, 1.0]], [1.0], "slabs", [0, 0], [product_code(1), -1])
    rows = np.array([[3.0, 4.0], [np.nan, 4.0], [3.0, np.nan]])
    assert planes.scores(rows)[0, 0] == 2.0 * 12.0 + 3.0 - 1.0
    assert np.isnan(planes.scores(rows)[1:]).all()
    assert planes.features.tolist() == [0, 1]
    assert planes.renumbered(np.array([7, 2])).features.tolist() == [2, 7]


@pytest.mark.parametrize(
    "estimator",
    [
        PlaneTreeClassifier(products="all", grading=None),
        SeparatorTreeClassifier(RobustSeparator(products="all"), max_splits=2),
    ],
)
def test_a_tree_with_products_reads_columns_in_any_order_and_survives_a_file(estimator, tmp_path):
    """The order of columns changes no prediction."""
    X, y = ring(150)
    model = estimator.fit(X, y)
    assert model.score(X, y) > 0.98
    assert set(model.features_used_) >= {0, 1}
    planetree.save(model, tmp_path / "model.json")
    loaded = planetree.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.to_text() == model.to_text()
    turned = X[["n", "dose", "age"]]
    assert np.array_equal(model.predict(X), estimator.fit(turned, y).predict(turned))


def test_a_readable_tree_needs_fewer_terms_with_products():
    X, y = ring(150)
    squares = PlaneTreeClassifier(products="squares").fit(X, y)
    assert squares.n_terms_ < PlaneTreeClassifier().fit(X, y).n_terms_
    assert squares.feature_importances_[2] == 0.0
    assert squares.certificates_[0].bound <= squares.certificates_[0].objective


def test_a_missing_factor_divides_a_row_among_the_branches():
    X, y = ring()
    tree = PlaneTreeClassifier(products="squares").fit(X, y)
    row = pd.DataFrame({"age": [0.1], "dose": [np.nan], "n": [50.0]})
    whole = tree.predict_proba(row.assign(dose=0.1))
    assert 0.02 < tree.predict_proba(row)[0, 1] < 0.98
    assert whole[0, 0] > 0.98


@pytest.mark.parametrize(
    ("products", "told"),
    [
        ("cubes", "'squares', 'all' or a list"),
        (3, "'squares', 'all' or a list"),
        ([("age", "dose", "n")], "it holds"),
        ([("age", "weight")], "products names 'weight'"),
        ([("age", "kind")], "which holds categories"),
    ],
)
def test_what_cannot_be_multiplied_is_refused(products, told):
    X, y = ring()
    with pytest.raises(ValueError, match=told):
        RobustSeparator(products=products).fit(X.assign(kind=y), y)


def test_what_is_for_sums_of_columns_refuses_products():
    X, y = ring()
    tree = PlaneTreeClassifier(products="squares").fit(X, y)
    for asked in (
        lambda: tree.explain(X).counterfactuals(),
        lambda: tree.explain(X).robustness(),
        lambda: tree.to_score_sheet(),
        lambda: TreeEditor(tree, X, y),
    ):
        with pytest.raises(ValueError, match="multiplies columns"):
            asked()
    assert explain(tree, X).changes == []
    assert explain(tree, X).answer == tree.predict(X)[0]
    for rules in ({"max_features_total": 2}, {"monotonic_cst": [1, 0, 0]}):
        with pytest.raises(ValueError, match="applies to single columns"):
            PlaneTreeClassifier(products="all", **rules).fit(X, y)
    with pytest.raises(ValueError, match="partial_fit cannot use products"):
        QuadraticSeparator(products="all").partial_fit(X, y)
    with pytest.raises(ValueError, match="chooses among products"):
        SparseSeparator(QuadraticSeparator(products="all")).fit(X, y)


def test_partitions_refuse_products(tmp_path):
    X, y = ring()
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(ValueError, match="products needs all rows at once"):
        RobustSeparator(products="all").fit(open_partitions(tmp_path / "rows.csv", "label"))
