"""Answers to tables in parts: nothing is computed until it is asked for, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.distributed.partitions import Partitions
from planetree.distributed.parts import parts_of
from planetree.table.sources import without_columns
from planetree.table_files.pieces import stream_tables

_METHODS = ("predict", "predict_proba", "explain")


def predict(
    model: Any, source: Any, method: str = "predict", *, ignore: tuple[str, ...] = ()
) -> Any:
    """Answer each part of a table by itself.

    Parameters
    ----------
    model : fitted classifier
    source : Partitions, Arrow RecordBatchReader, or whatever `open_partitions` takes
    method : {"predict", "predict_proba", "explain"}
        Of trees, "explain" tells why rows get their classes.
    ignore : tuple of str
        Columns of frames that are no features, such as that of the classes. Those that
        `Partitions` name as classes and weights need not be named again.

    Returns
    -------
    Dask Series, DataFrame or Array
        For a Dask collection; nothing is computed yet.
    list of Delayed
        Explanations of the partitions of a Dask collection; nothing is computed yet.
    iterator of arrays, or of Explanations
        For other sources: the answers of one part after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree import RobustSeparator
    >>> from planetree.distributed import predict
    >>> model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> [each.tolist() for each in predict(model, [np.array([[0.5]]), np.array([[2.5], [0.1]])])]
    [[0], [1, 0]]
    """
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, but it is {method!r}.")
    if isinstance(source, Partitions):
        ignore = (*ignore, *(name for name in (source.target, source.weight) if name is not None))
    if method == "explain":
        return _explanations(model, source, ignore)
    if hasattr(source, "map_partitions"):
        return _of_frame(model, source, method, ignore)
    if hasattr(source, "map_blocks"):
        return _of_array(model, source, method)
    return _of_parts(model, source, method, ignore)


def _of_parts(
    model: Any, source: Any, method: str, ignore: tuple[str, ...]
) -> Iterator[NDArray[Any]]:
    for rows in _batches(source):
        if len(rows):
            yield getattr(model, method)(without_columns(rows, ignore))


def _batches(source: Any) -> Iterator[Any]:
    """Rows of one part after the other; those of a stream of Arrow come once."""
    if hasattr(source, "read_next_batch"):
        yield from stream_tables(source)
        return
    for part in source.parts if isinstance(source, Partitions) else parts_of(source):
        rows = part.read()
        yield rows[0] if isinstance(rows, tuple) else rows


def _explanations(model: Any, source: Any, ignore: tuple[str, ...]) -> Any:
    if not hasattr(model, "explain"):
        raise TypeError(f"{type(model).__name__} has no explain. Only trees have it.")
    if not hasattr(source, "to_delayed"):
        return _of_parts(model, source, "explain", ignore)
    from dask import delayed

    rows = source.rechunk({1: -1}) if hasattr(source, "rechunk") else source
    parts = np.asarray(rows.to_delayed(), dtype=object).ravel()
    return [delayed(_explained)(part, model, ignore) for part in parts]


def _explained(rows: Any, model: Any, ignore: tuple[str, ...]) -> Any:
    return model.explain(without_columns(rows, ignore)) if len(rows) else None


def _of_frame(model: Any, source: Any, method: str, ignore: tuple[str, ...]) -> Any:
    import pandas as pd

    if method == "predict":
        kind = model.classes_.dtype
        meta: Any = pd.Series(model.classes_[:0], name="predicted", dtype=kind)
    else:
        meta = pd.DataFrame({str(label): np.empty(0) for label in model.classes_.tolist()})
    return source.map_partitions(_answered, model, method, ignore, meta, meta=meta)


def _answered(rows: Any, model: Any, method: str, ignore: tuple[str, ...], meta: Any) -> Any:
    """Answers of a frame of pandas, with its index."""
    if not len(rows):
        return meta
    found = getattr(model, method)(without_columns(rows, ignore))
    if found.ndim == 1:
        return type(meta)(found, index=rows.index, name=meta.name, dtype=meta.dtype)
    return type(meta)(found, index=rows.index, columns=meta.columns)


def _of_array(model: Any, source: Any, method: str) -> Any:
    rows = source.rechunk({1: -1})
    if method == "predict":
        return rows.map_blocks(_block, model, method, drop_axis=1, dtype=model.classes_.dtype)
    k = len(model.classes_)
    chunks = (rows.chunks[0], (k,))
    return rows.map_blocks(_block, model, method, chunks=chunks, dtype=np.float64)


def _block(rows: NDArray[Any], model: Any, method: str) -> Any:
    if not len(rows):
        shape = (0,) if method == "predict" else (0, len(model.classes_))
        return np.empty(shape, model.classes_.dtype if method == "predict" else np.float64)
    return getattr(model, method)(rows)
