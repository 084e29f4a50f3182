"""What programs over rows in parts share: their charges, what they read, and that rows stay."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.clock import Clock
from planetree.solvers.hinge import HingeProgram
from planetree.solvers.partitioned.merging import size_in_bytes
from planetree.solvers.partitioned.passes import Band, RawPlanes


class RowsChangedError(ValueError):
    """Rows in parts are others than when they were read first."""

    def __init__(self) -> None:
        super().__init__(
            "The rows have changed since they were read first, so nothing can be proved of them. "
            "Fit again when nobody writes to the source."
        )


class PartitionedSolution(NamedTuple):
    """Planes in the units of the rows, with value and bound, and what finding them took."""

    weights: Floats
    offsets: Floats
    objective: float
    error: float
    bound: float
    gap: float
    status: str
    n_wrong: int
    n_reads: int
    n_bytes: int
    n_steps: int


@dataclass
class PartitionedProgram:
    """A program of rows in parts.

    Parameters
    ----------
    charges, class_weights : arrays of shape (n_classes,)
        What one unit of weight is charged, and the weight of all rows.
    center, scale : arrays of shape (n_terms,)
    price : float
        Of the normalized weights, as the program charges them.
    costs : array of shape (n_classes, n_classes), optional
    unions : sequence of arrays of int
        Terms of which just one is 1, and the others are 0, in every row.
    n_reads : int
        Reads of all rows that were made before.
    n_rows : int, optional
        How many rows there are, if that is known.
    """

    charges: Floats
    class_weights: Floats
    center: Floats
    scale: Floats
    price: float = 0.0
    costs: Floats | None = None
    unions: Sequence[Indices] = ()
    n_reads: int = 0
    n_rows: int | None = None
    clock: Clock = field(default_factory=lambda: Clock(None))

    def __post_init__(self) -> None:
        self.n_classes: int = len(self.charges)
        self.n_planes: int = 1 if self.n_classes == 2 else self.n_classes
        factors = np.ones((self.n_classes,) * 2) if self.costs is None else self.costs
        keep = ~np.eye(self.n_classes, dtype=bool)
        self.table: Floats = self.charges[:, None] * factors[keep].reshape(self.n_classes, -1)
        self.n_bytes = self.n_steps = 0
        self._digests: list[int] | None = None
        self.tell: Callable[[str], None] = lambda note: None

    def _gathered(self, found: list[Any]) -> list[Any]:
        self.n_bytes += sum(map(size_in_bytes, found))
        return found

    def _refuse_changes(self, digests: list[int]) -> None:
        """Raise if a read found other rows than the one before."""
        if self._digests is not None and digests != self._digests:
            raise RowsChangedError
        self._digests = digests

    def _refuse_other_classes(self, found: Sequence[Floats]) -> None:
        """Raise if the weights of the classes are not those that the charges were made of."""
        shares = zip(*found, strict=True)
        if [math.fsum(each) for each in shares] != self.class_weights.tolist():
            raise RowsChangedError

    def _hinges(self, rows: Band, charges: Floats, **options: Any) -> HingeProgram:
        """The program of rows at hand."""
        return HingeProgram(
            rows.E, rows.codes, rows.weights, charges, center=self.center, scale=self.scale,
            costs=self.costs, name="program of rows in parts", **options,
        )  # fmt: skip

    def _sample_charges(self, rows: Band) -> Floats:
        """Charges by which each class of a sample weighs as much as all of its rows."""
        totals = np.bincount(rows.codes, rows.weights, self.n_classes)
        return self.charges * self.class_weights / totals

    def _planes(self, weights: Floats, offsets: Floats) -> RawPlanes:
        """Planes in the units of the rows."""
        weights = weights / self.scale
        return RawPlanes(weights, offsets + weights @ self.center)

    @property
    def _note(self) -> str:
        """What was read so far, for who waits."""
        return (
            f"weight of rows {self.class_weights.sum():.3g}, {self.n_bytes / 1e6:.0f} MB gathered"
        )
