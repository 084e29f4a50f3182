"""Why a row gets its class, in words that a person can check by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.tree import Explanations, fitted_tree
from planetree.tree.inspection.explanation_text import _same_anywhere, explanation_data


def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"vessels": rng.integers(0, 4, 200), "peak": rng.random(200).round(2)})
    rows["pain"] = np.where(rng.random(200) < 0.5, "yes", "no")
    score = rows["vessels"] + 3 * rows["peak"] + (rows["pain"] == "yes") + rng.normal(size=200)
    return rows, np.where(score > 3.5, "ill", "well")


def test_changes_in_words_are_numbers_that_occur():
    """Rounding to few digits once left the range of the column; 0.26 vessels were named."""
    rows, y = table()
    model = PlaneTreeClassifier().fit(rows, y)
    for row in range(0, 60, 7):
        data = explanation_data(model, rows, row)
        assert data["answer"] == model.predict(rows.iloc[[row]])[0]
        for change in data["changes"]:
            column = rows[change["column"]]
            if change["column"] == "pain":
                assert change["new_value"] in set(column)
            else:
                assert column.min() <= change["new_value"] <= column.max()
            if change["column"] == "vessels":
                assert change["new_value"] == round(change["new_value"])
            moved = rows.iloc[[row]].assign(**{change["column"]: change["new_value"]})
            assert model.predict(moved)[0] == change["answer"] != data["answer"]


def test_the_text_has_the_path_the_changes_and_the_radius():
    model = C45Classifier(min_cases=1).fit([[1.5], [2.5], [4.5], [5.5]], list("aabb"))
    lines = model.explain([[1.5]]).to_text().splitlines()
    assert lines[0] == "Row 0: predicted a; 100% of training rows in this leaf are a."
    assert lines[2:4] == ["1. x0", "   is 1.5: <= 2.5, 1 from the border"]
    assert lines[6].startswith("  x0: 1.5 -> 2.")
    assert lines[6].endswith(" gives b")
    assert lines[7].endswith("deviations do not change it.")


def test_a_separator_which_keeps_no_ranges_tells_no_radius():
    rows, y = table()
    numbers = rows[["vessels", "peak"]]
    model = RobustSeparator().fit(numbers, y)
    assert np.isnan(explanation_data(model, numbers, 3)["radius"])
    assert "deviations" not in Explanations(model, numbers).to_text(3)


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
