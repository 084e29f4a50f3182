"""Many calls that share one large table: it is sent to the workers of a cluster once.

What cannot be read again by a worker, a table in memory, is copied to every worker, so that the
loss of one loses nothing. If all are lost, it is sent again, and the calls run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

from planetree.distributed.engines import chosen_cluster

__all__ = ["cluster_calls"]


class _SharedCalls:
    """Calls `work(shared, item)` on a cluster.

    Parameters
    ----------
    engine : engine of a cluster
    work : function
    shared : object
    """

    def __init__(self, engine: Any, work: Callable[[Any, Any], Any], shared: Any) -> None:
        self._engine, self._work, self._shared = engine, work, shared
        self._sent = engine.send(shared)

    def run(self, items: Sequence[Any]) -> list[Any]:
        """Results of the calls, in the order of the items."""
        from distributed import KilledWorker

        for _ in range(self._engine.retries):
            try:
                return list(self._engine.run(_call, items, self._work, self._sent))
            except (CancelledError, KilledWorker):
                self._sent = self._engine.send(self._shared)
        return list(self._engine.run(_call, items, self._work, self._sent))


def _call(item: Any, work: Callable[[Any, Any], Any], shared: Any) -> Any:
    return work(shared, item)


def cluster_calls(work: Callable[[Any, Any], Any], shared: Any) -> _SharedCalls | None:
    """Calls on the cluster that `using` names; None outside of it: only who asks gets one."""
    engine = chosen_cluster()
    return None if engine is None else _SharedCalls(engine, work, shared)
