"""The pieces of a file are its rows, once each and in order, as long as the file is the same."""

import os
from itertools import chain

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from planetree.exceptions import FileError
from planetree.table_files import pieces


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
    assert len([*pieces.dataset_pieces(dataset.dataset(path))]) == len(found)


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
