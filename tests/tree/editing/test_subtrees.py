"""Subtrees that take the place of others: what is locked stays, what is asked for is proved."""

import numpy as np
import pytest
from editing_tables import three_classes

from planetree import PlaneTreeClassifier, TreeEditor


def test_a_plane_over_given_columns_is_proved_and_no_other_weights_do_better(breast):
    """The bound of its program lies below what any other plane of the columns has."""
    _, X, y = breast
    editor = TreeEditor(PlaneTreeClassifier(grading=None).fit(X, y), X, y)
    edited = editor.replace(0, ["worst area", "worst texture"], below="close")
    certificate = edited.certificates_[0]
    assert certificate.kind == "set by hand: linear program"
    assert certificate.gap < 1e-6
    Z = X[["worst area", "worst texture"]].to_numpy()
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    side = np.where(y == 0, 1.0, -1.0)
    rng = np.random.default_rng(0)
    for w in rng.normal(scale=2, size=(300, 2)):
        offsets = np.quantile(Z @ w, np.linspace(0.05, 0.95, 19))
        margins = side[:, None] * (Z @ w[:, None] - offsets)
        hinge = 2 * np.maximum(0, 1 - margins).mean(axis=0) + 0.02 * np.abs(w).sum()
        assert hinge.min() >= certificate.bound - 1e-9


def test_a_locked_node_and_the_way_to_it_stay_when_the_rest_is_grown_again(breast):
    model, X, y = breast
    editor = TreeEditor(model, X, y)
    editor.replace(0, "mean radius > 15")
    locked = int(editor.model_.tree_.children_of(0)[1])
    assert editor.model_.tree_.splits[locked] is not None
    editor.lock(locked)
    before = editor.model_
    with pytest.raises(ValueError, match="locked"):
        editor.replace(locked, "mean area > 700")
    with pytest.raises(ValueError, match="locked"):
        editor.close(0)
    after = editor.grow(0)
    at = int(after.tree_.children_of(0)[1])
    assert after.tree_.splits[at] is before.tree_.splits[locked]
    kept = editor.replace(0, "mean radius > 14", below="keep")
    split = kept.tree_.splits[int(kept.tree_.children_of(0)[1])]
    assert split is before.tree_.splits[locked]
    assert kept.certificates_[-1].status == "unproved"
    assert any("found on other rows" in each.kind for each in kept.certificates_)


def test_what_is_below_planes_for_classes_is_not_dropped_where_it_was_to_be_kept():
    X, y = three_classes()
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    assert editor.model_.tree_.n_branches[0] == 3
    editor.lock(1)
    with pytest.raises(ValueError, match="3 branches and the new one 2"):
        editor.replace(0, "a > 0", below="keep")


def test_a_decision_that_a_person_asks_for_is_found_whatever_the_time_limit_of_growing():
    X, y = three_classes()
    model = PlaneTreeClassifier().fit(X, y).set_params(time_limit=1e-9)
    editor = TreeEditor(model, X, y)
    assert editor.split_on(["a", "b"]).tree_.splits[0].features.tolist() == [0, 1]
