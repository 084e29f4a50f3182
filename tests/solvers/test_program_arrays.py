"""What a program is given: bounds as HiGHS reads them, and rows against each of their rivals."""

import numpy as np
import pytest

from planetree.solvers.program_arrays import (
    read_interval,
    read_matrix,
    read_objective,
    read_whole,
    rivals,
    signed_rows,
    steepness,
)


@pytest.mark.parametrize("n_planes", [3, 2], ids=["a plane a class", "none of the first class"])
def test_a_signed_row_gives_the_score_of_its_class_less_that_of_its_rival(n_planes):
    rng = np.random.default_rng(0)
    Z, classes = rng.normal(size=(7, 2)), np.array([0, 1, 2, 0, 1, 2, 2])
    planes = rng.normal(size=(n_planes, 3))
    scores = np.zeros((7, 3))
    scores[:, 3 - n_planes :] = Z @ planes[:, :2].T - planes[:, 2]
    own = scores[np.arange(7), classes][:, None]
    others = np.take_along_axis(scores, rivals(classes, 3), axis=1)
    found = signed_rows(Z, classes, 3, n_planes) @ planes.ravel()
    np.testing.assert_allclose(found.reshape(7, 2), own - others, atol=1e-12)


def test_rivals_are_all_classes_but_the_own():
    found = rivals(np.array([0, 1, 2]), 3)
    assert found.tolist() == [[1, 2], [0, 2], [0, 1]]


def test_one_bound_is_that_of_all_and_1e20_is_no_bound():
    low, high = read_interval(-1e20, [1.0, 1e20], 2, "column")
    assert (low.tolist(), high.tolist()) == ([-np.inf, -np.inf], [1.0, np.inf])


@pytest.mark.parametrize("bounds", [(1, 0), (np.nan, 1), (np.inf, np.inf), (-np.inf, -np.inf)])
def test_an_interval_that_holds_no_number_is_refused(bounds):
    with pytest.raises(ValueError, match=r"row 0 must lie between .*, but no number does"):
        read_interval(*bounds, 3, "row")


def test_shapes_and_sizes_that_no_program_has_are_refused():
    for wrong in (
        lambda: read_objective([[1.0]]),
        lambda: read_objective([1.0], 2),
        lambda: read_objective([np.inf]),
        lambda: read_interval([0, 0], 1, 3, "row"),
        lambda: read_matrix([[1.0]], (None, 2), "rows"),
        lambda: read_matrix([[1e15, 0.0]], (None, 2), "rows"),
        lambda: read_whole([0, 1], 2),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_steepness_is_the_sum_of_the_terms_of_a_usual_row():
    X = np.array([[0.0, 0.0], [2.0, 10.0], [4.0, 20.0]])
    assert steepness(X, np.array([[1.0, -1.0]])) == 12.0  # two of three rows
