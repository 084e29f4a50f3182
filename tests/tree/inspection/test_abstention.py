"""Answers withheld: exactly those that are too uncertain or outside the training ranges."""

import numpy as np
import pytest

from planetree import C45Classifier, PlaneTreeClassifier
from planetree.tree.inspection.abstention import ASK


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=300) > 0, "yes", "no")
    return PlaneTreeClassifier().fit(X, y), X


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.1, 0.3, 1.0])
def test_a_row_is_answered_exactly_where_its_expected_error_is_within_the_limit(fitted, limit):
    model, X = fitted
    answers = model.predict_or_ask(X, max_expected_error=limit)
    asked = 1 - model.predict_proba(X).max(axis=1) > limit  # without costs it is the likeliest
    assert ((answers == ASK) == asked).all()
    assert (answers[~asked] == model.predict(X)[~asked]).all()


def test_a_row_outside_the_ranges_of_what_the_tree_reads_is_for_a_person(fitted):
    model, X = fitted
    assert set(model.features_used_) == {0, 1}
    inside = np.array([[2.0, 2.0, 0.0]])
    assert model.predict_or_ask(inside)[0] == "yes"
    assert model.predict_or_ask(inside * [1, 1, 0] + [0, 0, 99])[0] == "yes"  # it is not read
    assert model.predict_or_ask([[99.0, 2.0, 0.0]])[0] == ASK
    assert model.predict_or_ask([[X[:, 0].max(), 2.0, 0.0]])[0] == "yes"


def test_numbered_classes_keep_their_kind_and_a_bad_limit_is_refused():
    X = np.arange(40.0)[:, None]
    model = C45Classifier().fit(X, (X[:, 0] > 20).astype(int))
    assert model.predict_or_ask([[3.0], [99.0]]).tolist() == [0, ASK]
    with pytest.raises(ValueError, match="from 0 to 1"):
        model.predict_or_ask(X, max_expected_error=2)
