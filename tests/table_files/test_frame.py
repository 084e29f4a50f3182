"""A file that is read as it is told: with a delimiter of its own, and under other names."""

import pytest

from planetree.exceptions import FileError
from planetree.table_files import Reading, read_file


def test_a_delimiter_that_is_given_is_used(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a:b,c\n1:2\n")
    found = read_file(path, Reading(delimiter=":"))
    assert (found.frame.column_names, found.delimiter) == (["a", "b,c"], ":")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_columns_are_read_under_other_names(tmp_path, name):
    path = tmp_path / name
    path.write_text("AGE,dose\n1,2\n" if name == "t.csv" else '{"AGE": 1, "dose": 2}\n')
    found = read_file(path, Reading(renamed={"AGE": "age"}))
    assert found.frame.to_pydict() == {"age": [1], "dose": [2]}
    with pytest.raises(FileError, match="two columns named 'dose'"):
        read_file(path, Reading(renamed={"AGE": "dose"}))


def test_rows_that_are_kept_have_the_names_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("AGE,dose\n1,2\n")
    found = read_file(path, Reading(renamed={"AGE": "age"}, keep=True))
    assert found.records == ["AGE,dose", "1,2"]
