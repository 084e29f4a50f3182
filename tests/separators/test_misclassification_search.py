"""Conflicts: sets of rows that no plane has all on their own side, proved in whole numbers."""

import numpy as np
import pytest
from scipy.optimize import linprog

from planetree.clock import UNLIMITED
from planetree.separators.misclassification_search import Conflicts, _best_cut


def test_a_set_that_a_plane_separates_is_never_taken_for_a_conflict():
    X = np.array([[0.0], [1.0], [3.0]])
    conflicts = Conflicts(X, X, np.array([True, False, True]), np.ones(3))
    assert conflicts._is_proved(np.array([0, 1, 2]))
    assert not conflicts._is_proved(np.array([1, 2]))
    assert not conflicts._is_proved(np.array([0, 2]))
    apart = Conflicts(X, X, np.array([True, True, False]), np.ones(3))
    assert not apart._is_proved(np.array([0, 1, 2]))  # they add up to 0, but not with signs >= 0


def test_what_rounding_alone_makes_a_conflict_is_not_proved():
    """0.1 + 0.2 exceeds 0.3 in binary: the middle of three rows is just beyond their line."""
    X = np.array([[0.1, 0.1], [0.1 + 0.2, 0.3], [0.2, 0.2]])
    conflicts = Conflicts(X, X, np.array([True, True, False]), np.ones(3))
    assert not conflicts._is_proved(np.array([0, 1, 2]))


@pytest.mark.parametrize("seed", range(5))
def test_each_conflict_is_infeasible_and_none_of_its_rows_can_be_spared(seed):
    rng = np.random.default_rng(seed)
    X, above = rng.normal(size=(25, 3)), rng.integers(0, 2, 25) == 1
    conflicts, found = Conflicts(X, X, above, np.ones(25)), []
    add = conflicts.add
    conflicts.add = lambda rows: (found.append(rows), add(rows))
    plane = conflicts.separate(np.ones(25, dtype=bool), UNLIMITED)
    S = np.where(above, 1.0, -1.0)[:, None] * np.column_stack([X, -np.ones(25)])

    def separable(rows):
        return linprog(np.zeros(4), -S[rows], -np.ones(len(rows)), bounds=(None, None)).success

    assert found
    assert conflicts.all_proved
    left = np.setdiff1d(np.arange(25), np.concatenate(found))
    assert (S[left] @ plane > 0).all()
    for rows in found:
        assert len(rows) <= 5  # Kirchberger: two more than there are columns
        assert not separable(rows)
        assert all(separable(np.delete(rows, i)) for i in range(len(rows)))


@pytest.mark.parametrize("seed", range(10))
def test_the_best_cut_of_a_direction_is_the_best_of_all_its_offsets(seed):
    rng = np.random.default_rng(seed)
    Z, above = rng.integers(0, 5, (12, 1)).astype(float), rng.integers(0, 2, 12) == 1
    Z[:2, 0] = 0, 4
    charges = rng.integers(1, 4, 12).astype(float)
    cut = _best_cut(np.ones(1), Z, above, charges)
    offsets = np.arange(-0.5, 5)
    sides = [sign * (Z[:, 0] - offset) > 0 for offset in offsets for sign in (1, -1)]
    assert cut.charge == min(charges[side != above].sum() for side in sides)
    assert cut.charge == charges[(Z @ cut.weights > cut.offset) != above].sum()
