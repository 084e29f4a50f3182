"""What fitted trees answer: the class of least expected cost, and of equals the first in order."""

import numpy as np
import pytest
from sklearn.base import clone

from planetree import (
    C45Classifier,
    HoldoutTreeClassifier,
    PlaneTreeClassifier,
    SeparatorTreeClassifier,
)
from planetree.grading import MARGIN
from planetree.tree.classifier import least_cost

pytestmark = pytest.mark.core


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0]])
def test_equal_shares_tie_however_the_sums_of_the_others_round(order):
    """The bug: with four classes, 0.1 + 0.2 + 0.35 and 0.35 + 0.1 + 0.2 were different costs."""
    rng = np.random.default_rng(0)
    shares = rng.random((500, 4))
    shares[:, 3] = shares[:, 0] = shares.max(axis=1)
    chosen = least_cost(shares, 1.0 - np.eye(4), np.array(order))
    assert (chosen == order[0]).all()


MODELS = [
    (PlaneTreeClassifier(size=0.2, grading=None), MARGIN),
    (SeparatorTreeClassifier(), MARGIN),
    (HoldoutTreeClassifier(), 1e-15),
]


@pytest.mark.parametrize(("model", "margin"), MODELS, ids=repr)
@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"]])
def test_the_largest_share_is_that_of_the_predicted_class_also_in_a_tie(model, margin, labels):
    """The bug: a tie was predicted by the order of classes, but argmax takes the first label."""
    X = np.array([[1.0], [1.0], [2.0], [2.0]] * 3)
    y = np.array(labels)[[0, 1] * 6]
    model = clone(model).fit(X, y)
    shares = model.predict_proba(X)
    assert model.classes_[shares.argmax(axis=1)].tolist() == model.predict(X).tolist()
    assert shares.sum(axis=1).tolist() == [1.0] * len(X)
    # graded ones keep the class by so much
    np.testing.assert_allclose(shares, 0.5, rtol=0, atol=margin)


@pytest.mark.parametrize("seed", range(3))
def test_the_answer_is_the_class_of_the_least_expected_cost(seed):
    """By hand, for every class: sum over true classes of share times cost."""
    rng = np.random.default_rng(seed)
    shares, costs = rng.dirichlet(np.ones(4), 50), rng.random((4, 4)) * (1.0 - np.eye(4))
    expected = [[sum(p[i] * costs[i, j] for i in range(4)) for j in range(4)] for p in shares]
    found = least_cost(shares, costs)
    assert found.tolist() == np.argmin(expected, axis=1).tolist()
    by_shares = least_cost(shares, 1.0 - np.eye(4))
    assert by_shares.tolist() == shares.argmax(axis=1).tolist()


def test_a_fitted_tree_counts_its_parts_and_tells_the_ways_of_rows():
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]] * 4)
    model = C45Classifier().fit(X, np.where(X[:, 0] > 1, "b", "a"))
    assert (model.n_leaves_, model.get_n_leaves(), model.get_depth(), model.n_terms_) == (
        2,
        2,
        1,
        1,
    )
    assert (model.features_used_.tolist(), model.feature_names_used_) == ([0], ["x0"])
    path = model.decision_path(X).toarray()
    assert path[:, 0].all()
    assert np.array_equal(path.sum(axis=1), [2] * 16)
    assert path[np.arange(16), model.apply(X)].all()
    assert model.feature_importances_.tolist() == [1.0, 0.0]
