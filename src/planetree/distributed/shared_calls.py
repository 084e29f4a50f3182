"""Many calls that share one large table: it is sent to a cluster once.

What a worker cannot read for itself, a table in memory, is held by a task, so that the loss of any
worker, or of all, loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planetree.distributed.engines import chosen_cluster


class _SharedCalls:
    """Calls `work(shared, item)` on a cluster.

    Parameters
    ----------
    engine : engine of a cluster
    work : function
    shared : object
    """

    def __init__(self, engine: Any, work: Callable[[Any, Any], Any], shared: Any) -> None:
        self._engine, self._work, self._sent = engine, work, engine.send(shared)

    @property
    def n_workers(self) -> int:
        """How many calls run at the same time."""
        return int(self._engine.n_workers)

    def run(self, items: Sequence[Any]) -> list[Any]:
        """Results of the calls, in the order of the items."""
        return list(self._engine.run(_call, items, self._work, self._sent))


def _call(item: Any, work: Callable[[Any, Any], Any], shared: Any) -> Any:
    return work(shared, item)


def cluster_calls(work: Callable[[Any, Any], Any], shared: Any) -> _SharedCalls | None:
    """Calls on the cluster that `using` names; None outside of it: only who asks gets one."""
    engine = chosen_cluster()
    return None if engine is None else _SharedCalls(engine, work, shared)
