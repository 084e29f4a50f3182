"""The best division of categories into two parts is a cut in their order, by trying all of them."""

from itertools import combinations

import numpy as np
import pytest

from planetree.tree.category_order import category_orders
from planetree.tree.impurity import entropy


@pytest.mark.parametrize("seed", range(8))
def test_of_two_classes_no_division_beats_the_best_cut_of_the_order(seed):
    """Breiman and others (1984), Theorem 4.5."""
    table = np.random.default_rng(seed).integers(1, 20, size=(6, 2)).astype(float)
    ((order),) = category_orders(table, many=False)
    assert sorted(order) == [*range(6)]

    def left_over(part):
        inside = np.isin(np.arange(6), part)
        return float(sum(entropy(table[side].sum(axis=0)) for side in (inside, ~inside)))

    cuts = min(left_over(order[:k]) for k in range(1, 6))
    every = min(left_over(part) for k in range(1, 6) for part in combinations(range(6), k))
    assert cuts == pytest.approx(every)


def test_of_many_categories_shares_of_few_rows_are_drawn_to_those_of_all():
    """Two rows of one class say less than ninety of a hundred."""
    table = np.array([[2.0, 0.0], [90.0, 10.0], [50.0, 60.0]])
    (plain,), (drawn,) = category_orders(table, many=False), category_orders(table, many=True)
    assert plain.tolist() == [2, 1, 0]
    assert drawn.tolist() == [2, 0, 1]


def test_many_categories_of_three_classes_are_ordered_along_their_widest_direction_too():
    table = np.array([[50.0, 1.0, 9.0], [50.0, 9.0, 1.0], [50.0, 5.0, 5.0]]) * 10
    _, widest = category_orders(table, many=True)
    assert widest[1] == 2
    assert len(category_orders(table[:, :2], many=True)) == 1
