"""Tables that are not in memory: what they are, and what to do with one instead of loading it.

Nothing here imports what makes them. A table in parts says so itself (`is_in_parts`); the others
are known by what they offer.
"""

from __future__ import annotations

from typing import Any

_IN_PARTS = "a table in parts"
# A test holds this to the truth.
_CAN_FIT = (
    "RobustSeparator, QuadraticSeparator, SparseSeparator, SeparatorTreeClassifier and "
    "PlaneTreeClassifier"
)
_LOAD = " If it fits into memory, call its collect(), compute() or to_table() first."


def _lazy_kind(X: Any) -> str | None:
    """What a table that is not in memory is called; None for any other.

    Examples
    --------
    >>> from planetree.table.lazy_tables import _lazy_kind
    >>> _lazy_kind([[0.0]]) is None
    True
    """
    kind = type(X)
    if getattr(kind, "is_in_parts", False):
        return _IN_PARTS
    if hasattr(kind, "__dask_graph__"):
        return f"a Dask {kind.__name__}"
    if hasattr(kind, "get_fragments"):
        return "a pyarrow Dataset"
    is_lazy = kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars")
    return "a lazy frame" if is_lazy else None


def refuse_lazy(X: Any, owner: str) -> None:
    """Raise if a table is not in memory, and say what to do with it."""
    kind = _lazy_kind(X)
    if kind is None:
        return
    load = "" if kind == _IN_PARTS else _LOAD
    opened = "partitions" if kind == _IN_PARTS else "open_partitions(source, target=...)"
    raise TypeError(
        f"{owner} was given {kind}, which it would have to load whole.{load} To fit, take some of "
        f"its rows, planetree.distributed.sample({opened}, n), or give {opened} to an estimator "
        f"that reads it part by part: {_CAN_FIT}. To predict, use "
        "planetree.distributed.predict(model, source)."
    )


def fits_partitions(estimator: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Whether X is a table in parts that an estimator can fit; raises where something is wrong."""
    if _lazy_kind(X) != _IN_PARTS or not hasattr(estimator, "_fit_partitions"):
        refuse_lazy(X, type(estimator).__name__)
        return False
    if y is not None or sample_weight is not None:
        raise ValueError(
            "Partitions hold their classes and weights: name them in open_partitions(source, "
            "target=..., weight=...), and call fit without y and sample_weight."
        )
    return True
