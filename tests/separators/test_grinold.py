"""GrinoldSeparator: its program, its certificate, and the failure it is known for."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from planetree import GrinoldSeparator, MaxNormSeparator
from planetree.exceptions import AccuracyWarning


def two_classes(seed, n_rows, n_columns, shift):
    rng = np.random.default_rng(seed)
    y = np.resize([1, 0, 0], n_rows)
    X = rng.integers(-3, 4, size=(n_rows, n_columns)) + shift * y[:, None]
    return X.astype(float), y


def textbook_value(X, y, weight):
    """(3.27) as it is printed, with rows repeated, by scipy."""
    X, y = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    signs = np.where(y == 1, 1.0, -1.0)
    rows = signs[:, None] * np.column_stack([X, -np.ones(len(X))])
    n = rows.shape[1]
    result = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(rows.sum(axis=0), 0.0)[None, :],
        b_eq=[len(rows)],
        bounds=(None, None),
    )
    assert result.status == 0
    return result.fun


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(4, 25).filter(lambda n: n % 2),
    n_columns=st.integers(1, 4),
    shift=st.sampled_from([0.0, 1.0, 10.0]),
)
def test_the_plane_has_the_value_of_the_printed_program(seed, n_rows, n_columns, shift):
    X, y = two_classes(seed, n_rows, n_columns, shift)
    weight = np.random.default_rng(seed).integers(1, 4, size=n_rows)
    weight[0] += (weight[y == 1].sum() == weight[y == 0].sum()).astype(int)
    if not np.ptp(X, axis=0).any():
        return
    model = GrinoldSeparator().fit(X, y, sample_weight=weight)
    assert model.objective_ == pytest.approx(textbook_value(X, y, weight), rel=1e-8, abs=1e-8)
    assert model.gap_ <= 1e-9
    scores = np.where(y == 1, 1.0, -1.0) * model.decision_function(X)
    assert np.average(scores, weights=weight) == pytest.approx(1.0, abs=1e-7)
    assert -scores.min() == pytest.approx(model.objective_, abs=1e-7)
    assert model.bound_ >= -1.0 - 1e-9


def test_classes_that_a_plane_separates_are_separated():
    X, y = two_classes(0, 60, 3, 20.0)
    model = GrinoldSeparator().fit(X, y)
    assert model.separable_
    assert model.error_ == 0.0
    assert model.objective_ < 0
    assert model.score(X, y) == 1.0


def test_the_plane_is_lost_where_remark_3_11_says_so():
    """A = {1, 3}, B = {1/2, 2, 4}: w = 0, gamma = 5, rho = -5 is the only optimum."""
    X = np.array([[1.0], [3.0], [0.5], [2.0], [4.0]])
    model = GrinoldSeparator().fit(X, [1, 1, 0, 0, 0])
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-12)
    assert model.intercept_[0] == pytest.approx(-5.0)
    assert model.objective_ == pytest.approx(5.0)
    assert model.error_ == pytest.approx(5.0)
    assert not model.separable_


def test_equal_classes_with_equal_means_are_refused():
    """Exclusive-or: no plane satisfies the program's equation."""
    X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(ValueError, match=r"same weight and the same means.*RobustSeparator"):
        GrinoldSeparator().fit(X, [0, 0, 1, 1])


def test_three_classes_are_refused_by_name():
    with pytest.raises(ValueError, match=r"holds 3: \['a', 'b', 'c'\].*use RobustSeparator"):
        GrinoldSeparator().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])


def test_rows_that_are_all_alike_are_refused():
    with pytest.raises(ValueError, match="Every row of X has the same features"):
        GrinoldSeparator().fit([[1.0], [1.0], [1.0]], [0, 1, 1])


def test_units_do_not_change_the_answer():
    X, y = two_classes(1, 45, 4, 1.0)
    units = np.array([1e-12, 1.0, 1e6, 1e12])
    plain, scaled = GrinoldSeparator().fit(X, y), GrinoldSeparator().fit(X * units, y)
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    assert np.array_equal(scaled.predict(X * units), plain.predict(X))


def test_the_objective_is_that_of_the_plane_as_stored():
    """Near 1e15 an offset is rounded by a share of the scores: 33 of 200 were another's."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        X = np.column_stack([1e15 + rng.integers(-9, 9, size=9), rng.normal(size=9)])
        y = np.resize([0, 1, 1], 9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            model = GrinoldSeparator().fit(X, y)
        w, gamma = [Fraction(each) for each in model.coef_[0]], -Fraction(model.intercept_[0])
        scores = [
            (1 if code else -1) * (sum(a * Fraction(b) for a, b in zip(w, x, strict=True)) - gamma)
            for x, code in zip(X.tolist(), y, strict=True)
        ]
        assert model.objective_ == pytest.approx(float(-min(scores) / sum(scores) * 9), rel=1e-9)
        assert model.bound_ <= model.objective_
        assert not model.separable_ or np.array_equal(model.predict(X), y)


@pytest.mark.parametrize("separator", [GrinoldSeparator, MaxNormSeparator])
def test_what_is_called_separable_is_predicted_right(separator):
    """Columns of adjacent floats were called separable by a plane whose rounding erred on rows."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        X = np.column_stack([1 + 2.2e-16 * rng.integers(0, 8, size=7), rng.normal(size=(7, 2))])
        y = np.resize([0, 1, 1], 7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            model = separator().fit(X, y)
        assert not model.separable_ or np.array_equal(model.predict(X), y)


def test_a_row_far_from_all_others_is_no_solver_error():
    """No answer passed its check, and there was none at all."""
    X = [[-1, 0, -1, 1], [3, 2, 7, 1], [0, 0, 3, 3], [0, -2, 0, 0], [6, 3, 2, 3], [4, -1, -1, -2]]
    X += [[0, -3, -1, 1], [3, 2, 2, 1], [2, 0, 1, -1], [5e8, 6e8, 1e8, 4e8]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        model = GrinoldSeparator().fit(X, [0, 1, 1, 0, 1, 0, 0, 1, 0, 1])
    assert -1 <= model.bound_ <= model.objective_ < np.inf


def test_a_plane_that_rounding_makes_worse_is_rounded_otherwise_or_called_inaccurate():
    """Weights .3 of numbers near 2e8 cost 2.5e-9 of a value of 2.6e-10, and it was optimal."""
    X = [[1, -3, 3], [-4, 2, -1], [2, 1, -2], [3, 2, -3], [0, -2e8, -2e8], [0, -2, -1]]
    model = GrinoldSeparator().fit(X, [0, 1, 0, 1, 0, 1])
    assert model.status_ == "optimal"
    assert model.objective_ - model.bound_ <= 1e-12
