"""The target: a class code and a weight for each row.

With classes c_0 < c_1 < ... the code of a row of label c_j is j. A weight of w counts the row w
times, so a row of weight 0 is no row at all: neither its label nor its categories exist.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from planetree.arrays import Floats, Indices, Mask
from planetree.parameters import listed
from planetree.table.columns import as_floats, cell_kinds, look_up, without_signals

_LEAST_WEIGHT, _MOST_WEIGHT = 1e-50, 1e50  # sums of a billion, and their squares, stay numbers


class _Classes(NamedTuple):
    """Class code of each row, and the sorted labels that the codes stand for."""

    codes: Indices
    labels: NDArray[Any]

    def of_rows(self, keep: Mask) -> _Classes:
        """The classes of some rows; a label that none of them has is gone."""
        used, codes = np.unique(self.codes[keep], return_inverse=True)
        return _Classes(codes, self.labels[used])


def read_classes(y: Any) -> _Classes:
    """Classes of a plain array or list of labels."""
    values = _one_column(np.asarray(y))
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers, not class labels.")
    if values.dtype.kind in "OUS":
        return _classes_of_objects(values)
    if values.dtype.kind not in "iub":
        _refuse_missing(np.flatnonzero(values != values))
    if values.dtype.kind == "f":
        _refuse_continuous(values)
    return _classes_of_numbers(values)


def _one_column(values: NDArray[Any]) -> NDArray[Any]:
    """Labels as a one-dimensional array; a matrix of one column is taken with a warning."""
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please change the shape of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=6,
        )
        return values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"y should be a 1d array of one class label per row, but its shape is {values.shape}."
        )
    return values


def _refuse_missing(rows: Indices) -> None:
    """Raise if a row has no label."""
    if len(rows):
        raise ValueError(
            f"Input y contains NaN: the label of row {rows[0]} (counting from 0) is missing, the "
            f"first of {len(rows)}. Remove the rows without a label."
        )


def _refuse_continuous(values: NDArray[np.floating]) -> None:
    """Raise if labels are numbers that are not whole."""
    with np.errstate(invalid="ignore"):
        rows = np.flatnonzero(~np.isfinite(values) | (values != np.trunc(values)))
    if len(rows):
        raise ValueError(
            f"Unknown label type: continuous. The label of row {rows[0]} (counting from 0) is "
            f"{values[rows[0]].item()!r}, but class labels are whole numbers, booleans or text. "
            "Sort the numbers into ranges first, or use a regressor."
        )


def _classes_of_numbers(values: NDArray[Any]) -> _Classes:
    """Classes of whole numbers, booleans or dates; a short range is counted, not sorted."""
    if values.dtype.kind in "iuf" and len(values):
        low, high = values.min(), values.max()
        if float(high) - float(low) < 1000:
            wide = values.astype(np.int64) if values.dtype.kind == "i" else values
            offsets = (wide - low).astype(np.intp)
            used = np.bincount(offsets) > 0
            if used.all() and values.dtype.kind == "i":
                return _Classes(offsets, (low + np.arange(len(used))).astype(values.dtype))
            a_row = np.zeros(len(used), dtype=np.intp)
            a_row[offsets] = np.arange(len(values))
            return _Classes((np.cumsum(used) - 1)[offsets], values[a_row[used]])
    labels, codes = np.unique(values, return_inverse=True)
    return _Classes(codes, labels)


def _classes_of_objects(values: NDArray[Any]) -> _Classes:
    """Classes of text or of Python objects that can be hashed and sorted."""
    cells = without_signals(values.tolist())
    if values.dtype.kind == "O":
        kinds = cell_kinds(cells)
        if "missing" in kinds.values() or "number" in kinds.values():
            _refuse_missing_cells(cells, kinds)
    try:
        labels = sorted(set(cells))
    except TypeError as error:
        kinds_found = listed(sorted({type(cell).__name__ for cell in cells}))
        raise ValueError(
            f"Unknown label type: y mixes or nests labels of type {kinds_found}. "
            "Make them all text, all booleans or all whole numbers."
        ) from error
    classes = np.empty(len(labels), dtype=values.dtype)
    classes[:] = labels
    return _Classes(look_up(cells, labels), classes)


def _refuse_missing_cells(cells: list[Any], kinds: dict[type, str]) -> None:
    """Raise if a label is None, NA or NaN, or a number that is not whole."""
    words = [kinds[type(cell)] for cell in cells]
    pairs = list(zip(words, cells, strict=True))
    _refuse_missing(
        np.flatnonzero([w == "missing" or (w == "number" and c != c) for w, c in pairs])
    )
    fractions = [c if w == "number" and not isinstance(c, int) else 0 for w, c in pairs]
    _refuse_continuous(np.array(fractions, dtype=np.float64))


def read_weights(sample_weight: Any, n_rows: int, *, allow_zeros: bool = False) -> Floats:
    """Weights of the rows: finite, not negative, not all zero unless allowed; ones by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    given = np.asarray(sample_weight)
    if np.iscomplexobj(given):
        raise ValueError("sample_weight must hold real numbers, but it holds complex ones.")
    try:
        weights = as_floats(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"sample_weight must hold numbers: {error}.") from error
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold one number per row, {n_rows} in all, but its shape is "
            f"{weights.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"sample_weight must be finite and not negative, but the weight of row {bad[0]} "
            f"(counting from 0) is {weights[bad[0]].item()!r}."
        )
    if not weights.any():
        if allow_zeros:
            return weights
        raise ValueError("The weights are all zero: sample_weight leaves no row to learn from.")
    least, most = weights[weights > 0].min(), weights.max()
    if least < _LEAST_WEIGHT or most > _MOST_WEIGHT:
        raise ValueError(
            f"The weights range from {least:.3g} to {most:.3g}. Their sums and products would be "
            f"lost to rounding: those that are not 0 must lie between {_LEAST_WEIGHT:g} and "
            f"{_MOST_WEIGHT:g}. Divide sample_weight by its mean."
        )
    return weights


def read_class_weight(
    class_weight: Any, labels: NDArray[Any], codes: Indices, weights: Floats
) -> Floats:
    """Factor for the weights of each class: given by label, or such that all weigh the same."""
    n_classes = len(labels)
    if class_weight is None:
        return np.ones(n_classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, n_classes)
        return totals.sum() / (n_classes * totals)
    if not isinstance(class_weight, dict):
        raise ValueError(
            f"class_weight must be a dict, 'balanced' or None, but it is {class_weight!r}."
        )
    unknown = set(class_weight) - set(labels.tolist())
    if unknown:
        raise ValueError(
            f"class_weight names the classes {sorted(unknown, key=str)}, but y holds "
            f"{labels.tolist()}."
        )
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels.tolist()])
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise ValueError(f"class_weight must hold positive numbers, but it is {class_weight!r}.")
    return factors


def read_costs(costs: Any, labels: NDArray[Any]) -> Floats:
    """Cost of a row of one class (row) that another (column) is predicted for; 1 by default.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table.labels import read_costs
    >>> read_costs([[0, 1], [5, 0]], np.array(["ill", "well"]))
    array([[0., 1.],
           [5., 0.]])
    """
    k = len(labels)
    if costs is None:
        return 1.0 - np.eye(k)
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"costs must be a matrix of numbers: {error}.") from error
    if matrix.shape != (k, k):
        raise ValueError(
            f"costs must have a row and a column for each of {k} classes, {labels.tolist()}, but "
            f"its shape is {matrix.shape}."
        )
    if np.diag(matrix).any() or not (np.isfinite(matrix) & (matrix + np.eye(k) > 0)).all():
        raise ValueError(f"costs must be 0 on the diagonal and positive elsewhere, not {costs!r}.")
    return matrix
