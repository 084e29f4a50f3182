"""A decision that reads what is not there is refused, and one that fits passes."""

import numpy as np
import pytest

from planetree import C45Classifier, RobustSeparator
from planetree.exceptions import ModelFileError
from planetree.model_files.decisions import check_decisions, check_together, demand
from planetree.planes import Categories, Planes
from planetree.table import Column
from planetree.tree import Tree

COLUMNS = (Column("age"), Column("color", categories=("red", "blue")))


def stump(split, n_children=2):
    weights = np.ones((1 + n_children, 2))
    children = np.arange(1, 1 + n_children)
    n_branches = np.array([n_children] + [0] * n_children)
    leaves = (None,) * n_children
    return Tree((split, *leaves), n_branches, children, weights, [0] * len(weights), weights.sum(1))


FITTING = [
    Planes([[1.0]], [0.5], columns=[0]),
    Planes([[1.0, 2.0]], [0.5], columns=[0, 1], categories=[-1, 1]),
    Planes([[1.0]], [0.5], columns=[0], categories=[-3]),  # age squared
]


@pytest.mark.parametrize("planes", FITTING, ids=str)
def test_decisions_that_fit_their_columns_pass(planes):
    check_decisions(planes, COLUMNS, "model.planes_")
    check_decisions(stump(planes), COLUMNS, "model.tree_")
    check_decisions(stump(Categories(1, [0, 1])), COLUMNS, "model.tree_")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Planes([[1.0]], [0.5], columns=[2]), "2 columns to read"),
        (Planes([[1.0]], [0.5], columns=[1], categories=[2]), "does not have"),
        (Planes([[1.0]], [0.5], columns=[0], categories=[0]), "does not have"),
        (Planes([[1.0]], [0.5], columns=[0], categories=[-4]), "does not have"),  # age times color
        (Planes([[np.inf]], [0.5], columns=[0]), "finite"),
        (Planes([[1.0]], [0.5], columns=[0], unknown=2), "one of its branches"),
        (stump(Categories(1, [0, 1, 1])), "each of 2 categories"),
        (stump(Categories(1, [0, 2])), "has not 2 branches"),
        (stump(FITTING[0], n_children=3), "as many branches as 3"),
    ],
)
def test_decisions_that_read_what_is_not_there_are_refused(value, says):
    with pytest.raises(ModelFileError, match=says):
        check_decisions(value, COLUMNS, "model.tree_")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("n_features_in_", 7, "but 7 features"),
        ("coef_", np.zeros((1, 2)), "not the weights of planes_"),
        ("branch_codes_", np.array([1, 0]), "not the classes of the branches"),
        ("classes_", np.arange(3), "2 branches, but 3 classes"),
    ],
)
def test_parts_of_a_separator_that_do_not_fit_each_other_are_refused(name, value, says):
    model = RobustSeparator().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 0, 1])
    check_together(model, "model")
    setattr(model, name, value)
    with pytest.raises(ModelFileError, match=says):
        check_together(model, "model")


def test_negative_weights_are_no_tree_and_a_rule_must_hold_everywhere():
    model = C45Classifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    bad = stump(FITTING[0])
    object.__setattr__(bad, "class_weights", -bad.class_weights)
    with pytest.raises(ModelFileError, match="must not be negative"):
        check_decisions(bad, COLUMNS, "model.tree_")
    check_decisions(model.tree_, model.columns_, "model.tree_")
    demand(np.array([True, True]), "never")
    with pytest.raises(ModelFileError, match="one is not"):
        demand(np.array([True, False]), "one is not")
