"""What a model says of the rows of a file: predictions beside their cells, and why."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, DiscriminantPowerSelector, PlaneTreeClassifier
from planetree.evaluation.rows import _same_anywhere, explanation_data, prediction_table
from planetree.exceptions import ColumnError, FileError
from planetree.table_files import read_file
from planetree.tree import fitted_tree


@pytest.fixture(scope="module")
def model():
    X = np.array([[1.0], [2.0], [3.0], [4.0]] * 3)
    return C45Classifier(smoothing="laplace").fit(X, np.where(X[:, 0] > 2, "high", "low"))


def opened(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    file = read_file(path)
    return file, file.frame.select([name for name in file.frame.column_names if name != "note"])


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_classes_and_probabilities_are_those_of_the_model(model, tmp_path):
    file, frame = opened(tmp_path, "x0\n1.5\n3.5\n")
    answers, text = prediction_table(model, frame, file, probabilities=True, keep=False)
    head, *rows = rows_of(text)
    assert head == ["prediction", "probability of high", "probability of low"]
    assert [row[0] for row in rows] == answers == model.predict([[1.5], [3.5]]).tolist()
    shares = [[float(cell) for cell in row[1:]] for row in rows]
    assert shares == model.predict_proba([[1.5], [3.5]]).tolist()


def test_kept_cells_stand_before_the_answers(model, tmp_path):
    file, frame = opened(tmp_path, "x0,note\n1.5,first\n3.5,\n")
    _, text = prediction_table(model, frame, file, probabilities=False, keep=True)
    assert rows_of(text) == [
        ["x0", "note", "prediction"], ["1.5", "first", "low"], ["3.5", "", "high"],
    ]  # fmt: skip


def test_a_column_of_the_same_name_and_a_model_that_cannot_predict_are_refused(model, tmp_path):
    file, frame = opened(tmp_path, "x0,prediction\n1.5,a\n")
    with pytest.raises(ColumnError, match="'prediction' already"):
        prediction_table(model, frame.select(["x0"]), file, probabilities=False, keep=True)
    selector = DiscriminantPowerSelector().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    with pytest.raises(FileError, match="cannot predict"):
        prediction_table(selector, frame, file, probabilities=False, keep=False)


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
