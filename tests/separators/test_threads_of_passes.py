"""Passes over rows in threads: the same bits for any number, errors and limits as with one."""

import threading

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, RobustSeparator, _core


@pytest.fixture(scope="module")
def table():
    """More rows than a block of a pass holds, some of them equal."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(80_000, 4)), 2)
    return X, (X @ [1.0, 0.5, -0.3, 0.1] + 0.6 * rng.normal(size=80_000) > 0).astype(int)


@pytest.fixture
def threads():
    """Sets the number of threads, and sets it back."""
    before = _core.use_threads(1)
    yield _core.use_threads
    _core.use_threads(before)


def bits_of(model):
    numbers = *model.coef_.ravel(), *model.intercept_, model.objective_, model.bound_
    return [float(each).hex() for each in numbers]


@pytest.mark.parametrize("options", [{}, {"perturbation": 0.01}])
def test_planes_and_proof_have_the_same_bits_for_any_number_of_threads(table, options):
    one, two, five = (RobustSeparator(**options, n_jobs=n).fit(*table) for n in (None, 2, 5))
    assert bits_of(one) == bits_of(two) == bits_of(five)
    assert one.gap_ < 1e-9


def test_three_classes_have_the_same_bits_for_any_number_of_threads(table):
    X, y = table
    y = np.where(X[:, 3] > 1, 2, y)
    one, two = (RobustSeparator(n_jobs=n).fit(X, y) for n in (1, 2))
    assert bits_of(one) == bits_of(two)


def test_canonical_rows_moments_and_scores_have_the_same_bits(table, threads):
    X, y = table
    found = []
    for n in (1, 3):
        threads(n)
        merged = _core.merged_rows(
            X, y.astype(np.int64), np.ones(len(y)), 2, np.full(4, -1, dtype=np.int64)
        )
        scores = _core.plane_scores(
            X, np.ones((1, 4)), np.zeros(1), np.arange(4), np.full(4, -1, dtype=np.int64)
        )
        taken = _core.take_columns(X, np.array([2, 0]))
        found.append([*merged, *_core.column_moments(X, np.ones(len(y))), scores, taken])
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()
    assert np.array_equal(taken, X[:, [2, 0]])


def test_a_fit_leaves_the_number_of_threads_as_it_was_and_other_threads_have_one(table, threads):
    threads(3)
    RobustSeparator(n_jobs=2).fit(*(each[:100] for each in table))
    assert threads(1) == 3
    with pytest.raises(ValueError, match="classes"):
        RobustSeparator(n_jobs=2).fit(table[0][:100], np.zeros(100))
    threads(4)
    seen = []
    other = threading.Thread(target=lambda: seen.append(_core.use_threads(1)))
    other.start()
    other.join()
    assert seen == [1]
    assert threads(1) == 4


def test_what_is_wrong_with_rows_is_told_whichever_thread_finds_it(table, threads):
    X, y = table[0].copy(), table[1].astype(np.int32)
    X[-1, -1] = np.inf
    threads(2)
    with pytest.raises(ValueError, match="infinite or NaN"):
        _core.HingeProgram(X, y, np.ones(len(y)), np.ones(2), np.zeros(4), np.ones(4))


def test_a_tree_of_many_rows_is_the_same_for_any_n_jobs(table):
    one, two = (PlaneTreeClassifier(max_splits=2, n_jobs=n).fit(*table) for n in (None, 2))
    assert one.to_text() == two.to_text()
    assert one.predict_proba(table[0]).tobytes() == two.predict_proba(table[0]).tobytes()
