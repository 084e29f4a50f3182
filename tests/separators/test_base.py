"""What all separators share: predictions from planes, and the planes in words."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from planetree import GrinoldSeparator
from planetree.planes import Planes
from planetree.table import Column


def fitted(planes, classes, columns, scale):
    model = GrinoldSeparator()
    model.planes_, model.classes_ = planes, np.array(classes)
    model.columns_, model.scale_ = columns, np.array(scale)
    model.n_features_in_ = len(columns)
    return model


def test_a_plane_in_words_names_its_terms_the_one_that_matters_most_first():
    planes = Planes([[2.0, 0.0, -0.5]], [1.25], columns=[0, 1, 2], categories=[-1, -1, 1])
    columns = (Column("size"), Column("age"), Column("color", ("blue", "red")))
    model = fitted(planes, ["no", "yes"], columns, [0.1, 1.0, 0.5])
    said = "if 0.5 [color is red] - 2 size < -1.25: yes\notherwise: no"
    assert model.to_text() == said
    with pytest.warns(FutureWarning, match="to_text"):
        assert model.describe() == said


def test_planes_of_several_classes_in_words_are_their_scores():
    planes = Planes([[1.0], [0.0], [-1.0]], [0.5, -2.0, 0.0], "argmax")
    model = fitted(planes, ["a", "b", "c"], (Column("x"),), [1.0])
    assert model.to_text().splitlines() == [
        "scores",
        "    (1) x - 0.5",
        "    (2) 2",
        "    (3) -x + 0",
        "if score (1) is the largest: a",
        "if score (2) is the largest: b",
        "if score (3) is the largest: c",
    ]
    X = [[3.0], [0.0], [-3.0]]
    assert model.predict(X).tolist() == ["a", "b", "c"]
    assert model.decision_function(X).shape == (3, 3)


def test_nothing_is_said_before_fit():
    for ask in (GrinoldSeparator().to_text, lambda: GrinoldSeparator().predict([[1.0]])):
        with pytest.raises(NotFittedError):
            ask()


def test_a_category_is_an_indicator_and_keeps_its_name():
    frame = pd.DataFrame({"color": ["red", "blue", "red", "green"], "size": [1.0, 2.0, 3.0, 4.0]})
    model = GrinoldSeparator().fit(frame, ["warm", "cold", "warm", "cold"])
    assert model.separable_
    assert model.predict(frame).tolist() == ["warm", "cold", "warm", "cold"]
    assert "[color is red]" in model.term_names_
    assert model.coef_.shape == (1, 4)
    assert model.planes_.columns.tolist() == [0, 0, 0, 1]


def test_the_words_are_the_decision():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["p", "q"])
    y = np.where(X["p"] + X["q"] > 0, "up", "down")
    model = GrinoldSeparator().fit(X, y)
    first, last = model.to_text(digits=17, graded=False).splitlines()
    found = re.fullmatch(r"if (\S+) (p|q) ([+-]) (\S+) (p|q) ([<>]) (\S+): (up|down)", first)
    one, name, sign, two, other, compared, threshold, label = found.groups()
    score = float(one) * X[name] + float(sign + two) * X[other]
    held = score > float(threshold) if compared == ">" else score < float(threshold)
    assert last == f"otherwise: {({'up', 'down'} - {label}).pop()}"
    assert np.array_equal(held, model.predict(X) == label)
