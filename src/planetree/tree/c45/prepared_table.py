"""A table prepared once for many C4.5 trees.

C4.5 compares the values of a column with each other and with nothing else, so a cell can be
replaced by its rank among the values of its column. `PreparedTable` holds these ranks in the
compiled core. Trees are grown from any of its rows and any of its columns without copying, with
the GIL released, so that threads grow trees side by side.

- a tree grown from some rows and columns is the one that a table of these alone would give, with
  the classes and categories that the whole table declares.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.parameters import check_argument, choice, number, optional
from planetree.table import Column, Table
from planetree.table.partitions import deal_folds
from planetree.tree.axis_splits import AxisSplits
from planetree.tree.tree import Tree

CORES: dict[str, Any] = {"single": _core.C45TableSingle, "double": _core.C45TableDouble}
_VALIDATORS: dict[str, Any] = {
    "single": _core.C45ValidatorSingle,
    "double": _core.C45ValidatorDouble,
}

_CONFIDENCES = tuple(np.round(np.arange(0.05, 1.0, 0.1), 2).tolist())
CONFIDENCE = number(above=0, most=1)  # that a tree is pruned at
DEFAULT_CONFIDENCE = 0.25  # of Release 8


class Growth(NamedTuple):
    """How a tree is grown; the names are those of `C45Classifier`."""

    min_cases: float = 2
    criterion: str = "gain_ratio"
    subsets: bool = False

    def arguments(self) -> tuple[float, bool, bool]:
        """The least cases, whether by gain ratio, and whether in subsets: as the core takes it."""
        return float(self.min_cases), self.criterion == "gain_ratio", bool(self.subsets)


_BY_DEFAULT = Growth()


class CrossValidation(NamedTuple):
    """What cross-validation counts, by fold and by confidence."""

    errors: Floats
    n_nodes: NDArray[np.int64]


class PreparedTable:
    """A table with the classes of its rows, ready for the growing of many C4.5 trees.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
        Class code of each row.
    weights : array of shape (n_rows,), optional
        How many times each row counts.
    n_classes : int, optional
        How many classes are declared; by default one more than the largest code.
    arithmetic : {"single", "double"}
        Single reproduces Release 8 to the bit, and reads the number -999 as missing.
    time_limit : float, optional
        Seconds after which columns that are not read yet are taken as missing in all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table
    >>> from planetree.tree import PreparedTable
    >>> X, codes = np.arange(20.0).reshape(10, 2), np.repeat([0, 1], 5)
    >>> prepared = PreparedTable(Table.read(X), codes)
    >>> prepared.grow(features=[1]).prune(0.25).n_nodes
    3
    >>> prepared.cross_val_errors(np.arange(10) % 5).errors.ravel()
    array([0., 0., 0., 0., 1.])
    """

    def __init__(
        self,
        table: Table,
        codes: Any,
        weights: Any = None,
        *,
        n_classes: int | None = None,
        arithmetic: str = "single",
        time_limit: float | None = None,
    ) -> None:
        check_argument("arithmetic", arithmetic, choice(*CORES))
        codes = np.ascontiguousarray(codes, dtype=np.int64)
        if n_classes is None:
            n_classes = int(codes.max(initial=-1)) + 1
        weights = np.ones(len(codes)) if weights is None else weights
        n_categories = [-1 if c.categories is None else len(c.categories) for c in table.columns]
        self.columns: tuple[Column, ...] = table.columns
        self.n_rows: int = table.values.shape[0]
        self.n_features: int = table.values.shape[1]
        self.n_classes = n_classes
        self.arithmetic = arithmetic
        self._all_rows = np.arange(self.n_rows)
        self._all_features = np.arange(self.n_features)
        self._core = CORES[arithmetic](
            np.ascontiguousarray(table.values, dtype=np.float64),
            np.array(n_categories, dtype=np.int64),
            codes,
            n_classes,
            np.ascontiguousarray(weights, dtype=np.float64),
            time_limit,
        )

    @property
    def columns_with_stand_ins(self) -> list[int]:
        """Number columns that hold -999, which single arithmetic reads as missing."""
        return list(self._core.columns_with_stand_ins())

    def grow(
        self,
        rows: Any = None,
        features: Any = None,
        growth: Growth = _BY_DEFAULT,
        time_limit: float | None = None,
    ) -> GrownTree:
        """Grow a tree from some rows, reading some columns.

        Parameters
        ----------
        rows, features : arrays of numbers, optional
            By default all. Columns are tried in the order given.
        growth : Growth
        time_limit : float, optional
            Seconds after which nodes that are not divided yet stay leaves.
        """
        tree, is_complete = self._core.grow(
            _indices(rows, self._all_rows, "rows"),
            _indices(features, self._all_features, "features"),
            *growth.arguments(),
            time_limit,
        )
        return GrownTree(self, tree, growth, is_complete)

    def cross_val_errors(
        self,
        folds: Any,
        features: Any = None,
        confidences: Sequence[float | None] = (0.25,),
        growth: Growth = _BY_DEFAULT,
        time_limit: float | None = None,
    ) -> CrossValidation:
        """Errors and sizes of trees grown once per fold and pruned at several confidences.

        Parameters
        ----------
        folds : array of shape (n_rows,)
            The fold that leaves each row out, from 0; a row of a negative fold is not used.
        features : array of numbers, optional
            The columns that the trees may read, by default all.
        confidences : sequence of float or None
            Confidences to prune at; None leaves the tree as grown.
        growth : Growth
        time_limit : float, optional
            Seconds after which a `TimeoutError` is raised.

        Returns
        -------
        CrossValidation
            `errors`, the weight of the rows left out that are predicted wrong, and `n_nodes`, both
            of shape (n_folds, n_confidences).
        """
        with self.cross_validator(folds, confidences, growth) as validator:
            return validator.run(features, time_limit)

    def cross_validator(
        self,
        folds: Any,
        confidences: Sequence[float | None] = (0.25,),
        growth: Growth = _BY_DEFAULT,
        *,
        n_jobs: int = 1,
        memory: float = 0.0,
    ) -> CrossValidator:
        """The same cross-validation for many subsets of the columns.

        Parameters
        ----------
        folds, confidences, growth
            As of `cross_val_errors`.
        n_jobs : int
            How many threads share the folds.
        memory : float
            Megabytes in which the core keeps what columns offer at nodes, for later subsets.
        """
        return CrossValidator(self, folds, confidences, growth, n_jobs, memory)


class CrossValidator:
    """Errors and sizes of the trees of one subset of the columns after another.

    A thread has folds of its own, and remembers gains of its own: results are the same for any
    number of threads and any amount of memory. It is a context, which ends the threads.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table
    >>> from planetree.tree import PreparedTable
    >>> X, codes = np.arange(20.0).reshape(10, 2), np.repeat([0, 1], 5)
    >>> prepared = PreparedTable(Table.read(X), codes)
    >>> with prepared.cross_validator(np.arange(10) % 5, n_jobs=2, memory=1.0) as validator:
    ...     [int(validator.run(features).errors.sum()) for features in ([0], [1], [])]
    [1, 1, 5]
    """

    def __init__(
        self,
        prepared: PreparedTable,
        folds: Any,
        confidences: Sequence[float | None],
        growth: Growth,
        n_jobs: int,
        memory: float,
    ) -> None:
        folds = np.ascontiguousarray(folds, dtype=np.int64)
        for confidence in confidences:
            check_argument("confidence", confidence, optional(CONFIDENCE))
        levels = [-1.0 if c is None else float(c) for c in confidences]
        n_folds = int(folds.max(initial=-1)) + 1
        n_jobs = max(1, min(n_jobs, n_folds))
        self._features = prepared._all_features
        self._shares = [np.arange(start, n_folds, n_jobs) for start in range(n_jobs)]
        self._shape = (n_folds, len(levels))
        self._cores = [
            _VALIDATORS[prepared.arithmetic](
                prepared._core, folds, share, levels, *growth.arguments(), memory * 2**20 / n_jobs
            )
            for share in self._shares
        ]
        self._threads = ThreadPoolExecutor(n_jobs - 1) if n_jobs > 1 else None

    def run(self, features: Any = None, time_limit: float | None = None) -> CrossValidation:
        """Errors and sizes of the trees that may read some columns, by default all.

        A `TimeoutError` is raised if they are not grown within so many seconds.
        """
        columns = _indices(features, self._features, "features")
        found = self._run_all(columns, time_limit)
        if any(part is None for part in found):
            raise TimeoutError(f"Cross-validation took more than {time_limit} seconds.")
        if self._threads is None:
            return CrossValidation(*found[0])
        errors, n_nodes = np.empty(self._shape), np.empty(self._shape, dtype=np.int64)
        for share, (some_errors, some_nodes) in zip(self._shares, found, strict=True):
            errors[share], n_nodes[share] = some_errors, some_nodes
        return CrossValidation(errors, n_nodes)

    def _run_all(self, columns: NDArray[np.int64], time_limit: float | None) -> list[Any]:
        """What each thread finds; if one fails or is interrupted, the others are stopped."""
        if self._threads is None:
            return [self._cores[0].run(columns, time_limit)]
        submit = self._threads.submit
        others = [submit(core.run, columns, time_limit) for core in self._cores[1:]]
        try:
            return [self._cores[0].run(columns, time_limit), *(o.result() for o in others)]
        except BaseException:
            for core in self._cores[1:]:
                core.stop(True)
            wait(others)
            for core in self._cores[1:]:
                core.stop(False)
            raise

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown()

    def __enter__(self) -> CrossValidator:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class GrownTree:
    """A tree as grown, which can be pruned at any confidence without growing again."""

    def __init__(
        self, prepared: PreparedTable, core: Any, growth: Growth, is_complete: bool = True
    ) -> None:
        self._prepared, self._tree, self._growth = prepared, core, growth
        self.is_complete = is_complete  # whether growing came to its end

    def tree(self) -> Tree:
        """The tree as grown; its `errors` are observed."""
        return self._read(self._tree)

    def prune(self, confidence: float, time_limit: float | None = None) -> Tree:
        """The tree pruned; its `errors` are estimated.

        Parameters
        ----------
        confidence : float
            Above 0 and at most 1: the smaller, the more is pruned.
        time_limit : float, optional
            Seconds after which a `TimeoutError` is raised.
        """
        check_argument("confidence", confidence, CONFIDENCE)
        pruned, is_complete = self._prepared._core.prune(
            self._tree, float(confidence), self._growth.subsets, time_limit
        )
        if not is_complete:
            raise TimeoutError(f"Pruning took more than {time_limit} seconds.")
        return self._read(pruned)

    def _read(self, core: Any) -> Tree:
        arrays = self._prepared._core.arrays(core)
        splits = AxisSplits.trusted(
            columns=arrays["column"],
            thresholds=arrays["threshold"],
            n_mapped=arrays["n_mapped"],
            branches=arrays["branches"],
        )
        return Tree.trusted(
            splits=splits,
            n_branches=arrays["n_branches"],
            children=arrays["children"],
            class_weights=arrays["counts"],
            predicted=arrays["majority"],
            weights=arrays["weight"],
            errors=arrays["errors"],
        )


def choose_confidence(
    prepared: PreparedTable,
    values: Floats,
    codes: Indices,
    growth: Growth,
    clock: Clock = UNLIMITED,
) -> float:
    """Confidence of 5%, 15%, ..., 95% with the fewest errors on the rows left out by 10 folds.

    Of equals it is the smallest, which prunes most (Cherkauer & Shavlik 1996, Experimental
    Methodology). A `TimeoutError` is raised if the time does not suffice.
    """
    folds = deal_folds(values, codes)
    if folds.max(initial=0) == 0:  # one distinct row: nothing to leave out
        return DEFAULT_CONFIDENCE
    return best_confidence(prepared, folds, growth, clock.left)


def best_confidence(
    prepared: PreparedTable, folds: Indices, growth: Growth, time_limit: float | None
) -> float:
    """Of `_CONFIDENCES` the one with the fewest errors on the rows that folds leave out."""
    errors = prepared.cross_val_errors(folds, None, _CONFIDENCES, growth, time_limit).errors
    return _CONFIDENCES[int(errors.sum(axis=0).argmin())]


def _indices(given: Any, default: Indices, what: str) -> NDArray[np.int64]:
    if given is None:
        return default
    chosen = np.asarray(given)
    if chosen.dtype == bool:
        if chosen.shape != default.shape:
            raise ValueError(f"The mask of {what} has shape {chosen.shape}, not {default.shape}.")
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise ValueError(f"{what} must be a list of whole numbers, but it is {given!r}.")
    return np.ascontiguousarray(chosen, dtype=np.int64)
