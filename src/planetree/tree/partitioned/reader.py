"""Reads of all rows of a table in parts, counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planetree.arrays import Indices
from planetree.progress import tell_reader
from planetree.solvers.partitioned import Program, run_together
from planetree.solvers.partitioned.merging import size_in_bytes
from planetree.solvers.partitioned.passes import rows_digest
from planetree.solvers.partitioned.program import RowsChangedError


class RowReader:
    """Runs work on the rows of all parts.

    Parameters
    ----------
    engine : object with `run` and `keep`
    parts : sequence of objects with `rows`
    n_reads, n_bytes : int
        Of reads that were made before.
    order : array of shape (n_classes,), optional
        What the class codes of the parts are in the order of the labels; by default the same.
    """

    def __init__(
        self,
        engine: Any,
        parts: Sequence[Any],
        n_reads: int,
        n_bytes: int,
        order: Indices | None = None,
    ) -> None:
        self._engine, self._parts, self._order = engine, parts, order
        self.n_reads: int = n_reads
        self.n_bytes: int = n_bytes
        self._digests: list[int] | None = None

    def with_parts(self, parts: Sequence[Any]) -> RowReader:
        """A reader of the same rows with their classes in the order of the labels."""
        other = RowReader(self._engine, parts, self.n_reads, self.n_bytes)
        other._digests = self._digests
        return other

    def read(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """Results of `work(rows, *given)` of all parts; an error if the rows have changed."""
        told = self._engine.run(_on_rows, self._parts, work, given, self._order)
        digests = [digest for digest, _ in told]
        if self._digests not in (None, digests):
            raise RowsChangedError
        found = [each for _, each in told]
        self._digests = digests
        self.n_reads += 1
        self.n_bytes += sum(map(size_in_bytes, found))
        tell_reader(f"{self.n_reads} reads of all rows, {self.n_bytes / 1e6:.0f} MB gathered")
        return found

    def solve(
        self,
        programs: Mapping[Any, Program],
        prepare: Callable[[Any], Any],
        views: Mapping[Any, Callable[[Any], Any]],
    ) -> dict[Any, Any]:
        """Results of programs that share reads."""
        found, n_reads = run_together(self._engine, self._parts, programs, prepare, views)
        self.n_reads += n_reads
        if any(each.status == "interrupted" for each in found.values()):
            raise KeyboardInterrupt
        return found


def _on_rows(
    part: Any, work: Callable[..., Any], given: tuple[Any, ...], order: Indices | None
) -> Any:
    rows = X, codes, weights = part.rows()
    codes = codes if order is None else order[codes].astype(codes.dtype)
    return rows_digest(X, codes, weights), work(rows, *given)
