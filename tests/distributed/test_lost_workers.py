"""A worker killed in any kind of pass over the rows changes no bit of what is fitted."""

import os
import signal
import time
from contextlib import suppress

import pytest
from parted_rows import table

from planetree import (
    QuadraticSeparator,
    RobustSeparator,
)
from planetree.distributed import open_partitions, using

pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch):
    """Few rows are many: samples are drawn, and Newton's method passes over what workers keep."""
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 1000)
    monkeypatch.setattr("planetree.solvers.partitioned.reduction._BUDGET", 100)
    monkeypatch.setattr("planetree.solvers.partitioned.reduction._RARE", 10)


def _kinds(work, given):
    """What a pass does: the functions that its tasks call, in all that it is given."""
    if callable(work) and hasattr(work, "__qualname__"):
        yield work.__qualname__
    for each in given.values() if isinstance(given, dict) else given:
        if callable(each) and hasattr(each, "__qualname__"):
            yield each.__qualname__
        elif type(each) in (tuple, list, dict):
            yield from _kinds(None, each)


def _kill_one(cluster):
    """Kill a worker that lives: a nanny may still name one that was killed a moment ago."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        for pid in [each.pid for each in cluster.workers.values() if each.pid]:
            with suppress(ProcessLookupError):
                return os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    raise AssertionError("no worker lives")


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
            _kill_one(client.cluster)
        return futures

    monkeypatch.setattr(_DaskEngine, "keep", keep)
    return found


def _found(model):
    X, y = table(4, 6000, 5, 2, "plain")
    model.fit(open_partitions([(X[i::3], y[i::3]) for i in range(3)]))
    return model.coef_.tolist(), model.bound_, model.n_reads_


def test_a_worker_killed_in_each_kind_of_pass_changes_nothing(client, killed):
    models = RobustSeparator(), QuadraticSeparator()
    with using(None):
        expected = [_found(model) for model in models]
    with using(client, retries=10):
        assert [_found(model) for model in models] == expected
    kinds = {name for kind in killed for name in kind if not name.startswith("_")}
    reads = {"survey_part", "split_part", "check_part", "squares_of_part"}
    assert kinds == reads | {"summary_of", "band_of", "newton_sums", "groups_of_band"}
