"""Where work on partitions runs: here, one after the other, or on a cluster of Dask.

An engine does three things: it runs a function over partitions and brings the results here; it
keeps results where they were made; and it runs a function over what it kept.

- results come in the order of the partitions, so whatever is made of them does not depend on the
  number of workers;
- rows are read inside tasks, so a lost worker's tasks run again elsewhere, with the same results.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol

from planetree.distributed.fit_state import RecordingEngine
from planetree.distributed.parts import TaskPart, as_rows, first_source
from planetree.progress import pass_display

_Work = Callable[..., Any]
_POLL = 0.2  # seconds between two looks at Ctrl-C while a cluster works
_PATIENCE = 120.0  # seconds that a cluster may be without workers: so long new ones take to come


class Engine(Protocol):
    """Runs work on partitions; `items` are these, or what was kept of them."""

    def run(self, work: _Work, items: Sequence[Any], *given: Any) -> list[Any]:
        """Results of `work(item, *given)`, in order."""

    def keep(self, work: _Work, items: Sequence[Any], *given: Any) -> list[Any]:
        """The same, left where they are: items for a later run."""


class _SerialEngine:
    """One partition after the other, in this process."""

    def run(self, work: _Work, items: Sequence[Any], *given: Any) -> list[Any]:
        """Results of `work(item, *given)`, in order."""
        found, show = [], pass_display(len(items))
        for n_done, item in enumerate(items, start=1):
            found.append(work(item, *given))
            show(n_done)
        return found

    keep = run


class _DaskEngine:
    """A cluster: every item is a task of its own, tried again if its worker is lost.

    Parameters
    ----------
    client : distributed.Client
    retries : int
        How often a task that fails is tried again.
    """

    def __init__(self, client: Any, retries: int = 3) -> None:
        self._client, self.retries = client, retries

    @property
    def n_workers(self) -> int:
        """How many tasks run at the same time; at least one, also while workers are lost."""
        return max(1, sum(self._client.nthreads().values()))

    def send(self, value: Any) -> Any:
        """What stands for something large in later runs: the result of a task that holds it.

        It goes to the scheduler once, and any worker can be given it again. Data that is scattered
        is lost with its workers, and scattering it to all waits for one that is lost.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self._client.submit(_itself, value, pure=False, retries=self.retries)

    def keep(self, work: _Work, items: Sequence[Any], *given: Any) -> list[Any]:
        """Futures of the results."""
        return [self._submit(work, item, *given) for item in items]

    def run(self, work: _Work, items: Sequence[Any], *given: Any) -> list[Any]:
        """Results of `work(item, *given)`, in order."""
        futures = self.keep(work, items, *given)
        show, last_seen = pass_display(len(items)), time.monotonic()
        aside = ThreadPoolExecutor(1)  # results too are lost with their workers, and waited for
        gathered = aside.submit(self._client.gather, futures)
        try:
            while wait([gathered], timeout=_POLL).not_done:
                show(sum(each.done() for each in futures))
                last_seen = self._last_seen(last_seen)
            show(len(futures))
            return gathered.result()
        except BaseException:
            self._client.cancel(futures)  # ends the gathering too
            raise
        finally:
            aside.shutdown(wait=False)

    def _last_seen(self, before: float) -> float:
        """When the cluster last had a worker; raise if that is too long ago."""
        now = time.monotonic()
        if self._client.nthreads():
            return now
        if now - before > _PATIENCE:
            raise RuntimeError(
                f"The Dask cluster has had no worker for {_PATIENCE:g} seconds, so nothing can be "
                "computed there. Start workers and try again; a fit inside `with using(client, "
                "state=path):` goes on from its last pass over the rows."
            )
        return before

    def _submit(self, work: _Work, item: Any, *given: Any) -> Any:
        submit = partial(self._client.submit, pure=False, retries=self.retries)
        tasks = first_source(item)
        if isinstance(tasks, TaskPart):
            rows = self._client.compute(list(tasks.tasks), retries=self.retries)
            return submit(_on_rows, work, item, rows, *given)
        return submit(work, item, *given)


def _itself(value: Any) -> Any:
    return value


def _on_rows(work: _Work, item: Any, rows: list[Any], *given: Any) -> Any:
    """Work on a part of a Dask collection whose rows are at hand."""
    return work(item.with_rows(as_rows(tuple(rows))), *given)


_ENGINE: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def using(client: Any = None, *, retries: int = 3, state: Any = None) -> Iterator[None]:
    """Run all work on partitions on a cluster while the context lasts; on none if it is None.

    Parameters
    ----------
    client : distributed.Client or address of a scheduler, optional
        None works here, partition by partition, whatever clients there are.
    retries : int
        How often a task is tried again, for instance because its worker was lost.
    state : path, optional
        A file that keeps what each pass over the rows gave. When a fit is cut off, the same fit
        in another process goes on from there; the file is removed when all is done.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree import RobustSeparator
    >>> from planetree.distributed import open_partitions, using
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> parts = open_partitions([(X[:2], [0, 0]), (X[2:], [1, 1])])
    >>> with using(None):
    ...     RobustSeparator().fit(parts).predict([[0.5], [2.5]])
    array([0, 1])
    """
    with _connected(client) as own:
        engine: Any = _SerialEngine() if own is None else _DaskEngine(own, retries)
        kept = None if state is None else RecordingEngine(engine, state)
        token, done = _ENGINE.set(kept or engine), False
        try:
            yield
            done = True
        finally:
            _ENGINE.reset(token)
            if kept is not None:
                kept.close(remove=done)


def _connected(client: Any) -> AbstractContextManager[Any]:
    """The client of a scheduler's address, closed at the end; any other as it is."""
    if not isinstance(client, str):
        return nullcontext(client)
    from distributed import Client

    found: AbstractContextManager[Any] = Client(client, set_as_default=False)
    return found


def chosen_cluster() -> _DaskEngine | None:
    """Engine of the cluster that the innermost `using` names; None if it names none."""
    engine = _ENGINE.get()
    engine = getattr(engine, "engine", engine)  # what a state is kept of
    return engine if isinstance(engine, _DaskEngine) else None


def current_engine() -> Engine:
    """Engine of the innermost `using`; else that of Dask's current client; else none of them."""
    engine = _ENGINE.get()
    if engine is None and "distributed" in sys.modules:
        try:
            engine = _DaskEngine(sys.modules["distributed"].default_client())
        except ValueError:  # there is none
            engine = None
    return _SerialEngine() if engine is None else engine
