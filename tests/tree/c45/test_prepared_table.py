"""Many subsets of the columns on one table: each as if it were the only one."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree.table import Column, Table
from planetree.tree import Growth, PreparedTable

pytestmark = pytest.mark.core

CONFIDENCES = [None, 0.05, 0.25, 0.95]


def made_up(rng, n_rows, n_columns, n_classes, missing):
    """Numbers with ties and categories, some missing, and classes that lean on the first column."""
    values, columns = np.empty((n_rows, n_columns)), []
    for j in range(n_columns):
        if rng.random() < 0.5:
            values[:, j] = np.round(rng.normal(size=n_rows), int(rng.integers(0, 3)))
            columns.append(Column(f"x{j}"))
        else:
            n_values = int(rng.integers(2, 30))
            values[:, j] = rng.integers(n_values, size=n_rows)
            columns.append(Column(f"x{j}", tuple(map(str, range(n_values)))))
    codes = (
        np.argsort(np.argsort(values[:, 0])) * n_classes // n_rows + rng.integers(2, size=n_rows)
    ) % n_classes
    values[rng.random(values.shape) < missing] = np.nan
    return Table(values, tuple(columns)), codes


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_columns = draw(st.integers(1, 6))
    table, codes = made_up(
        rng,
        draw(st.integers(10, 150)),
        n_columns,
        draw(st.integers(2, 3)),
        draw(st.sampled_from([0.0, 0.0, 0.03])),
    )
    subsets = [np.flatnonzero(rng.random(n_columns) < 0.6) for _ in range(8)]
    growth = Growth(
        draw(st.sampled_from([1, 2, 5])),
        draw(st.sampled_from(["gain_ratio", "gain"])),
        draw(st.booleans()),
    )
    arithmetic = draw(st.sampled_from(["single", "double"]))
    prepared = PreparedTable(table, codes, n_classes=3, arithmetic=arithmetic)
    return prepared, codes, subsets, growth


def one_by_one(prepared, codes, folds, features, growth):
    """The oracle: each tree is grown, pruned and asked on its own."""
    sizes = np.empty((folds.max() + 1, len(CONFIDENCES)), dtype=int)
    for fold in range(folds.max() + 1):
        grown = prepared.grow(np.flatnonzero(folds != fold), features, growth)
        trees = [grown.tree() if c is None else grown.prune(c) for c in CONFIDENCES]
        sizes[fold] = [tree.n_nodes for tree in trees]
    return sizes


@settings(max_examples=60)
@given(problems(), st.sampled_from([0.0, 0.002, 0.05, 10.0]), st.integers(1, 3))
def test_neither_memory_nor_threads_change_a_result(problem, memory, n_jobs):
    prepared, codes, subsets, growth = problem
    folds = np.arange(len(codes)) % 4
    with prepared.cross_validator(
        folds, CONFIDENCES, growth, n_jobs=n_jobs, memory=memory
    ) as validator:
        for features in subsets + subsets:
            found = validator.run(features)
            alone = prepared.cross_val_errors(folds, features, CONFIDENCES, growth)
            assert np.array_equal(found.errors, alone.errors)
            assert np.array_equal(found.n_nodes, alone.n_nodes)
            assert np.array_equal(
                found.n_nodes, one_by_one(prepared, codes, folds, features, growth)
            )


def test_threads_may_share_a_validator():
    rng = np.random.default_rng(0)
    table, codes = made_up(rng, 200, 8, 3, 0.0)
    prepared, folds = PreparedTable(table, codes), np.arange(200) % 5
    subsets = [np.flatnonzero(rng.random(8) < 0.5) for _ in range(40)]
    with prepared.cross_validator(folds, memory=1.0) as validator, ThreadPoolExecutor(4) as pool:
        found = [result.errors for result in pool.map(validator.run, subsets)]
    for features, errors in zip(subsets, found, strict=True):
        assert np.array_equal(errors, prepared.cross_val_errors(folds, features).errors)


def test_bad_columns_and_folds_are_refused():
    table, codes = made_up(np.random.default_rng(0), 20, 3, 2, 0.0)
    prepared = PreparedTable(table, codes)
    with prepared.cross_validator(np.arange(20) % 2) as validator, pytest.raises(IndexError):
        validator.run([3])
    with pytest.raises(ValueError, match="Every row of the table needs a fold"):
        prepared.cross_validator(np.arange(19) % 2)
    with pytest.raises(ValueError, match="weight 0"):
        prepared.cross_val_errors(np.zeros(20, dtype=int))
