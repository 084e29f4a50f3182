"""What people ask of columns, checked against the definition on random tables."""

import numpy as np
import pandas as pd
import pytest
from plane_tables import read, table

from planetree import PlaneTreeClassifier, TreeEditor
from planetree.tree.plane import plane_search


@pytest.mark.parametrize("seed", range(4))
def test_required_features_are_read_and_excluded_ones_are_not(seed):
    X, y = table(seed)
    model = PlaneTreeClassifier(
        required_features=["d", 4], excluded_features=["a"], grading=["leaf", None][seed % 2]
    ).fit(X, y)
    assert {"d", "e"} <= read(model)
    assert "a" not in read(model)
    assert len(model.certificates_) == model.tree_.n_decisions


@pytest.mark.parametrize("seed", range(3))
def test_without_a_column_is_as_if_the_table_had_none(seed):
    X, y = table(seed)
    model = PlaneTreeClassifier(excluded_features=["b"]).fit(X, y)
    few = X.drop(columns="b")
    other = PlaneTreeClassifier().fit(few, y)
    assert np.array_equal(model.predict(X), other.predict(few))
    assert np.allclose(model.predict_proba(X), other.predict_proba(few), atol=1e-6)
    assert read(model) == {few.columns[j] for j in other.features_used_}


@pytest.mark.parametrize("seed", range(2))
def test_a_column_that_costs_more_than_all_entropy_is_never_read(seed):
    X, y = table(seed)
    assert "a" in read(PlaneTreeClassifier().fit(X, y))
    dear = PlaneTreeClassifier(feature_costs={"a": 1000.0}).fit(X, y)
    assert "a" not in read(dear)
    free = PlaneTreeClassifier(feature_costs=np.zeros(5)).fit(X, y)
    assert free.to_text() == PlaneTreeClassifier().fit(X, y).to_text()


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_no_way_is_longer_than_max_depth(depth):
    X, y = table(1, n=150)
    model = PlaneTreeClassifier(max_depth=depth, size=0.1).fit(X, y)
    assert model.get_depth() <= depth
    assert all(step.tree.depth <= depth for step in model.path_)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"required_features": ["f"]}, "required_features names 'f'"),
        ({"required_features": "a"}, "must be a sequence"),
        ({"required_features": ["a"], "excluded_features": [0]}, "both required"),
        ({"excluded_features": range(5)}, "leaves no feature"),
        ({"feature_costs": {"a": -1}}, "must not be negative"),
        ({"feature_groups": "ab"}, "lists of columns"),
        ({"feature_groups": [["a", "z"]]}, "feature_groups names 'z'"),
        ({"max_depth": -1}, "max_depth"),
        ({"required_features": ["k"]}, "required_features"),
    ],
)
def test_rules_that_cannot_be_kept_say_so(given, says):
    X, y = table(0)
    if given.get("required_features") == ["k"]:
        X = X.assign(k=1.0)
    with pytest.raises(ValueError, match=says):
        PlaneTreeClassifier(**given).fit(X, y)


def test_rules_survive_the_editor():
    X, y = table(2)
    model = PlaneTreeClassifier(required_features=["d"], excluded_features=["a"]).fit(X, y)
    again = TreeEditor(model, X, y).grow(0)
    assert again.to_text() == model.to_text()


def table_with_cities(seed=0, n=400):
    """A column of 40 categories tells the class best, and has no terms; "b" tells it a little."""
    rng = np.random.default_rng(seed)
    city = rng.integers(0, 40, n)
    y = np.where(rng.random(n) < 0.9, city % 2, 1 - city % 2)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n) + y})
    X["city"] = [f"city {code}" for code in city]
    return X, y


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"excluded_features": ["city"]}, {1}),
        ({"feature_costs": {"city": 1000.0}}, {1}),
        ({"feature_costs": {"city": 1000.0}, "required_features": ["city"]}, {1, 2}),
        ({"required_features": ["a"], "max_splits": 1}, {0}),
        ({"required_features": ["b"], "max_features_total": 1}, {1}),
        ({"required_features": ["city"], "max_features_total": 1}, {2}),
        ({"feature_groups": [["city", "a"]]}, {0, 2}),
        ({"feature_groups": [["city", "a"]], "excluded_features": ["a"]}, {1}),
    ],
)
def test_columns_of_many_categories_obey_the_rules_too(rules, expected):
    X, y = table_with_cities()
    model = PlaneTreeClassifier(**rules).fit(X, y)
    assert set(model.features_used_.tolist()) == expected


@pytest.mark.parametrize("seed", [2, 7])
def test_rules_hold_where_a_tree_of_a_sample_is_finished_with_all_rows(seed, monkeypatch):
    """The bug: a decision whose branches all rows gave one label went, and its column with it."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 300)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 4))
    y = X[:, 0] + 0.3 * X[:, 1] + 0.5 * rng.normal(size=1500) > 0
    rules = {"required_features": [3, 2], "feature_groups": [[0, 1]]}
    model = PlaneTreeClassifier(**rules).fit(X, y)
    assert model.features_used_.tolist() == [0, 1, 2, 3]
    assert all(" on a sample" in each.kind for each in model.certificates_)
