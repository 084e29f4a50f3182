"""A table with its classes is read once, and summed up."""

import json

import pandas as pd

import planetree
from planetree.evaluation.reading import read_training_table
from planetree.evaluation.validation import fit_in_time


def test_a_table_is_read_once_and_summed_up(path, capsys):
    rows = read_training_table(path, "y")
    assert rows.table.named
    assert [column.name for column in rows.table.columns] == ["noise", "size", "shade"]
    assert rows.summary["columns"]["shade"] == "2 categories"
    json.dumps(rows.summary)
    assert capsys.readouterr() == ("", "")


def test_a_fit_to_the_table_is_the_fit_to_the_frame(path):
    rows = read_training_table(path, "y")
    frame = pd.read_csv(path)
    for model in (planetree.C45Classifier(), planetree.RobustSeparator()):
        one = fit_in_time(model, rows, None)
        other = planetree.C45Classifier() if "C45" in repr(model) else planetree.RobustSeparator()
        other.fit(frame.drop(columns="y"), frame["y"])
        assert one.feature_names_in_.tolist() == other.feature_names_in_.tolist()
        shuffled = frame[["shade", "noise", "size"]]
        assert one.predict(shuffled).tolist() == other.predict(shuffled).tolist()
