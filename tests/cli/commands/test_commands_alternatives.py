"""`planetree alternatives`: those of the editor."""

import pytest

from planetree import TreeEditor


def test_alternatives_are_those_of_the_editor(files):
    asked = "alternatives", "model.json", "rows.csv", "--target", "label", "-n", "3"
    done = files(*asked, "--validation", "rows.csv", "--json")
    editor = TreeEditor(files.model, files.table, files.labels)
    found = editor.alternatives(0, n=3, validation=(files.table, files.labels))
    assert [each["decision"] for each in done.json["alternatives"]] == [a.words for a in found]
    assert [each["difference"] for each in done.json["alternatives"]] == pytest.approx(
        [each.difference for each in found]
    )
    assert "(present)" in files(*asked).out
