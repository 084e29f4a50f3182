"""Tables in parts come from files, lazy frames and Dask; a lost worker changes nothing."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.distributed import Partitions, open_partitions, predict, using
from planetree.distributed.parts import FramePart

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    found = pd.DataFrame(X, columns=list("abcd"))
    found["e"] = rng.choice(["red", "green", "blue"], 3000)
    score = X[:, 0] + X[:, 1] + (found.e == "red") + 0.5 * rng.normal(size=3000)
    found["kind"] = np.where(score > 0.5, "yes", "no")
    return found


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    home = tmp_path_factory.mktemp("parts")
    for i in range(3):
        part = pa.Table.from_pandas(frame[i::3], preserve_index=False)
        pq.write_table(part, home / f"{i}.parquet", row_group_size=400)
    return home


@pytest.fixture(scope="module")
def whole(frame):
    return RobustSeparator().fit(frame.drop(columns="kind"), frame.kind)


def assert_like(found, whole):
    assert found.error_ == pytest.approx(whole.error_, rel=1e-9)
    assert found.gap_ <= 1e-9
    assert found.classes_.tolist() == whole.classes_.tolist()
    assert found.columns_ == whole.columns_


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


def test_predictions_of_files_come_part_by_part(folder, frame, whole):
    found = np.concatenate(list(predict(whole, folder, ignore=("kind",))))
    order = np.concatenate([np.arange(3000)[i::3] for i in range(3)])
    assert (found == whole.predict(frame.drop(columns="kind"))[order]).all()


class TestCluster:
    """Two workers on this machine."""

    def test_a_cluster_gives_the_same_planes(self, client, folder, whole):
        parts = open_partitions(folder, target="kind")
        with using(None):
            here = RobustSeparator().fit(parts)
        with using(client):
            there = RobustSeparator().fit(parts)
        assert_like(there, whole)
        assert np.array_equal(there.coef_, here.coef_)
        assert there.bound_ == here.bound_

    def test_frames_and_arrays_of_dask_are_read_inside_tasks(self, client, frame, whole):
        dd = pytest.importorskip("dask.dataframe")
        da = pytest.importorskip("dask.array")
        parts = open_partitions(dd.from_pandas(frame, npartitions=4), target="kind")
        assert_like(RobustSeparator().fit(parts), whole)  # the current client, without `using`
        X, y = frame[list("abcd")].to_numpy(), (frame.kind == "yes").to_numpy()
        arrays = da.from_array(X, chunks=(700, 2)), da.from_array(y, chunks=1000)
        found = RobustSeparator().fit(open_partitions(arrays))
        assert found.error_ == pytest.approx(RobustSeparator().fit(X, y).error_, rel=1e-9)

    def test_workers_lost_while_rows_are_summed_and_checked_change_nothing(self, client, tmp_path):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(2000, 3))
        y = (X[:, 0] + rng.normal(size=2000) > 0).astype(int)
        others = [FramePart(f"part {i}", (X[i::3], y[i::3])) for i in (1, 2)]
        with using(None):
            before = RobustSeparator().fit(open_partitions([(X[i::3], y[i::3]) for i in range(3)]))
        (tmp_path / "reads").mkdir()
        deadly = DeadlyPart("part 0", X[::3], y[::3], str(tmp_path / "reads"), (1, 3))
        with using(client):
            after = RobustSeparator().fit(Partitions((deadly, *others)))
        assert len(os.listdir(tmp_path / "reads")) >= 5  # three reads, two of them twice
        assert np.array_equal(after.coef_, before.coef_)
        assert (after.bound_, after.gap_) == (before.bound_, before.gap_)

    def test_a_cluster_gives_the_same_tree(self, client, folder, monkeypatch):
        monkeypatch.setattr("planetree.tree.partitioned.plane_tree_parts._SAMPLE", 800)
        monkeypatch.setattr("planetree.tree.plane.plane_search._TREE_ROWS", 500)
        parts = open_partitions(folder, target="kind")
        with using(None):
            here = PlaneTreeClassifier(max_splits=1).fit(parts)
        with using(client):
            there = PlaneTreeClassifier(max_splits=1).fit(parts)
        assert there.to_text() == here.to_text()
        assert np.array_equal(there.tree_.leaf_probabilities, here.tree_.leaf_probabilities)
        assert there.certificates_ == here.certificates_

    def test_predictions_of_dask_are_lazy_and_typed(self, client, frame, whole):
        dd = pytest.importorskip("dask.dataframe")
        da = pytest.importorskip("dask.array")
        X = frame.drop(columns="kind")
        lazy = predict(whole, dd.from_pandas(X, npartitions=3))
        assert lazy.dtype == whole.classes_.dtype
        assert (lazy.compute().to_numpy() == whole.predict(X)).all()
        shares = predict(whole, dd.from_pandas(X, npartitions=3), "predict_proba")
        assert shares.columns.tolist() == ["no", "yes"]
        assert np.array_equal(shares.compute().to_numpy(), whole.predict_proba(X))
        model = RobustSeparator().fit(X[list("abcd")].to_numpy(), frame.kind)
        rows = da.from_array(X[list("abcd")].to_numpy(), chunks=(1000, 2))
        assert predict(model, rows, "predict_proba").shape == (3000, 2)
        assert (predict(model, rows).compute() == model.predict(rows.compute())).all()


def test_explanations_of_parts_come_part_by_part(folder, frame):
    dd = pytest.importorskip("dask.dataframe")
    X = frame.drop(columns="kind")
    tree = C45Classifier().fit(X, frame.kind)
    found = list(predict(tree, folder, "explain", ignore=("kind",)))
    assert str(found[1][0]) == str(tree.explain(X[1::3])[0])
    lazy = predict(tree, dd.from_pandas(X, npartitions=3), "explain")
    assert str(lazy[1].compute(scheduler="synchronous")[0]) == str(tree.explain(X[1000:])[0])
    with pytest.raises(TypeError, match="has no explain"):
        predict(RobustSeparator(), folder, "explain")


@dataclass(frozen=True)
class DeadlyPart:
    """A part whose reads, counted in a folder, end their process at some of them."""

    name: str
    X: np.ndarray
    y: np.ndarray
    folder: str
    deadly: tuple

    def read(self):
        n = len(os.listdir(self.folder))
        Path(self.folder, str(n)).touch()
        if n in self.deadly:
            os._exit(1)
        return self.X, self.y
