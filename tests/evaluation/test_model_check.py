"""Checks of new rows: silent where nothing has changed, and each change is found by name."""

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.evaluation.model_check import _outside_by_chance, check_model


def table(seed, n=400):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    frame["c"] = pd.Categorical(rng.choice(["red", "green"], n))
    frame.loc[rng.random(n) < 0.1, "b"] = None
    score = frame["a"] + (frame["c"] == "red") + 0.5 * rng.normal(size=n)
    return frame, np.where(score > 0.5, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return PlaneTreeClassifier().fit(*table(0))


def test_rows_like_those_of_training_are_found_at_fault_once_in_a_hundred():
    """All tests of a check together at 1%: more than 4 of 100 pairs are unlikely (p < 0.004).

    Once the range of few training rows, by which all new rows are judged, counted as that of all.
    """
    found = []
    for seed in range(100):
        X, y = table(seed, n=60)
        model = C45Classifier().fit(X, y)
        found.append(check_model(model, table(1000 + seed, n=600)[0]).findings)
    assert sum(map(bool, found)) <= 4


def test_numbers_out_of_a_random_range_follow_the_beta_binomial_distribution():
    """The oracle draws both tables: the probability is that of as many or more out of range."""
    rng = np.random.default_rng(0)
    before, now = rng.random((20_000, 9)), rng.random((20_000, 30))
    low, high = before.min(axis=1, keepdims=True), before.max(axis=1, keepdims=True)
    drawn = ((now < low) | (now > high)).sum(axis=1)
    for outside in (1, 5, 12, 18):
        expected = (drawn >= outside).mean()
        error = 4 * np.sqrt(expected * (1 - expected) / len(drawn))
        assert _outside_by_chance(outside, 30, 9) == pytest.approx(expected, abs=error)


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        (C45Classifier(class_weight={"yes": 5.0, "no": 1.0}), None),
        (PlaneTreeClassifier(class_weight="balanced"), None),
        (C45Classifier(), np.linspace(0.1, 3, 400)),
    ],
)
def test_leaves_of_a_model_with_weights_are_not_compared(model, weights):
    """Once weights of leaves counted as rows, and the training rows were found at fault."""
    X, y = table(0)
    X["a"] = X["a"].where(y == "no", X["a"] + 0.3)
    y = np.where(np.arange(400) % 4 == 0, "yes", y)
    found = check_model(model.fit(X, y, sample_weight=weights), X, y)
    assert found.findings == []
    assert "fitted with weights" in found.notes[0]


def test_training_rows_with_missing_cells_count_in_the_leaves_as_they_did():
    """Once a row with a missing cell counted in one leaf alone, and training was at fault."""
    X, y = table(0)
    X["a"] = X["a"].where(np.arange(400) % 2 == 0)
    model = C45Classifier().fit(X, y)
    found = check_model(model, X, y)
    assert found.findings == found.notes == []
    for leaf in found.leaves:
        assert leaf.share == pytest.approx(leaf.share_before)
        assert leaf.class_shares == pytest.approx(leaf.class_shares_before)


def test_numbers_out_of_range_are_counted_among_those_that_are_known(model):
    X, _ = table(7)
    X["a"] = (X["a"] + 20).where(np.arange(400) % 2 == 0)
    findings = check_model(model, X).findings
    assert any("200 of 200 numbers are outside the training range" in each for each in findings)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X, y: (X.assign(a=X["a"] + 2), None), "Column 'a': .* outside the training range"),
        (lambda X, y: (X.assign(b=X["b"].where(X["a"] > 0)), None), "Column 'b': .* missing"),
        (lambda X, y: (X.assign(c=["blue", *X["c"][1:]]), None), "'c': categories .* 'blue'"),
        (lambda X, y: (X.assign(a=X["a"] / 2 + 1), None), "leaves hold different shares"),
        (lambda X, y: (X, np.where(X["b"] > 0, "no", y)), "its class shares differ"),
    ],
)
@pytest.mark.filterwarnings("ignore::planetree.exceptions.CategoryWarning")
def test_a_change_is_found_by_name(model, change, says):
    import re

    X, y = change(*table(7))
    findings = check_model(model, X, y).findings
    assert any(re.search(says, each) for each in findings), findings


def test_figures_are_those_of_a_count_by_hand(model):
    X, y = table(3)
    found = check_model(model, X, y, groups=X["c"])
    wrong = model.predict(X) != y
    assert found.error == pytest.approx(wrong.mean())
    assert {each.group: each.error for each in found.groups} == pytest.approx(
        {name: wrong[X["c"] == name].mean() for name in ("green", "red")}
    )
    leaves = model.apply(X)
    for leaf in found.leaves:
        here = leaves == leaf.leaf
        assert leaf.n_rows == here.sum()
        assert leaf.error == pytest.approx(wrong[here].mean())
        assert leaf.class_shares["yes"] == pytest.approx((y[here] == "yes").mean())
    ranges = {each.column: each for each in found.columns}
    first = table(0)[0]
    assert (
        ranges["a"].n_outside == ((X["a"] < first["a"].min()) | (X["a"] > first["a"].max())).sum()
    )
    assert ranges["b"].missing == pytest.approx(X["b"].isna().mean())
    assert ranges["b"].missing_before == pytest.approx(first["b"].isna().mean())


def test_a_model_without_ranges_is_refused():
    X = np.arange(10.0)[:, None]
    with pytest.raises(ValueError, match="has no ranges"):
        check_model(RobustSeparator().fit(X, X[:, 0] > 4), X)


def test_columns_that_the_model_does_not_read_may_be_lacking():
    """The bug: a frame that `predict` takes was refused, and what it lacks filled with 0."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"read": rng.normal(size=60), "unread": np.full(60, 5.0)})
    model = C45Classifier().fit(X, X["read"] > 0)
    found = check_model(model, X[["read"]])
    assert [each.column for each in found.columns] == ["read"]
    assert found.findings == []
