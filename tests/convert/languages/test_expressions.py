"""Formulas as text: deep trees nest little, and names that a language lacks are refused."""

import numpy as np
import pandas as pd
import pytest
from export_targets import TARGETS, answers

from planetree import (
    C45Classifier,
    MultisurfaceClassifier,
    RobustSeparator,
)
from planetree.convert import to_c, to_python


@pytest.mark.parametrize("name", ["", "1x", "a b", "class", "for", "row", "ß", "x;"])
@pytest.mark.parametrize("function", [to_python, to_c])
def test_names_that_a_language_does_not_have_are_refused(function, name):
    model = RobustSeparator().fit([[0.0], [1.0]], [0, 1])
    if name == "ß" and function is to_python:
        assert "def ß(row)" in function(model, name)
    else:
        with pytest.raises(ValueError, match="name must be"):
            function(model, name)


def test_hundreds_of_nested_pairs_are_no_matter(tmp_path):
    """Python allows 100 steps of indentation, SQLite 1000 of nesting."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    model = MultisurfaceClassifier().fit(X, rng.integers(0, 2, 150))
    assert model.n_pairs_ > 20
    frame = pd.DataFrame().assign(x0=rng.normal(size=500), x1=rng.normal(size=500))
    for target in TARGETS:
        found = answers(target, model, frame, tmp_path)
        assert np.array_equal(found.astype(int), model.predict(frame.to_numpy())), target


def test_a_leaf_alone_can_be_said(tmp_path):
    model = C45Classifier().fit([[0.0], [1.0], [0.5]], ["a", "a", "a"])
    frame = pd.DataFrame().assign(x0=[1.0, np.nan])
    for target in TARGETS:
        assert answers(target, model, frame, tmp_path).tolist() == ["a", "a"]
