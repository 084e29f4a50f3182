"""What rounding and grading ask of parts adds up to what all rows at once say."""

import numpy as np
import pytest
from parted_tables import frame_of

from planetree import PlaneTreeClassifier
from planetree.planes import Planes
from planetree.tree.partitioned.finishing import AllRows, rounded_tree


class Reader:
    """Reads of two parts, one row of every two each."""

    def __init__(self, rows):
        self.parts = [tuple(each[i::2] for each in rows) for i in range(2)]

    def read(self, work, *given):
        return [work(part, *given) for part in self.parts]


@pytest.fixture(scope="module")
def fitted():
    frame = frame_of(400, 1)
    X = frame.drop(columns=["kind", "times"])
    model = PlaneTreeClassifier(max_splits=2, grading=None).fit(X, frame.kind)
    codes = np.searchsorted(model.classes_, frame.kind).astype(np.int32)
    return model, (model._read(X), codes, np.ones(len(X)))


def test_the_counts_of_the_nodes_are_those_of_memory(fitted):
    model, rows = fitted
    counts = AllRows(Reader(rows), 2).counts(model.tree_)
    np.testing.assert_allclose(counts, model.tree_.class_weights)


def test_sums_beside_a_threshold_are_the_nearest_of_all_rows(fitted):
    model, rows = fitted
    plane, X = model.tree_.splits[0], rows[0]
    totals = np.sort((plane.scores(X) + plane.offsets)[:, 0])
    middle = float(np.median(totals))
    found = AllRows(Reader(rows), 2).totals_beside(model.tree_, {0: middle})[0]
    below, above = totals[totals <= middle].max(), totals[totals > middle].min()
    assert {below, above, totals[0], totals[-1]} <= set(found)
    assert not any(below < each < above for each in found)
    assert AllRows(Reader(rows), 2).totals_beside(model.tree_, {}) == {}


def test_rounded_weights_have_few_digits_and_send_every_row_the_same_way(fitted):
    model, rows = fitted
    given = model.tree_
    few = rounded_tree(given, Reader(rows))
    assert np.array_equal(few.apply(rows[0]), given.apply(rows[0]))
    for split in few.splits:
        if isinstance(split, Planes):
            assert all(
                len(f"{abs(w):.15g}".replace(".", "").strip("0")) <= 6 for w in split.weights.flat
            )
