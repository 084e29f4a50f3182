"""Tables in parts come from files, lazy frames and lists, piece by piece."""

import pandas as pd
import pytest
from parted_rows import assert_like

from planetree import RobustSeparator
from planetree.distributed import open_partitions

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_files_of_parquet_and_text_are_read_piece_by_piece(folder, frame, whole, tmp_path):
    from pyarrow import dataset

    frame[:1000].to_csv(tmp_path / "0.csv", index=False)
    frame[1000:].to_csv(tmp_path / "1.csv", index=False)
    for source in (folder, str(folder / "*.parquet"), dataset.dataset(folder), tmp_path):
        assert_like(RobustSeparator().fit(open_partitions(source, target="kind")), whole)


def test_one_large_file_of_text_is_read_block_by_block(frame, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("planetree.table_files.pieces._BLOCK", 50_000)
    monkeypatch.setattr("planetree.table_files.pieces._COPIED", 5_000)
    frame.to_csv(tmp_path / "all.csv", index=False)
    parts = open_partitions(tmp_path / "all.csv", target="kind")
    assert parts.n_parts > 3
    assert_like(RobustSeparator().fit(parts), whole)


def test_a_lazy_frame_is_read_in_slices(frame, whole, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("planetree.distributed.parts._SLICE", 1100)
    parts = open_partitions(polars.from_pandas(frame).lazy(), target="kind")
    assert parts.n_parts == 3
    assert_like(RobustSeparator().fit(parts), whole)


def test_what_is_no_table_in_parts_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"cannot read builtins\.int"):
        open_partitions(7, target="kind")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        open_partitions(tmp_path / "none.parquet", target="kind")
    with pytest.raises(ValueError, match="target must name"):
        open_partitions([pd.DataFrame({"a": [1]})])


def test_a_file_that_was_written_again_is_noticed(folder, tmp_path):
    path = tmp_path / "moving.parquet"
    path.write_bytes((folder / "0.parquet").read_bytes())
    parts = open_partitions(path, target="kind")
    pq.write_table(pq.read_table(path).slice(0, 500), path)
    with pytest.raises(Exception, match="has changed since it was opened"):
        RobustSeparator().fit(parts)


def test_frames_of_dask_in_a_tuple_are_refused_with_advice(frame):
    """Their partitions need not meet: Dask may fuse those of one column."""
    dataframe = pytest.importorskip("dask.dataframe")
    table = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(TypeError, match=r"one Dask DataFrame .* X\.assign\(y=y\)"):
        open_partitions((table.drop(columns="kind"), table["kind"]))
