"""Rows with their classes: kinds kept, weights checked, columns left out with a reason."""

import pytest
from written_files import written

from planetree.exceptions import FileError
from planetree.table_files import Reading, read_examples


def test_weights_are_read_and_bad_ones_named(tmp_path):
    path = written(tmp_path, "a,w,class\n1,2,x\n2,0.5,y\n")
    assert read_examples(path, "class", sample_weight="w").weights.tolist() == [2.0, 0.5]
    path = written(tmp_path, "a,w,class\n1,-2,x\n2,0.5,y\n")
    with pytest.raises(FileError, match="'w' holds -2"):
        read_examples(path, "class", sample_weight="w")


def test_a_column_that_is_declared_to_be_categories_is_never_left_out(tmp_path):
    path = written(tmp_path, "id,class\n" + "".join(f"n{i},{'xy'[i % 2]}\n" for i in range(60)))
    with pytest.raises(FileError, match="60 different values"):
        read_examples(path, "class")
    found = read_examples(path, "class", reading=Reading(categorical=["id"]))
    assert found.kinds() == {"id": "60 categories"}


@pytest.mark.parametrize(
    ("cell", "kind"), [("1", int), ("1.0", int), ("1.5", float), ("true", bool)]
)
def test_classes_keep_their_kind(tmp_path, cell, kind):
    found = read_examples(written(tmp_path, f"a,class\n1,{cell}\n2,0\n3,{cell}\n"), "class")
    assert isinstance(found.labels.tolist()[0], kind)


def test_classes_with_leading_zeros_are_text_with_a_note(tmp_path):
    """Classes 01 and 1 were once one class, and 007 became 7 without a note."""
    found = read_examples(written(tmp_path, "a,class\n1,01\n2,1\n3,2\n"), "class")
    assert found.labels.tolist() == ["01", "1", "2"]
    assert "'01'" in " ".join(found.notes)
    plain = read_examples(written(tmp_path, "a,class\n1,0.5\n2,-.5e1\n3,2.\n4,1e3\n"), "class")
    assert plain.labels.tolist() == [0.5, -5.0, 2.0, 1000.0]
    assert not plain.notes
