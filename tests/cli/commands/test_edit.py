"""`planetree alternatives` and `planetree edit`: the same as the editor, from the command."""

import numpy as np
import pytest

from planetree import TreeEditor, load


def test_edits_are_made_in_order_and_kept_in_the_model_file(files):
    edits = ["replace 0: age > 0.25", "split 1: dose, c", "forbid 2: color", "lock 1"]
    given = [part for each in edits for part in ("--do", each)]
    done = files(
        "edit", "model.json", "rows.csv", "-t", "label", "-o", "new.json", "--cost", *given
    )
    assert done.code == 0
    assert "cross-validated error" in done.out
    editor = TreeEditor(files.model, files.table, files.labels)
    editor.replace(0, "age > 0.25")
    editor.replace(1, ["dose", "c"])
    editor.forbid("color", 2)
    model, again = editor.lock(1), load(files.folder / "new.json")
    assert again.edits_ == editor.history == model.edits_
    assert np.array_equal(again.predict_proba(files.table), model.predict_proba(files.table))
    assert again.certificates_[0].kind == "set by hand"


def test_an_alternative_is_taken_by_its_place_in_the_list(files):
    done = files(
        "edit", "model.json", "rows.csv", "-t", "label", "-o", "n.json", "--do", "take 0: 2"
    )
    assert done.code == 0
    editor = TreeEditor(files.model, files.table, files.labels)
    model = editor.replace(0, editor.alternatives(0)[1])
    again = load(files.folder / "n.json")
    assert np.array_equal(again.predict_proba(files.table), model.predict_proba(files.table))


@pytest.mark.parametrize(
    ("edit", "code", "says"),
    [
        ("turn 0", 2, "is not an edit"),
        ("close", 2, "names no node"),
        ("take 0: 99", 2, "alternatives, so there is no number 99"),
        ("replace 0: height > 3", 3, "names no column"),
        ("replace 0: age > 300", 3, "empty branch"),
        ("close 99", 3, "'node'"),
        ("relabel 1: maybe", 3, "'maybe'"),
    ],
)
def test_an_edit_that_cannot_be_made_writes_nothing(files, edit, code, says):
    done = files("edit", "model.json", "rows.csv", "-t", "label", "-o", "new.json", "--do", edit)
    assert done.refused(code, says)
    assert not (files.folder / "new.json").exists()
