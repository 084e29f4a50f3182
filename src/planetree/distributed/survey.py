"""What the first read tells of one part."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Hashes, Indices, Mask, mix_bits
from planetree.table import Column, Table
from planetree.table.labels import read_classes, read_weights
from planetree.table.sources import as_labels, as_plain, split_target, take_rows

RARE = 100  # rows of a class that are taken, if it has so many, whatever their hashes are
_STEP = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64


class Moments(NamedTuple):
    """Weight, mean, sum of squared deviations, least and largest number, of each of some terms."""

    weight: Floats
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats


def merged_moments(parts: Sequence[Moments]) -> Moments:
    """Moments of all parts, merged in pairs (Chan, Golub & LeVeque 1979)."""
    merged = list(parts)
    while len(merged) > 1:
        pairs = zip(merged[::2], merged[1::2], strict=False)
        odd = merged[-1:] if len(merged) % 2 else []
        merged = [_joined(a, b) for a, b in pairs] + odd
    return merged[0]


def _joined(a: Moments, b: Moments) -> Moments:
    weight, apart = a.weight + b.weight, b.mean - a.mean
    share = b.weight / np.where(weight > 0, weight, 1.0)
    with np.errstate(over="ignore"):
        squares = a.squares + b.squares + apart**2 * (a.weight * share)
    mean = a.mean + apart * share
    return Moments(weight, mean, squares, np.minimum(a.low, b.low), np.maximum(a.high, b.high))


class PartSurvey(NamedTuple):
    """Columns, classes and moments of a part, and its rows with the lowest hashes.

    Parameters
    ----------
    name : str
    columns : tuple of Column
        As this part alone would have them.
    named : bool
        Whether a frame gave the names.
    n_distinct : int
        Rows, of which equal ones are one.
    labels, class_weights : arrays of shape (n_classes,)
    category_weights : tuple of arrays
        Weight of each category of each column; empty for numbers.
    moments : Moments
        Of the known cells of the columns of numbers.
    whole, gaps : boolean arrays of shape (n_columns,)
        Whether all numbers are whole, and whether a cell is missing.
    cells, codes, weights, hashes : arrays
        Some rows, by their hashes; equal rows are one, and their weights are added.
    n_lowest : int
        How many of them have the lowest hashes of the part; the others are of rare classes.
    """

    name: str
    columns: tuple[Column, ...]
    named: bool
    n_distinct: int
    labels: NDArray[Any]
    class_weights: Floats
    category_weights: tuple[Floats, ...]
    moments: Moments
    whole: Mask
    gaps: Mask
    cells: Floats
    codes: Indices
    weights: Floats
    hashes: Hashes
    n_lowest: int

    def in_order(self, names: Sequence[str]) -> PartSurvey:
        """The same with the columns of a frame in the order of these names, if it has these."""
        own = [column.name for column in self.columns]
        if own == names or not self.named or sorted(own) != sorted(names):
            return self
        order = [own.index(name) for name in names]
        return self._replace(
            columns=tuple(self.columns[j] for j in order),
            category_weights=tuple(self.category_weights[j] for j in order),
            moments=Moments(*(each[order] for each in self.moments)),
            whole=self.whole[order],
            gaps=self.gaps[order],
            cells=np.ascontiguousarray(self.cells[:, order]),
        )

    def of_number(self, column: int) -> tuple[float, float, float, float]:
        """Mean, squares, least and largest of a column of numbers."""
        _, mean, squares, low, high = (each[column] for each in self.moments)
        return mean, squares, low, high

    def is_known(self, column: int) -> bool:
        """Whether some row has a number there."""
        return bool(self.moments.low[column] <= self.moments.high[column])

    def of_category(
        self, column: int, label: Any, weight: float
    ) -> tuple[float, float, float, float]:
        """The same of the indicator of a category."""
        known, found = self.columns[column].categories or (), self.category_weights[column]
        own = found[known.index(label)] if label in known else 0.0
        share = min(1.0, own / weight)
        alone = own > 0 and np.count_nonzero(found) == 1
        return share, own * (1 - share), float(alone), float(own > 0)

    def cells_as(self, columns: Sequence[Column]) -> Floats:
        """The rows with codes of the categories of all parts."""
        out = self.cells.copy()
        for j, (own, wanted) in enumerate(zip(self.columns, columns, strict=True)):
            if own.categories is None or own.categories == wanted.categories:
                continue
            place = {label: c for c, label in enumerate(wanted.categories or ())}
            table = np.array([*(place[label] for label in own.categories), np.nan])
            known = ~np.isnan(out[:, j])
            out[known, j] = table[out[known, j].astype(np.intp)]
        return out


def survey_part(
    part: Any, target: Any, weight: Any, limit: int, missing: bool
) -> PartSurvey | None:
    """Look at a part; None if it has no rows that count."""
    try:
        X, labels, weights = counted_rows(part, target, weight)
        if len(labels) == 0:
            return None
        table = Table.read(X, owner="a table in parts", missing=missing)
        classes, rows = read_classes(labels), table.values
    except (ValueError, TypeError) as error:
        if type(error) not in (ValueError, TypeError):
            raise  # it is of a file, and names it
        raise type(error)(f"{part.name}: {error}") from error
    hashes = _row_hashes(rows, table.columns, classes.codes, classes.labels)
    distinct, first, which = np.unique(hashes, return_index=True, return_inverse=True)
    codes, places = classes.codes[first], np.arange(len(distinct))
    few = np.concatenate([places[:limit], _of_rare_classes(places[limit:], codes)])
    return PartSurvey(
        part.name,
        table.columns,
        table.named,
        len(distinct),
        classes.labels,
        np.bincount(classes.codes, weights, len(classes.labels)).astype(np.float64),
        tuple(_category_weights(c, rows[:, j], weights) for j, c in enumerate(table.columns)),
        number_moments(rows, weights),
        (np.isnan(rows) | (rows == np.trunc(rows))).all(axis=0),
        np.asarray(np.isnan(rows).any(axis=0)),
        rows[first[few]],
        codes[few],
        np.bincount(which.ravel(), weights)[few],
        distinct[few],
        min(limit, len(distinct)),
    )


def counted_rows(part: Any, target: Any, weight: Any) -> tuple[Any, NDArray[Any], Floats]:
    """Features, labels and weights of the rows of a part whose weight is not 0."""
    X, y, given = split_target(part.read(), target, weight)
    labels = np.asarray(as_labels(y, "A part"))
    cells = X.values if isinstance(X, Table) else X
    n_rows = cells.shape[0] if hasattr(cells, "shape") else len(cells)
    if n_rows != len(labels):
        raise ValueError(f"There are {n_rows} rows, but {len(labels)} labels.")
    weights = read_weights(as_plain(given), n_rows, allow_zeros=True)
    keep = weights > 0
    if keep.all():
        return X, labels, weights
    return take_rows(X, keep), labels[keep], np.ascontiguousarray(weights[keep])


def _of_rare_classes(others: Indices, codes: Indices) -> Indices:
    """Some more rows of each class: the sample of all parts has enough of every one."""
    found = [others[codes[others] == c][:RARE] for c in np.unique(codes[others])]
    return np.sort(np.concatenate(found)) if found else others[:0]


def _category_weights(column: Column, codes: Floats, weights: Floats) -> Floats:
    if column.categories is None:
        return np.empty(0)
    known = ~np.isnan(codes)
    found = np.bincount(codes[known].astype(np.intp), weights[known], len(column.categories))
    return found.astype(np.float64)


def number_moments(rows: Floats, weights: Floats) -> Moments:
    """Of the known cells of columns of numbers; what a column of categories has is of no use."""
    gaps = np.isnan(rows)
    known = np.where(gaps, 0.0, weights[:, None]).sum(axis=0)
    low = np.where(gaps, np.inf, rows).min(axis=0, initial=np.inf)
    high = np.where(gaps, -np.inf, rows).max(axis=0, initial=-np.inf)
    if not len(rows):
        return Moments(known, known, known, low, high)
    mean, scale = _core.column_moments(np.ascontiguousarray(rows), weights)
    for j in np.flatnonzero(gaps.any(axis=0)).tolist():
        there = ~gaps[:, j]
        own = np.ascontiguousarray(rows[there, j, None]), weights[there]
        found = _core.column_moments(*own) if there.any() else np.zeros((2, 1))
        mean[j], scale[j] = found[0][0], found[1][0]
    with np.errstate(over="ignore"):  # told when all parts are joined
        return Moments(known, mean, scale**2 * known, low, high)


def _row_hashes(
    rows: Floats, columns: Sequence[Column], codes: Indices, labels: NDArray[Any]
) -> Hashes:
    """Hash of the content of each row: of numbers by their bits, of categories by their labels."""
    found = _label_hashes(labels.tolist())[codes]
    for j, column in enumerate(columns):
        cells = rows[:, j] + 0.0  # -0.0 is a plain 0
        if column.categories is None:
            words = np.where(np.isnan(cells), 0.0, cells).view(np.uint64)
        else:
            at = np.where(np.isnan(cells), len(column.categories), cells).astype(np.intp)
            words = np.append(_label_hashes(column.categories), np.uint64(0))[at]
        found = mix_bits((found ^ words) + _STEP)
    return found


def _label_hashes(labels: Sequence[Any]) -> Hashes:
    digests = (hashlib.blake2b(repr(label).encode(), digest_size=8) for label in labels)
    return np.array([int.from_bytes(each.digest(), "little") for each in digests], dtype=np.uint64)


def merged_columns(surveys: Sequence[PartSurvey]) -> tuple[Column, ...]:
    """Columns of all parts: the same names in each, numbers or categories throughout."""
    first = surveys[0]
    names = [column.name for column in first.columns]
    for each in surveys:
        found = [column.name for column in each.columns]
        if found != names:
            raise ValueError(
                f"The columns of {each.name} are {found}, but those of {first.name} are {names}."
            )
    return tuple(_merged_column(j, surveys) for j in range(len(names)))


def _kind_of(label: Any) -> str:
    """What a cell is, for a message."""
    kinds = {str: "text", bool: "booleans", int: "whole numbers", float: "numbers"}
    return f"{kinds.get(type(label), 'categories')} such as {label!r}"


def refuse_mixed_labels(surveys: Sequence[PartSurvey], target: Any) -> None:
    """Raise if the classes are text in one part and something else in another."""
    first: dict[bool, PartSurvey] = {}
    for each in surveys:
        first.setdefault(isinstance(each.labels[:1].tolist()[0], str), each)
    if len(first) > 1:
        column = "y" if target is None else f"Column {target!r}"
        told = [f"{_kind_of(each.labels.tolist()[0])} in {each.name}" for each in first.values()]
        raise ValueError(f"{column} holds {', but '.join(told)}. Give it one type in all parts.")


def _merged_column(j: int, surveys: Sequence[PartSurvey]) -> Column:
    coded = [each for each in surveys if each.columns[j].categories is not None]
    plain = [each for each in surveys if each.columns[j].categories is None and each.is_known(j)]
    name = surveys[0].columns[j].name
    if not coded:
        return Column(name)
    if plain:
        label = next(iter(coded[0].columns[j].categories or ()), None)
        raise ValueError(
            f"Column {name!r} holds numbers in {plain[0].name}, but {_kind_of(label)} in "
            f"{coded[0].name}. Give it one type in all parts."
        )
    lists = [each.columns[j].categories or () for each in coded]
    joined = tuple(dict.fromkeys(label for labels in lists for label in labels))
    if all(labels == tuple(sorted(labels)) for labels in lists):
        joined = tuple(sorted(joined))
    return Column(name, joined)
