"""The pieces of a file are its rows, once each and in order, as long as the file is the same."""

import csv
import os
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import dataset, parquet

from planetree.exceptions import FileError
from planetree.table_files import pieces
from planetree.table_files.folders import dataset_pieces
from planetree.table_files.frame import read_file


@pytest.fixture
def path(tmp_path):
    parquet.write_table(pa.table({"x": range(100)}), tmp_path / "t.parquet", row_group_size=7)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize("rows", [1, 20, 500_000])
def test_pieces_are_all_rows_in_order(path, rows, monkeypatch):
    monkeypatch.setattr(pieces, "_ROWS", rows)
    found = [piece.read()["x"].to_pylist() for piece in pieces.file_pieces(path)]
    assert [*chain(*found)] == [*range(100)]
    assert all(len(each) >= rows for each in found[:-1])
    assert len(found) == {1: 15, 20: 5, 500_000: 1}[rows]
    assert len([*dataset_pieces(dataset.dataset(path))]) == len(found)


def test_a_file_of_another_kind_is_one_piece(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    (piece,) = pieces.file_pieces(tmp_path / "t.csv")
    assert piece.read()["x"].to_pylist() == [1, 2]
    assert piece.name == str(tmp_path / "t.csv")


def test_a_file_that_changed_or_went_or_is_no_parquet_is_refused(path):
    (piece,) = pieces.file_pieces(path)
    os.utime(path, ns=(0, 0))
    with pytest.raises(FileError, match="has changed since it was opened"):
        piece.read()
    path.unlink()
    with pytest.raises(FileError, match="cannot be read"):
        piece.read()
    path.write_text("no table")
    with pytest.raises(FileError, match="is not a valid Parquet file"):
        next(pieces.file_pieces(path))


@settings(max_examples=40, deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.integers(-(2**53), 2**53), st.text(alphabet='ab",\n;é', max_size=6)),
        min_size=1,
        max_size=60,
    ),
    block=st.integers(5, 200),
    chunk=st.integers(1, 40),
)
def test_blocks_of_a_text_are_all_rows_in_order(cells, block, chunk):
    """Line breaks between quotes end no row."""
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        path = Path(home) / "t.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            writer.writerows([("number", "the\ntext"), *((n, "x" + text) for n, text in cells)])
        whole = read_file(path).frame
        patch.setattr(pieces, "_BLOCK", block)
        patch.setattr(pieces, "_COPIED", chunk)
        found = [*pieces.file_pieces(path)]
        rows = pa.concat_tables([each.read() for each in found], promote_options="permissive")
        assert rows.column_names == whole.column_names
        assert [*map(str, rows[0].to_pylist())] == [*map(str, whole[0].to_pylist())]
        assert rows[1].to_pylist() == whole[1].to_pylist()
        if path.stat().st_size > block:
            assert all("bytes" in each.name for each in found)
            ends = [each.block.end for each in found]
            assert ends[-1] == path.stat().st_size


def test_a_large_text_is_many_blocks_and_its_faults_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "_BLOCK", 100)
    monkeypatch.setattr(pieces, "_COPIED", 20)
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(200)))
    found = [*pieces.file_pieces(path)]
    assert len(found) > 5
    assert [*chain(*(each.read()["x"].to_pylist() for each in found))] == [*range(200)]
    path.write_text("x,y\n" + "1,2\n" * 100 + "1,2,3\n")
    *_, last = pieces.file_pieces(path)
    with pytest.raises(FileError, match=r"t\.csv, bytes \d+ to \d+"):
        last.read()
    path.write_text("x,y\n" + "1,2\n" * 100, encoding="utf-16")
    (only,) = pieces.file_pieces(path)  # a line break may be half a letter
    assert only.block is None
