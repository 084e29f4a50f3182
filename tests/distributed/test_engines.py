"""Two workers of a cluster give what this process gives, and a lost one changes nothing."""

import os
import signal
import time
from contextlib import contextmanager
from threading import Timer

import numpy as np
import pytest
from parted_rows import assert_like

from planetree import PlaneTreeClassifier, RobustSeparator
from planetree.distributed import open_partitions, predict, using
from planetree.distributed.engines import chosen_cluster, current_engine


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

    def test_a_client_that_is_not_the_current_one_does_the_work(self, client, folder):
        from distributed import Client

        parts = open_partitions(folder, target="kind")
        address = client.scheduler.address
        with Client(address, set_as_default=False) as other, _none_current(), using(other):
            assert RobustSeparator().fit(parts).gap_ < 1e-9

    def test_an_address_is_left_as_the_context_is(self, client, folder):
        parts, before = open_partitions(folder, target="kind"), _clients(client)
        with _none_current():
            with using(client.scheduler.address):
                assert _clients(client) == before + 1
                assert RobustSeparator().fit(parts).gap_ < 1e-9
            assert chosen_cluster() is None
            assert type(current_engine()).__name__ == "_SerialEngine"
        assert _clients(client) == before

    def test_frames_and_arrays_of_dask_are_read_inside_tasks(self, client, frame, whole):
        dd = pytest.importorskip("dask.dataframe")
        da = pytest.importorskip("dask.array")
        parts = open_partitions(dd.from_pandas(frame, npartitions=4), target="kind")
        assert_like(RobustSeparator().fit(parts), whole)  # the current client, without `using`
        X, y = frame[list("abcd")].to_numpy(), (frame.kind == "yes").to_numpy()
        arrays = da.from_array(X, chunks=(700, 2)), da.from_array(y, chunks=1000)
        found = RobustSeparator().fit(open_partitions(arrays))
        assert found.error_ == pytest.approx(RobustSeparator().fit(X, y).error_, rel=1e-9)

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
        answers = lazy.compute()
        assert (answers.to_numpy() == whole.predict(X)).all()
        assert answers.dtype == lazy.dtype
        assert answers.index.equals(X.index)
        shares = predict(whole, dd.from_pandas(X, npartitions=3), "predict_proba")
        assert shares.columns.tolist() == ["no", "yes"]
        assert np.array_equal(shares.compute().to_numpy(), whole.predict_proba(X))
        model = RobustSeparator().fit(X[list("abcd")].to_numpy(), frame.kind)
        rows = da.from_array(X[list("abcd")].to_numpy(), chunks=(1000, 2))
        assert predict(model, rows, "predict_proba").shape == (3000, 2)
        assert (predict(model, rows).compute() == model.predict(rows.compute())).all()


@pytest.fixture
def deserted():
    """A client of a cluster that has no worker."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", host="127.0.0.1") as cluster,
        distributed.Client(cluster, set_as_default=False) as found,
    ):
        yield found


class TestClusterWithoutWorkers:
    """A fit waits for workers, but not for ever."""

    def test_it_ends_with_an_error_after_some_time(self, deserted, folder, monkeypatch):
        monkeypatch.setattr("planetree.distributed.engines._PATIENCE", 0.5)
        with using(deserted), pytest.raises(RuntimeError, match=r"no worker for 0\.5 seconds"):
            RobustSeparator().fit(open_partitions(folder, target="kind"))

    def test_results_lost_with_the_last_worker_are_not_waited_for_either(
        self, deserted, monkeypatch
    ):
        """They were computed, but nobody had fetched them yet."""
        monkeypatch.setattr("planetree.distributed.engines._PATIENCE", 0.5)
        deserted.cluster.scale(1)
        deserted.wait_for_workers(1)
        gather = deserted.gather

        def too_late(futures):
            for each in futures:
                each.exception()  # waits for its end
            deserted.cluster.scale(0)
            while deserted.scheduler_info()["workers"]:
                time.sleep(0.01)
            return gather(futures)

        monkeypatch.setattr(deserted, "gather", too_late)
        with using(deserted), pytest.raises(RuntimeError, match="no worker"):
            current_engine().run(str, [1, 2])

    def test_ctrl_c_ends_the_wait(self, deserted, folder):
        interrupt = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with using(deserted), pytest.raises(KeyboardInterrupt):
            RobustSeparator().fit(open_partitions(folder, target="kind"))

    def test_workers_that_come_later_do_the_work(self, deserted, folder, whole):
        Timer(0.5, deserted.cluster.scale, (1,)).start()
        with using(deserted):
            assert_like(RobustSeparator().fit(open_partitions(folder, target="kind")), whole)


@contextmanager
def _none_current():
    """As in a process in which no client was made Dask's current one."""
    from distributed import client

    token, before = client._current_client.set(None), dict(client._global_clients)
    client._global_clients.clear()
    try:
        yield
    finally:
        client._global_clients.update(before)
        client._current_client.reset(token)


def _clients(client):
    """How many clients the scheduler has."""
    found = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
    return sum(name != "fire-and-forget" for name in found)
