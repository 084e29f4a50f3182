"""Tables in parts: rows with labels given once, and samples that no partitioning changes."""

import numpy as np
import pytest
from parted_rows import table

from planetree import RobustSeparator
from planetree.distributed import open_partitions, sample


def test_some_rows_are_the_same_for_any_partitioning():
    X, y = table(6, 3000, 3, 3, "plain")
    parts = [open_partitions([(X[i::p], y[i::p]) for i in range(p)]) for p in (1, 2, 7)]
    first, *others = (sample(each, 200) for each in parts)
    assert first.X.values.shape == (200, 3)
    rows = {tuple(row) for row in X}
    assert all(tuple(row) in rows for row in first.X.values)
    for other in others:
        assert np.array_equal(other.X.values, first.X.values)
        assert np.array_equal(other.y, first.y)


def test_rows_that_change_between_two_reads_are_noticed():
    X, y = table(7, 500, 3, 2, "plain")

    class Moving:
        name = "moving part"
        reads = 0

        def read(self):
            self.reads += 1
            return (X if self.reads < 3 else X + 1e-9, y)

    parts = open_partitions([(X, y)])
    object.__setattr__(parts, "parts", (Moving(),))
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(parts)


def test_labels_are_given_once():
    parts = open_partitions([([[0.0], [1.0]], [0, 1])])
    with pytest.raises(ValueError, match="call fit without y"):
        RobustSeparator().fit(parts, [0, 1])
    with pytest.raises(ValueError, match="requires y"):
        RobustSeparator().fit([[0.0], [1.0]])
    with pytest.raises(TypeError, match="have to load whole"):
        np.asarray(parts)


def test_a_sample_of_few_distinct_rows_has_them_all_with_their_weights():
    """Equal rows have equal hashes: taken one by one, the sample would be copies of one row."""
    rng = np.random.default_rng(11)
    X, y = rng.integers(0, 2, (5000, 2)) * 1.0, rng.integers(0, 2, 5000)
    for p in (1, 3):
        some = sample(open_partitions([(X[i::p], y[i::p]) for i in range(p)]), 100)
        rows = {(*map(float, x), int(c)) for x, c in zip(some.X.values, some.y, strict=True)}
        assert len(rows) == len(some.y) == 8
        assert some.sample_weight.sum() == 5000
        for x, c, w in zip(some.X.values, some.y, some.sample_weight, strict=True):
            assert w == np.sum((x == X).all(axis=1) & (y == c))


def test_rows_and_labels_of_a_part_are_as_many():
    with pytest.raises(ValueError, match="part 0: There are 3 rows, but 2 labels"):
        RobustSeparator().fit(open_partitions([([[0.0], [1.0], [2.0]], [0, 1])]))
