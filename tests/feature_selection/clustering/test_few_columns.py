"""Few columns: one that suffices alone is found, and none is added that spoils it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from planetree.clock import UNLIMITED
from planetree.feature_selection.clustering import few_columns as module
from planetree.feature_selection.clustering.few_columns import few_columns


class Rows:
    """Constraints G x >= 0, all of them in every program."""

    def __init__(self, G, usable=None):
        self.G, self.clock, self.n_rows = np.asarray(G, dtype=float), UNLIMITED, len(G)
        n = self.G.shape[1]
        self.usable = np.ones(n, dtype=bool) if usable is None else usable

    def widest_room(self, upper, n_features):
        m, n = self.G.shape
        found = linprog(
            np.append(np.zeros(n), -1.0),
            A_ub=np.column_stack([-self.G, np.ones(m)]),
            b_ub=np.zeros(m),
            A_eq=np.append(np.ones(n), 0.0)[None],
            b_eq=[n_features],
            bounds=[*((0, each) for each in upper), (None, None)],
        )
        return found.x[:-1]

    def worst_violation(self, x):
        return max(0.0, float(-(self.G @ x).min()))

    def every_row(self):
        return self.G


def tables(seed, n_rows=6, n_columns=8):
    return np.random.default_rng(seed).integers(-5, 8, size=(n_rows, n_columns))


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_where_a_column_suffices_alone_no_constraint_is_violated(seed, most):
    rows = Rows(tables(seed))
    upper = few_columns(rows, most)
    assert set(upper) <= {0.0, 1.0}
    assert 1 <= upper.sum() <= most
    if rows.G.min(axis=0).max() >= 0:
        assert rows.worst_violation(upper) == 0


def test_rounds_miss_a_column_that_one_by_one_finds():
    G = np.array([[9.0, -1, 1], [-1, 9, 1]])
    assert few_columns(Rows(G), 1).tolist() == [0, 0, 1]
    assert Rows(G).widest_room(np.ones(3), 1).argmax() != 2


def test_columns_that_cannot_be_used_are_left_out():
    usable = np.array([True, True, False])
    assert few_columns(Rows(np.ones((2, 3)), usable), 3).tolist() == [1, 1, 0]
    assert few_columns(Rows([[9, -1, 1], [-1, 9, 1]], usable), 1)[2] == 0


def test_of_large_tables_the_rounds_are_all_that_is_tried(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CELLS", 5)
    assert few_columns(Rows([[9.0, -1, 1], [-1, 9, 1]]), 1)[2] == 0


@pytest.mark.parametrize("most", [3, 9])
def test_without_a_choice_all_usable_columns_weigh(most):
    assert few_columns(Rows(-np.ones((2, 3))), most).tolist() == [1, 1, 1]
