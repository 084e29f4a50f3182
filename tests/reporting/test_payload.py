"""What the page computes with: the tree that predicts, and rows it gets wrong among those shown."""

import json

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, PlaneTreeClassifier
from planetree.planes import Planes
from planetree.reporting.payload import payload
from planetree.tree.inspection.rows_in_tree import rows_in_tree


def case(model):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=["a", "b", "unused", "d"])
    X["kind"] = rng.choice(["x", "y", "z"], 200)
    score = 2 * X.a + X.d + (X.kind == "x") + 0.8 * rng.normal(size=200)
    y = np.where(score > 0.5, "yes", "no")
    shown = rows_in_tree(model.fit(X, y), X, y)
    answers = np.searchsorted(model.classes_, model.predict(X))
    return shown, answers, json.loads(json.dumps(payload(shown, answers)))


@pytest.mark.parametrize("model", [C45Classifier(), PlaneTreeClassifier()], ids=repr)
def test_columns_are_those_that_decisions_read_with_their_ranges(model):
    shown, _, data = case(model)
    names = [column["name"] for column in data["columns"]]
    assert set(names) == {shown.columns[j].name for j in shown.tree.features}
    assert "unused" not in names or shown.tree.features.tolist().count(2)
    for column in data["columns"]:
        j = [each.name for each in shown.columns].index(column["name"])
        if "low" in column:
            assert (column["low"], column["high"]) == (
                shown.rows[:, j].min(),
                shown.rows[:, j].max(),
            )
        else:
            assert column["categories"] == ["x", "y", "z"]


@pytest.mark.parametrize("model", [C45Classifier(), PlaneTreeClassifier()], ids=repr)
def test_the_decisions_of_the_data_send_rows_as_the_tree_does(model):
    """A walk by the numbers of the page, read back from JSON, ends in the leaves of `apply`."""
    shown, _, data = case(model)
    order = [[each.name for each in shown.columns].index(c["name"]) for c in data["columns"]]
    leaves = shown.tree.apply(shown.rows)
    for row, leaf in zip(shown.rows[:, order], leaves, strict=True):
        node = 0
        while "split" in data["nodes"][node]:
            split = data["nodes"][node]["split"]
            if "branches" in split:
                branch = split["branches"][int(row[split["column"]])]
            else:
                terms = [
                    row[j] if code < 0 else float(row[j] == code)
                    for j, code in zip(split["columns"], split["categories"], strict=True)
                ]
                assert split["rule"] == "slabs"
                scores = np.array(split["weights"]) @ terms - split["offsets"]
                branch = int((scores > 0).sum())
            node = data["nodes"][node]["children"][branch]
        assert node == leaf
    assert any(isinstance(split, Planes) for split in shown.tree.splits)


def test_up_to_half_of_the_rows_to_start_from_are_wrong_and_all_have_their_classes():
    shown, answers, data = case(PlaneTreeClassifier())
    numbers = [row["number"] for row in data["rows"]]
    assert len(numbers) == len(set(numbers)) == 60
    wrong = answers[numbers] != shown.codes[numbers]
    assert wrong.sum() == min(30, (answers != shown.codes).sum())
    assert [row["class"] for row in data["rows"]] == shown.codes[numbers].tolist()
