"""Planes found again on all rows: the same for any partitioning."""

import numpy as np
from parted_tables import frame_of, parts_of

from planetree import PlaneTreeClassifier
from planetree.distributed import open_partitions


def test_the_tree_is_the_same_for_any_partitioning(few_rows):
    frame = frame_of(3000, 3, gaps=0.03).drop(columns="times")
    first, *others = (PlaneTreeClassifier(max_splits=2).fit(parts_of(frame, p)) for p in (1, 4))
    by_class = [part for _, part in frame.groupby("kind")]
    others.append(PlaneTreeClassifier(max_splits=2).fit(open_partitions(by_class, "kind")))
    for other in others:
        assert other.to_text() == first.to_text()
        assert np.allclose(other.tree_.leaf_probabilities, first.tree_.leaf_probabilities)
        bounds = [[c.bound for c in model.certificates_] for model in (first, other)]
        assert np.allclose(*bounds, rtol=1e-12, equal_nan=True)
    assert first.n_reads_ <= 5 * first.get_depth() + 8


def test_uneven_parts_tell_as_many_rows_as_even_ones(few_rows):
    """Of 40 parts one has nearly all rows: it tells as many as all are asked for."""
    frame = frame_of(3000, 9).drop(columns="times")
    uneven = [frame[39:], *(frame[i : i + 1] for i in range(39))]
    found = PlaneTreeClassifier(max_splits=1).fit(open_partitions(uneven, "kind"))
    even = PlaneTreeClassifier(max_splits=1).fit(parts_of(frame, 2))
    assert found.to_text() == even.to_text()
    assert found.n_reads_ == even.n_reads_ + 1
