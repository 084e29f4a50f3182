"""A worker killed in any kind of pass over the rows changes no bit of what is fitted."""

import os
import signal

import numpy as np
import pytest

from planetree import (
    QuadraticSeparator,
    RobustSeparator,
)
from planetree.distributed import open_partitions, using

pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch):
    """Few rows are many: samples are drawn, and Newton's method passes over what workers keep."""
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 400)
    monkeypatch.setattr("planetree.solvers.partitioned.reduction._BUDGET", 20)
    monkeypatch.setattr("planetree.solvers.partitioned.reduction._FEW", 100)
    monkeypatch.setattr("planetree.tree.partitioned.plane_tree_parts._SAMPLE", 400)
    monkeypatch.setattr("planetree.tree.plane.plane_search._TREE_ROWS", 300)
    monkeypatch.setattr("planetree.tree.partitioned.separator_tree_parts._SAMPLE", 400)
    monkeypatch.setattr("planetree.tree.partitioned.separator_tree_parts._CELLS", 500)


def _kinds(work, given):
    """What a pass does: the functions that its tasks call, in all that it is given."""
    if callable(work) and hasattr(work, "__qualname__"):
        yield work.__qualname__
    for each in given.values() if isinstance(given, dict) else given:
        if callable(each) and hasattr(each, "__qualname__"):
            yield each.__qualname__
        elif type(each) in (tuple, list, dict):
            yield from _kinds(None, each)


@pytest.fixture
def killed(client, monkeypatch):
    """Kinds of passes in which a worker was killed: the first of each kind."""
    from planetree.distributed.engines import _DaskEngine

    found, submit = set(), _DaskEngine.keep

    def keep(engine, work, items, *given):
        futures = submit(engine, work, items, *given)
        kind = tuple(_kinds(work, given))
        if kind not in found:
            found.add(kind)
            client.wait_for_workers(2)  # a nanny whose worker is killed while it starts may give up
            os.kill(next(w.pid for w in client.cluster.workers.values() if w.pid), signal.SIGKILL)
        return futures

    monkeypatch.setattr(_DaskEngine, "keep", keep)
    return found


def _rows(n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 0.5).astype(int)


def _found(model):
    model.fit(open_partitions([tuple(each[i::3] for each in _rows(2000)) for i in range(3)]))
    proved = [c.bound for c in model.certificates_] if hasattr(model, "tree_") else model.bound_
    return model.to_text(), proved, model.n_reads_


@pytest.mark.parametrize(
    "model",
    [
        RobustSeparator(),
        QuadraticSeparator(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_worker_killed_in_each_kind_of_pass_changes_nothing(model, client, killed):
    with using(None):
        expected = _found(model)
    with using(client, retries=10):
        assert _found(model) == expected
    print(len(killed), killed)
    assert len(killed) >= 2
