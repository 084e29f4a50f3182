"""Ways to put classes on two sides."""

import numpy as np
import pytest

from planetree.tree.plane.class_planes import class_sides
from planetree.tree.plane.plane_search import Rows


def _rows(seed, n_classes, n=200):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_classes), rng.integers(n_classes, size=n - n_classes))
    E = rng.normal(size=(n, 3)) + 3 * rng.normal(size=(n_classes, 3))[codes]
    return Rows(E, E, codes, np.ones(n), rng.random(n))


@pytest.mark.parametrize("n_classes", [3, 4, 9, 20])
def test_no_way_is_another_or_its_reverse_and_each_has_classes_on_both_sides(n_classes):
    rows = _rows(0, n_classes)
    ways = class_sides(rows, rows.E, [], n_classes)
    keys = {min(way.tobytes(), (~way).tobytes()) for way in ways}
    assert len(keys) == len(ways) <= 12
    assert all(way.any() and not way.all() for way in ways)


def test_each_class_is_put_against_the_rest():
    rows = _rows(1, 4)
    ways = class_sides(rows, rows.E, [], 4)
    alone = [way for way in ways if way.sum() in (1, 3)]
    assert len({min(way.tobytes(), (~way).tobytes()) for way in alone}) == 4


def test_a_cut_puts_each_class_where_most_of_it_is():
    rows = _rows(2, 4)
    above = np.isin(rows.codes, [1, 3])
    wanted = np.array([False, True, False, True])
    ways = class_sides(rows, rows.E, [above], 4)
    assert any(np.array_equal(way, wanted) or np.array_equal(~way, wanted) for way in ways)


def test_two_classes_have_one_way_and_one_class_none():
    rows = _rows(3, 2)
    (way,) = class_sides(rows, rows.E, [], 5)
    assert np.flatnonzero(way).tolist() == [1]
    alone = rows.of(rows.codes == 0, rows.weights[rows.codes == 0])
    assert class_sides(alone, alone.E, [], 5) == []
