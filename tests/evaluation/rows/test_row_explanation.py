"""Why a row gets its class, as data: the numbers are those of the model."""

import json

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, PlaneTreeClassifier
from planetree.evaluation.rows.row_explanation import _same_anywhere, explanation_data
from planetree.tree import fitted_tree


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["age", "dose"])
    frame["color"] = rng.choice(["red", "blue"], 80)
    y = np.where(
        frame.age + (frame.color == "red") + 0.3 * rng.normal(size=80) > 0.5, "ill", "well"
    )
    return frame, y


@pytest.mark.parametrize("model", [C45Classifier(), PlaneTreeClassifier()], ids=repr)
def test_answer_shares_and_steps_are_those_of_the_model(model, rows):
    X, y = rows
    model.fit(X, y)
    tree = fitted_tree(model).tree
    for row in (0, 7, 33):
        said = explanation_data(model, X, row)
        assert said["answer"] == model.predict(X.iloc[[row]])[0]
        shares = dict(zip(model.classes_, model.predict_proba(X.iloc[[row]])[0], strict=True))
        assert said["shares"] == pytest.approx(shares)
        assert sum(way["share"] for way in said["ways"]) == pytest.approx(1.0)
        assert len(said["steps"]) <= tree.n_decisions
        json.dumps(said)


@pytest.mark.parametrize("model", [C45Classifier(), PlaneTreeClassifier()], ids=repr)
def test_the_change_in_few_digits_still_gives_the_other_answer(model, rows):
    X, y = rows
    model.fit(X, y)
    said = explanation_data(model, X, 0)
    assert said["changes"]
    for change in said["changes"]:
        other = X.iloc[[0]].assign(**{change["column"]: change["new_value"]})
        assert model.predict(other)[0] == change["answer"] != said["answer"]


def test_sums_have_the_digits_that_every_processor_agrees_on():
    assert _same_anywhere(15.026399999999999) == _same_anywhere(15.0264) == 15.0264
