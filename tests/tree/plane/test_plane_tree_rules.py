"""What people ask of columns, checked against the definition on random tables."""

import numpy as np
import pandas as pd
import pytest

from planetree import PlaneTreeClassifier, TreeEditor

NAMES = list("abcde")


def table(seed, n=80):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)).round(2), columns=NAMES)
    X["e"] = rng.choice(["red", "blue", "green"], size=n)
    score = X["a"] + 0.7 * X["b"] * (X["c"] > 0) + (X["e"] == "red")
    return X, score + 0.3 * rng.normal(size=n) > 0.4


def read(model):
    return {NAMES[j] for j in model.features_used_}


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


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_read_all_or_none(seed):
    X, y = table(seed)
    groups = [["a", "d"], [1, 2]]
    model = PlaneTreeClassifier(feature_groups=groups, size=0.4).fit(X, y)
    for group in ({"a", "d"}, {"b", "c"}):
        assert not group & read(model) or group <= read(model)
    needed = PlaneTreeClassifier(feature_groups=groups, required_features=["d"]).fit(X, y)
    assert {"a", "d"} <= read(needed)


@pytest.mark.parametrize("seed", range(3))
def test_a_column_that_costs_more_than_all_entropy_is_never_read(seed):
    X, y = table(seed)
    assert "a" in read(PlaneTreeClassifier().fit(X, y))
    dear = PlaneTreeClassifier(feature_costs={"a": 1000.0}).fit(X, y)
    assert "a" not in read(dear)
    free = PlaneTreeClassifier(feature_costs=np.zeros(5)).fit(X, y)
    assert free.to_text() == PlaneTreeClassifier().fit(X, y).to_text()


def test_a_column_is_paid_once_on_a_way():
    """Two cuts of one dear column pay its cost once: the price at which both stay is that of one.

    Between 0.3 and 0.7 of one column lies a class; nothing else tells.
    """
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((400, 2)), columns=["a", "b"])
    y = (X["a"] > 0.3) & (X["a"] < 0.7)
    plain = PlaneTreeClassifier(max_splits=2, grading=None).fit(X, y)
    unit = np.log(2) + np.log(400) / 2
    removed = -400 * sum(p * np.log(p) for p in (y.mean(), 1 - y.mean()))
    assert plain.score(X, y) == 1
    # what the cuts remove pays for the cost once, and not for twice the cost
    cost = 0.7 * removed / (0.75 * unit)
    model = PlaneTreeClassifier(max_splits=2, grading=None, feature_costs={"a": cost}).fit(X, y)
    assert model.score(X, y) == 1
    twice = PlaneTreeClassifier(max_splits=2, grading=None, feature_costs={"a": 2 * cost})
    assert twice.fit(X, y).n_terms_ == 0


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
