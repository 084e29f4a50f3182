"""A table in files is whole: with what names of folders say, and without what is no part of it."""

import numpy as np
import pytest

from planetree.distributed import open_partitions
from planetree.table_files.folders import dataset_pieces, path_pieces

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "a": rng.normal(size=60),
            "year": rng.integers(2020, 2023, 60),
            "place": rng.choice(["north pole", "a=b"], 60),
            "kind": rng.choice(["yes", "no"], 60),
        }
    )


def _rows(frames):
    """All rows, sorted, whatever the order of the columns."""
    return sorted(tuple(sorted(row.items())) for each in frames for row in each.to_pylist())


@pytest.fixture
def home(frame, tmp_path):
    """The table as Spark and pyarrow write it, with files beside it that are no part of it."""
    pq.write_to_dataset(frame, tmp_path / "home", partition_cols=["year", "place"])
    (tmp_path / "home" / "_SUCCESS").touch()
    (tmp_path / "home" / ".cache").mkdir()
    (tmp_path / "home" / ".cache" / "old.parquet").write_bytes(b"no table")
    return tmp_path / "home"


def test_columns_in_the_names_of_folders_are_read(frame, home):
    """They were lost in silence: the model had a column less."""
    expected = _rows([frame])
    hive = ds.dataset(home, partitioning="hive")
    pattern = home / "**" / "*.parquet"
    for pieces in (path_pieces(home), path_pieces(pattern), dataset_pieces(hive)):
        assert _rows(each.read() for each in pieces) == expected


def test_a_folder_without_a_value_leaves_its_column_missing(tmp_path):
    for folder, value in (("x=1", 0.5), ("x=__HIVE_DEFAULT_PARTITION__", 1.5)):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"a": [value]}), tmp_path / folder / "0.parquet")
    assert _rows(each.read() for each in path_pieces(tmp_path)) == [
        (("a", 0.5), ("x", 1)),
        (("a", 1.5), ("x", None)),
    ]


def test_a_single_file_takes_nothing_from_the_folders_above_it(tmp_path):
    (tmp_path / "run=3").mkdir()
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "run=3" / "0.parquet")
    (piece,) = path_pieces(tmp_path / "run=3" / "0.parquet")
    assert piece.read().column_names == ["a"]


def test_the_filter_of_a_dataset_is_not_lost(frame, home):
    """Its files were read whole in silence."""
    some = ds.dataset(home, partitioning="hive").filter(ds.field("a") > 0)
    with pytest.raises(ValueError, match="without its filter"):
        open_partitions(some, target="kind")


def test_a_dataset_has_the_columns_of_its_schema(home):
    some = ds.dataset(home, schema=pa.schema({"kind": pa.string(), "a": pa.float64()}))
    assert {tuple(each.read().column_names) for each in dataset_pieces(some)} == {("kind", "a")}


def test_datasets_in_memory_and_of_datasets_are_read(frame, home):
    both = ds.dataset(
        [ds.dataset(home, partitioning="hive"), ds.dataset(home, partitioning="hive")]
    )
    assert _rows(each.read() for each in dataset_pieces(both)) == _rows([frame, frame])
    kept = ds.dataset(frame)
    assert _rows(each.read() for each in dataset_pieces(kept)) == _rows([frame])
    assert open_partitions(kept, target="kind").overview(100).class_weights.sum() == 60


def test_a_dataset_of_another_file_system_is_read_by_row_groups(frame):
    fs = pytest.importorskip("pyarrow.fs")
    elsewhere = fs._MockFileSystem()
    with elsewhere.open_output_stream("all.parquet") as sink:
        pq.write_table(frame, sink, row_group_size=25)
    pieces = list(dataset_pieces(ds.dataset("all.parquet", filesystem=elsewhere)))
    assert len(pieces) == 3
    assert _rows(each.read() for each in pieces) == _rows([frame])
