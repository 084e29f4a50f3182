"""Example tables as CSV: the numbers of scikit-learn, the class last."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from planetree.datasets import example_csv, known_examples
from planetree.exceptions import MethodError


@pytest.mark.parametrize(
    ("name", "load"),
    [("iris", load_iris), ("wine", load_wine), ("breast-cancer", load_breast_cancer)],
)
def test_the_cells_of_an_example_are_those_of_scikit_learn_to_the_bit(name, load):
    data = load()
    head, *rows = csv.reader(io.StringIO(example_csv(name)))
    assert head[:-1] == list(data.feature_names)
    assert np.array_equal([[float(cell) for cell in row[:-1]] for row in rows], data.data)
    assert [row[-1] for row in rows] == data.target_names[data.target].tolist()
    n_rows, n_columns = data.data.shape
    assert f"{n_rows} " in known_examples()[name]
    assert f"{n_columns} measurements" in known_examples()[name]


def test_an_example_that_there_is_not_is_refused(monkeypatch):
    with pytest.raises(MethodError, match="no data set 'irish'"):
        example_csv("irish")
