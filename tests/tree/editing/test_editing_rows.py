"""What grows from the rows of a part: the tree that a fit grows."""

import numpy as np
import pandas as pd
import pytest

from planetree import PlaneTreeClassifier, TreeEditor


def test_growing_the_root_again_gives_the_fitted_model_bit_for_bit(breast):
    model, X, y = breast
    again = TreeEditor(model, X, y).grow(0)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.to_text() == model.to_text()


@pytest.mark.parametrize("grading", ["leaf", None])
def test_an_edited_monotonic_tree_stays_monotonic(grading):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    y = X["a"] + 0.5 * X["b"] ** 2 + 0.5 * rng.normal(size=300) > 0.4
    signs = {"a": 1, "c": 1}
    model = PlaneTreeClassifier(size=0.3, grading=grading, monotonic_cst=signs).fit(X, y)
    editor = TreeEditor(model, X, y)
    with pytest.raises(ValueError, match="monotonic_cst"):
        editor.replace(0, ({"a": 1.0, "c": -1.0}, 0.0))
    for node, decision in ((0, "b > 0.7"), (1, "a > 0.1"), (0, ["a", "b"])):
        editor.replace(node, decision)
        steps = np.linspace(-3, 3, 61)
        for row in rng.normal(size=(30, 3)):
            line = pd.DataFrame(np.tile(row, (61, 1)), columns=list("abc")).assign(a=steps)
            assert (np.diff(editor.model_.predict_proba(line)[:, 1]) >= -1e-12).all()


def test_a_column_of_many_categories_is_edited_like_others():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 400)
    y = np.where(rng.random(400) < 0.9, city % 2, 1 - city % 2)
    X = pd.DataFrame({"a": rng.normal(size=400) + y, "city": [f"city {i}" for i in city]})
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    assert 1 in editor.model_.features_used_
    assert editor.forbid("city").features_used_.tolist() == [0]
    editor.undo()
    assert editor.split_on("a").tree_.splits[0].features.tolist() == [0]
    assert editor.split_on("city").tree_.splits[0].features.tolist() == [1]
    few = X[["city"]]
    alone = TreeEditor(PlaneTreeClassifier().fit(few, y), few, y)
    assert alone.grow().features_used_.tolist() == [0]
