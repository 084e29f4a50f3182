"""Canonical rows of the compiled core against their definition, number by number in Python."""

import math
import struct
from collections import defaultdict

import numpy as np
import pytest

from campaigns import plain_tables
from planetree.table import Column, Table, canonical, canonical_order

pytestmark = pytest.mark.core

WORD = 2**64 - 1


def stir(key):
    key = key * 0x9E3779B97F4A7C15 & WORD
    return key ^ key >> 29


def mix(key):
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        key = (key ^ key >> shift) * factor & WORD
    return key ^ key >> 31


def bits(number):
    return struct.unpack("<Q", struct.pack("<d", math.nan if math.isnan(number) else number))[0]


def hash_of(row, part):
    for cell in row:
        part = stir(part ^ bits(cell))
    return part


def scaled(table):
    """Rows whose columns of numbers were divided by powers of two, with one zero."""
    rows = table.values.tolist()
    for j, column in enumerate(table.columns):
        known = [abs(row[j]) for row in rows if not math.isnan(row[j])]
        power = math.frexp(max(known, default=0.0))[1] if column.categories is None else 0
        for row in rows:
            row[j] = math.ldexp(row[j], -power) + 0.0
    return rows


def column_order(kinds, n_categories, n_rounds=3):
    """Columns by keys that sum up cells mixed with the keys of their rows, in turns."""
    totals = defaultdict(float)
    for c, weight in sorted((c, weight) for _, _, c, weight in kinds):
        totals[c] += weight
    rows = [mix(bits(weight) ^ mix(bits(totals[c]))) for _, _, c, weight in kinds]
    keys = list(n_categories)
    for _ in range(n_rounds):
        for row_key, (cells, *_) in zip(rows, kinds, strict=True):
            keys = [k + stir(bits(v) ^ row_key) for k, v in zip(keys, cells, strict=True)]
        keys = [mix(key & WORD) for key in keys]
        if len(set(keys)) == len(keys):
            break
        classes = defaultdict(int)
        for i, (cells, _, c, _) in enumerate(kinds):
            rows[i] += sum(stir(bits(v) ^ k) for k, v in zip(keys, cells, strict=True))
            rows[i] &= WORD
            classes[c] += mix(rows[i])
        rows = [mix(key ^ mix(classes[kinds[i][2]] & WORD)) for i, key in enumerate(rows)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def by_definition(table, codes, weights, parts):
    """Columns in order; and cells, class, weight and hash of each row in order."""
    merged = defaultdict(list)
    for row, c, weight, part in zip(scaled(table), codes, weights, parts, strict=True):
        merged[tuple(map(bits, row)), part, c].append((weight, row))
    kinds = []
    for (_, part, c), same in merged.items():
        kinds.append((same[0][1], part, c, sum(sorted(weight for weight, _ in same))))
    order = column_order(kinds, [len(column.categories or ()) for column in table.columns])
    found = []
    for cells, part, c, weight in kinds:
        cells = [cells[j] for j in order]
        found.append((hash_of(cells, part), c, cells, weight))
    return order, sorted(found, key=lambda each: each[:2])


@pytest.mark.parametrize("number", range(12))
def test_rows_are_merged_and_ordered_as_defined(number):
    drawn = plain_tables.draw(3, number)
    rng = np.random.default_rng(number)
    table, m = Table.read(drawn.X), len(drawn.y)
    weights = rng.choice([1.0, 2.0, 0.1], size=m) if number % 2 else np.ones(m)
    parts = rng.integers(0, 2, size=m) if number % 5 == 0 else None
    found = canonical(
        table, drawn.y, weights, n_classes=drawn.n_classes, keep_classes=True, parts=parts
    )
    order, rows = by_definition(
        table, drawn.y.tolist(), weights.tolist(), [0] * m if parts is None else parts.tolist()
    )
    assert found.columns.tolist() == order
    np.testing.assert_array_equal(found.table.values, [cells for _, _, cells, _ in rows])
    assert found.codes.tolist() == [c for _, c, _, _ in rows]
    assert found.weights.tolist() == [weight for *_, weight in rows]
    np.testing.assert_array_equal(found.in_units().values[found.which], drawn_cells(table, order))
    np.testing.assert_array_equal(found.codes[found.which], drawn.y)


def drawn_cells(table, order):
    return table.values[:, order] + 0.0


def test_many_rows_of_few_kinds_are_merged():
    """The sum of the weights of a kind is the number of its rows."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(3000, 2)).astype(float), rng.integers(0, 2, size=3000)
    found = canonical(Table.read(X), y, np.ones(3000), n_classes=2)
    kinds, counts = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    assert len(found.weights) == len(kinds)
    assert sorted(found.weights.tolist()) == sorted(counts.tolist())
    np.testing.assert_array_equal(np.bincount(found.which), found.weights)


def test_columns_of_extreme_size_keep_their_units():
    """Dividing 1e200 by a power of two is fine, but products of such columns would not be."""
    X = np.array([[1e200, 1e-200, 3.0], [2e200, 5e-200, 1.0]])
    found = canonical(Table.read(X), np.array([0, 1]), np.ones(2), n_classes=2)
    units = dict(zip(found.columns.tolist(), found.exponents.tolist(), strict=True))
    assert units == {0: 0, 1: 0, 2: 2}


def test_a_part_of_a_part_knows_which_rows_of_the_table_are_in_it():
    """The bug: rows outside the first part counted as the last row of the second."""
    X = np.arange(6.0)[:, None]
    rows = canonical(Table(X, (Column("x"),)), np.array([0, 1] * 3), np.ones(6), n_classes=2)
    part = rows.part(np.array([0, 2, 3, 5])).part(np.array([1, 3]))
    inside = np.flatnonzero(part.which >= 0)
    assert len(inside) == 2
    for row in inside:
        cell = part.table.values[part.which[row], 0] * np.ldexp(1.0, part.exponents[0])
        assert cell == X[row, 0]


@pytest.mark.parametrize("number", range(6))
def test_cells_that_are_copied_late_are_those_of_all_rows(number):
    drawn = plain_tables.draw(4, number)
    table, weights = Table.read(drawn.X), np.ones(len(drawn.y))
    whole = canonical(table, drawn.y, weights, n_classes=drawn.n_classes)
    order = canonical_order(table, drawn.y, weights, n_classes=drawn.n_classes)
    rng = np.random.default_rng(number)
    chosen = np.flatnonzero(rng.random(len(whole.codes)) < 0.5)
    read = np.flatnonzero(rng.random(len(whole.columns)) < 0.5)
    assert_same(order.whole(), whole)
    assert_same(order.part(chosen), whole.part(chosen))
    few = order.of_columns(read)
    assert_same(few._replace(table=whole.table), whole)
    assert few.table.columns == whole.table.columns
    np.testing.assert_array_equal(few.given_cells(read), whole.given_cells(read))
    assert not np.delete(few.table.values, np.argsort(whole.columns)[read], axis=1).any()


def assert_same(one, other):
    np.testing.assert_array_equal(one.table.values, other.table.values)
    assert one.table.columns == other.table.columns
    for a, b in zip(one[1:], other[1:], strict=True):
        np.testing.assert_array_equal(a, b)
