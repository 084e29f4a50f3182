"""Alternatives of a decision: their figures are those of counting."""

import re
from dataclasses import replace

import numpy as np
import pytest
from editing_tables import three_classes

from planetree import PlaneTreeClassifier, TreeEditor
from planetree.tree.impurity import entropy


def test_alternatives_are_told_with_figures_that_counting_gives(breast):
    model, X, y = breast
    editor, rng = TreeEditor(model, X, y), np.random.default_rng(1)
    unseen = rng.choice(len(X), 100, replace=False)
    found = editor.alternatives(0, n=6, validation=(X.iloc[unseen], y.iloc[unseen]))
    assert len(found) == 6
    present = editor.present(0)
    for each in found:
        above = each.split.branch(X.to_numpy()) == 1
        sides = [np.bincount(y[mask], minlength=2) for mask in (above, ~above)]
        assert each.entropy == pytest.approx(sum(entropy(s.astype(float)) for s in sides))
        assert each.errors == sum(s.min() for s in sides)
        assert each.difference == pytest.approx(each.cost - present.cost)
        labels = np.where(above, sides[0].argmax(), sides[1].argmax())
        assert each.unseen_error == pytest.approx((labels != y)[unseen].mean())
    assert [each.cost for each in found] == sorted(each.cost for each in found)


def test_near_equal_trees_are_within_the_bound_and_can_be_taken(breast):
    _, X, y = breast
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    found = editor.near_equal(within=0.3, n=2)
    assert found
    assert all(each.ratio <= 1.3 for each in found)
    taken = editor.replace(found[0].node, found[0].alternative)
    assert (taken.predict(X) != y).mean() == pytest.approx(found[0].training_error)
    assert taken.n_terms_ == found[0].n_terms


def test_planes_for_classes_pay_for_their_further_weights_and_are_said_whole():
    X, y = three_classes()
    model = PlaneTreeClassifier().fit(X, y)
    present = TreeEditor(model, X, y).present(0)
    split = model.tree_.splits[0]
    further = np.count_nonzero(split.weights) - split.n_terms
    unit = np.log(2) + np.log(300) / 2  # two terms, 300 rows
    price = 0.75 * (split.n_terms * unit + further * np.log(300) / 2)
    assert present.price == pytest.approx(price)
    assert present.words.startswith("the largest of (1) ")


def test_counts_of_rows_in_part_have_one_digit_and_no_difference_is_below_zero():
    """Once '49.835 rows wrong', and '-0.0' where the price is the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)).round(1)
    y = X[:, 0] + rng.normal(size=80) > 0
    X[:7, 0] = np.nan
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    said = [str(editor.present(0)), *map(str, editor.alternatives(0))]
    assert all(re.search(r", \d+(\.\d)? wrong$", each) for each in said)
    same = replace(editor.present(0), difference=-1e-9)
    assert "terms, +0.0)" in str(same)
