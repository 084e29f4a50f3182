"""Reads of all parts: counted, and refused when the rows have changed."""

import numpy as np
import pytest
from parted_tables import frame_of, parts_of

from planetree import PlaneTreeClassifier
from planetree.tree.partitioned.reader import RowReader


class Moving:
    """A part whose rows differ from one read on."""

    name = "moving part"

    def __init__(self, frame, at):
        self.frame, self.at, self.n_reads = frame, at, 0

    def read(self):
        self.n_reads += 1
        moved = self.frame.assign(a=self.frame.a + 1e-9)
        return self.frame if self.n_reads < self.at else moved


@pytest.mark.parametrize("at", [4, 8])
def test_rows_that_change_between_two_reads_of_a_tree_are_noticed(few_rows, at):
    frame = frame_of(3000, 8).drop(columns="times")
    parts = parts_of(frame, 2)
    moving = type(parts)((Moving(frame[::2], at), *parts.parts[1:]), "kind")
    with pytest.raises(ValueError, match="changed since they were read first"):
        PlaneTreeClassifier(max_splits=1).fit(moving)


class Alone:
    """An engine that runs work on one part after the other."""

    def run(self, work, parts, *given):
        return [work(part, *given) for part in parts]


class Rows:
    def __init__(self, n):
        self.n = n

    def rows(self):
        return np.ones((self.n, 2)), np.zeros(self.n, dtype=np.int32), np.ones(self.n)


def test_a_read_is_counted_with_the_bytes_of_what_came_back():
    reader = RowReader(Alone(), [Rows(3), Rows(5)], n_reads=2, n_bytes=100)
    found = reader.read(lambda rows, factor: factor * rows[2], 2.0)
    assert [each.tolist() for each in found] == [[2.0] * 3, [2.0] * 5]
    assert (reader.n_reads, reader.n_bytes) == (3, 100 + 8 * 8)
