"""What a model says of the rows of a file: predictions beside their cells, and why."""

import csv
import io

import numpy as np
import pytest

from planetree import C45Classifier, DiscriminantPowerSelector
from planetree.evaluation.rows import prediction_table
from planetree.exceptions import ColumnError, FileError
from planetree.table_files import read_file


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
