"""What a part tells: sums of groups, strays and errors, by the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import table

from planetree.solvers.partitioned.implied_terms import ImpliedTerms
from planetree.solvers.partitioned.passes import (
    Band,
    Grouping,
    RawPlanes,
    Stage,
    band_of,
    check_part,
    newton_sums,
    rows_digest,
    split_part,
    summary_of,
)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([2, 3]))
def test_means_of_any_groups_never_cost_more_than_their_rows(seed, k):
    """The lemma: by Jensen's inequality the reduced program is below the program at every z."""
    rng = np.random.default_rng(seed)
    X, y = table(seed, 60, 3, k, "tails")
    group = rng.integers(0, 6, len(y)) * k + y
    means = np.array([X[group == g].mean(axis=0) for g in np.unique(group)])
    sizes = np.array([np.sum(group == g) for g in np.unique(group)], dtype=float)
    classes = np.unique(group) % k
    for _ in range(20):
        W, b = rng.normal(size=(k, 3)), rng.normal(size=k)
        assert cost(means, classes, sizes, W, b) <= cost(X, y, np.ones(60), W, b) * (1 + 1e-12)


def cost(X, y, w, W, b):
    scores = X @ W.T - b
    lack = np.maximum(0, 1 - (scores[np.arange(len(y)), y][:, None] - scores))
    lack[np.arange(len(y)), y] = 0
    return float(w @ lack.sum(axis=1))


def rows_and_grouping(seed, k=2, n=80):
    rng = np.random.default_rng(seed)
    X, y = table(seed, n, 3, k, "plain")
    planes = RawPlanes(rng.normal(size=(1 if k == 2 else k, 3)), np.zeros(1 if k == 2 else k))
    return (X, y.astype(np.int32), rng.integers(1, 4, n) * 1.0), Grouping(k, (Stage(planes, 0.5),))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_group_is_the_rows_of_a_class_on_the_same_sides_of_all_kinks(seed, k):
    """By the definition: rows within reach of a kink stand alone, sums are those of the others."""
    rows, grouping = rows_and_grouping(seed, k)
    X, y, w = rows
    planes, reach = grouping.stages[0]
    scores, groups = X @ planes.weights.T - planes.offsets, {}
    for i in range(len(X)):
        if k == 2:
            apart = [(scores[i, 0] if y[i] else -scores[i, 0]) - 1]
        else:
            apart = [scores[i, y[i]] - scores[i, j] - 1 for j in range(k) if j != y[i]]
        if min(map(abs, apart)) > reach:
            groups.setdefault((y[i], *(each > 0 for each in apart)), []).append(i)
    split = split_part(rows, grouping, ImpliedTerms())
    summary, band = summary_of(split), band_of(split)
    assert len(band.weights) == summary.n_alone == len(X) - sum(map(len, groups.values()))
    expected = sorted([*(w[at] @ X[at]), w[at].sum()] for at in groups.values())
    found = sorted((each.high + each.low).tolist() for each in summary.sums.values())
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_any_change_of_a_row_shows_in_the_checksum():
    (X, y, w), _ = rows_and_grouping(0)
    first = rows_digest(X, y, w)
    moved, heavier = X.copy(), w.copy()
    moved[7, 1] = np.nextafter(moved[7, 1], 9.0)
    heavier[3] += 1.0
    assert (
        len({first, rows_digest(moved, y, w), rows_digest(X, 1 - y, w), rows_digest(X, y, heavier)})
        == 4
    )
    assert rows_digest(X.copy(), y.copy(), w.copy()) == first


def test_the_error_of_planes_over_a_part_is_the_sum_of_its_lacks():
    (X, y, w), grouping = rows_and_grouping(1)
    planes = grouping.stages[0].planes
    found = check_part((X, y, w), grouping, planes, np.ones((2, 1)))
    margins = np.where(y == 1, 1.0, -1.0) * (X @ planes.weights[0])
    assert found.error == pytest.approx(w @ np.maximum(0.0, 1.0 - margins), rel=1e-12)
    assert found.n_wrong == np.count_nonzero((X @ planes.weights[0] > 0) != (y == 1))
    assert found.n_strays == 0  # of the planes that made the groups
    turned = RawPlanes(-planes.weights, planes.offsets)
    assert check_part((X, y, w), grouping, turned, np.ones((2, 1))).n_strays > 0


def test_smoothed_hinges_have_the_slopes_of_their_value():
    (X, y, w), _ = rows_and_grouping(2)
    z, charges = np.array([0.3, -0.2, 0.5, 0.1]), np.array([[1.0], [0.5]])

    def sums(z):
        return newton_sums(
            Band(X, y, w), np.zeros(3), np.ones(3), z, charges, 0.4, np.array([0.0, 1.0])
        )

    step = 1e-6 * np.eye(4)
    slopes = [(sums(z + e).value - sums(z - e).value) / 2e-6 for e in step]
    np.testing.assert_allclose(sums(z).gradient, slopes, rtol=1e-6)
    curves = [(sums(z + e).gradient - sums(z - e).gradient) / 2e-6 for e in step]
    np.testing.assert_allclose(sums(z).hessian, curves, rtol=1e-5, atol=1e-4)
