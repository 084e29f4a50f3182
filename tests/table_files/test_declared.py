"""Tables that declare their columns: ARFF, and C4.5's names."""

import pyarrow as pa
from pyarrow import parquet
from written_files import NUMBERS, written

from planetree.table_files import read_examples, read_file
from planetree.table_files.declared import _statements


def test_arff_and_parquet_give_the_same_table(tmp_path):
    arff = "@attribute size real\n@attribute 'color' {blue,red}\n@data\n"
    arff += "1.5,red\n2,?\n?,'blue'\n4.25,red\n"
    assert read_file(written(tmp_path, arff, "t.arff")).frame.to_pydict() == NUMBERS
    parquet.write_table(pa.table(NUMBERS), tmp_path / "t.parquet")
    assert read_file(tmp_path / "t.parquet").frame.to_pydict() == NUMBERS


def test_declared_values_stand_whether_or_not_a_row_has_them(tmp_path):
    written(tmp_path, "yes, no.\ncolor: red, green,\n  blue.\nday: ignore.\n", "t.names")
    written(tmp_path, "red, d1, yes.\nblue, d2, no.\nred, d3, yes\n", "t.data")
    found = read_examples(tmp_path / "t.data", None)
    assert found.target == "class"
    assert found.kinds() == {"color": "3 categories"}
    assert found.frame.column("color").chunk(0).dictionary.to_pylist() == ["red", "green", "blue"]
    assert found.labels.tolist() == ["yes", "no", "yes"]


def test_statements_of_names_end_at_a_period_before_a_blank_or_at_the_line():
    text = "a, b.  | classes\nx: 1.5, 2.5. y: continuous\nz: a\\, b, c."
    assert _statements(text) == ["a, b", "x: 1.5, 2.5", "y: continuous", "z: a\\, b, c"]
