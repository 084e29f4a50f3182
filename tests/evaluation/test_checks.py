"""Columns that give the class away or name the row are pointed out; honest columns are not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from planetree.evaluation.checks import check_data

Y = np.random.default_rng(0).permutation(np.repeat(["no", "yes"], [120, 80]))


def said_of(name, cells, y=Y):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"noise": rng.normal(size=len(y)), name: cells})
    notes = check_data(frame, y)
    assert not any("'noise'" in note for note in notes)
    return " ".join(note for note in notes if repr(name) in note)


def test_a_copy_of_the_class_is_called_one():
    assert "is a copy of the class" in said_of("outcome", Y)
    numbers = np.random.default_rng(3).integers(0, 3, 90)
    assert "is a copy of the class" in said_of("outcome", numbers.astype(float), numbers)


def test_a_column_that_alone_predicts_the_class_is_named_with_the_option_to_leave_it_out():
    rng = np.random.default_rng(2)
    score = np.where(Y == "yes", 3.0, -3.0) + rng.uniform(size=200)
    said = said_of("score", score)
    assert "alone predicts the class almost perfectly" in said
    assert "--ignore 'score'" in said
    score[0] = -score[0]  # one exception among 200 rows
    assert "almost perfectly" in said_of("score", score)
    assert not said_of("score", score + 2 * rng.normal(size=200))
    refund = np.where(Y == "yes", rng.choice(["paid", "sent"], 200), "none")
    assert "almost perfectly" in said_of("refund", refund)
    gone = np.where(Y == "yes", np.nan, 1.0)  # missing where the class is yes
    assert "almost perfectly" in said_of("date of death", gone)


def test_a_column_that_names_the_row_is_called_an_identifier():
    assert "identifier" in said_of("row", np.random.default_rng(0).permutation(200))
    keys = np.random.default_rng(0).choice(10**6, 200, replace=False)
    assert "identifier" in said_of("patient_id", keys)
    assert not said_of("income", keys)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_honest_tables_are_left_in_peace(load):
    X, y = load(return_X_y=True, as_frame=True)
    assert check_data(X, y) == []


def test_very_unequal_classes_are_pointed_out_with_what_to_do():
    y = np.repeat(["fine", "fraud"], [999, 1])
    (note,) = check_data(np.zeros((1000, 1)), y)
    assert "fraud is 0.10% of the rows" in note
    assert "--class-weight balanced" in note
    assert "costs" in note
    assert check_data(np.zeros((1000, 1)), np.repeat(["a", "b"], [900, 100])) == []
