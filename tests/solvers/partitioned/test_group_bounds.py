"""Bounds of rows that are known by their sums alone, against minima in fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from planetree import _core

K = 3  # classes of the larger programs


def solved(rows):
    """Where linear equations (factors..., right side) meet, in fractions; None if nowhere."""
    rows = [list(map(Fraction, row)) for row in rows]
    n = len(rows)
    for c in range(n):
        at = next((r for r in range(c, n) if rows[r][c] != 0), None)
        if at is None:
            return None
        rows[c], rows[at] = rows[at], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(n):
            if r != c and rows[r][c] != 0:
                rows[r] = [a - rows[r][c] * b for a, b in zip(rows[r], rows[c], strict=True)]
    return [row[-1] for row in rows]


class Hinges:
    """sum_i charge_i max(0, 1 - signed_i z) + sum_j price_j |z_j|, in fractions."""

    def __init__(self, signed, charges, price):
        self.signed = [[Fraction(v) for v in row] for row in signed]
        self.charges, self.price = [Fraction(c) for c in charges], [Fraction(p) for p in price]

    def at(self, z):
        margins = (sum(a * b for a, b in zip(row, z, strict=True)) for row in self.signed)
        lacks = (max(Fraction(0), 1 - margin) for margin in margins)
        paid = sum(p * abs(v) for p, v in zip(self.price, z, strict=False))
        return sum(c * lack for c, lack in zip(self.charges, lacks, strict=True)) + paid

    def minimum(self):
        """A convex function with flat pieces is least where as many kinks meet as unknowns."""
        n = len(self.signed[0])
        kinks = [[*row, 1] for row in self.signed]
        kinks += [[*map(float, np.eye(n)[j]), 0] for j in range(n)]
        places = (solved(some) for some in combinations(kinks, n))
        return min(self.at(z) for z in places if z is not None)


def signed_rows(X, codes, k):
    """What each unknown adds to the margins, for one plane a class but the first."""
    rows = np.zeros((len(X), k - 1, k, X.shape[1] + 1))
    for i, own in enumerate(codes):
        for s in range(k - 1):
            rows[i, s, own] += np.append(X[i], -1.0)
            rows[i, s, s if s < own else s + 1] -= np.append(X[i], -1.0)
    return rows[:, :, 1:].reshape(len(X) * (k - 1), -1)


def multipliers(X, codes, weights, k, price):
    """Of a program that HiGHS solves, its columns and weights near 1."""
    scale, whole = X.std(axis=0) + 1e-300, weights.sum()
    signed = signed_rows(X / scale, codes, k)
    charges, m = np.repeat(weights / whole, k - 1), len(signed)
    paid = np.tile(np.append(price / scale / whole, 0.0), k - 1)
    cost = np.concatenate([paid, paid, charges])
    A = -np.hstack([signed, -signed, np.eye(m)])
    found = linprog(cost, A, -np.ones(m), method="highs-ds")
    return -whole * found.ineqlin.marginals.reshape(len(X), k - 1)


def mean_of(X, weights, center):
    parts = [Fraction(w) for w in weights]
    columns = ([Fraction(v) - Fraction(c) for v in x] for x, c in zip(X.T, center, strict=True))
    dots = (sum(w * v for w, v in zip(parts, x, strict=True)) for x in columns)
    return [float(dot / sum(parts)) for dot in dots]


def grouped(X, codes, weights, group):
    """Sums of the groups, their classes, and the mean of each less the first row, rounded once."""
    sums = _core.group_sums(X, group, weights, group.max() + 1)
    own = [codes[group == g][0] for g in range(group.max() + 1)]
    means = [mean_of(X[group == g], weights[group == g], X[0]) for g in range(len(own))]
    return sums, np.array(own, dtype=np.int32), np.array(means)


def bound(X, codes, weights, group, k=2, price=None, stretch=1.0):
    """Bound where rows with a group enter by the group's sums."""
    price = np.zeros(X.shape[1]) if price is None else price
    alone = group < 0
    sums, own, means = grouped(X, codes, weights, group)
    rows = np.vstack([X[alone] - X[0], means])
    masses = np.concatenate([weights[alone], sums[0][:, -1]])
    duals = multipliers(rows, np.concatenate([codes[alone], own]), masses, k, price)
    duals, m = stretch * duals, alone.sum()
    ones = np.ones((len(own), k - 1))
    groups = (own, *sums, ones, np.ascontiguousarray(duals[m:] / sums[0][:, -1:]))
    charges = np.repeat(weights[alone][:, None], k - 1, axis=1)
    return _core.prove_hinge_bound(
        np.ascontiguousarray(X[alone]), codes[alone], charges,
        np.ascontiguousarray(duals[:m]), k - 1, price, price, None, groups,
    )  # fmt: skip


def table(rng, kind, n_rows=9, n=1, k=2):
    """Rows of which those far from the middle are in groups of a class and a side."""
    codes = np.append(np.arange(k), rng.integers(0, k, n_rows - k)).astype(np.int32)
    X = (rng.normal(size=(n_rows, n)) + codes[:, None]).round(2)
    weights = rng.integers(1, 9, n_rows) / 7
    beyond = X[:, 0] - X[:, 0].mean()
    group = np.where(np.abs(beyond) < rng.random(), -1, 2 * codes + (beyond > 0))
    group[np.abs(beyond).argmax()] = 2 * k
    _, places = np.unique(group, return_inverse=True)
    if kind == "far":
        X += 10.0 ** rng.integers(3, 12)
    if kind == "canceling":
        X[np.abs(beyond) > 1] *= 10.0 ** rng.integers(8, 17)
    if kind == "uneven":
        weights *= 10.0 ** rng.integers(-6, 6, n_rows)
        X *= 10.0 ** rng.integers(-150, 100)
    return X, codes, weights, (places - (group < 0).any()).astype(np.int32)


KINDS = ["plain", "far", "canceling", "uneven"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2])
def test_no_grouping_proves_more_than_the_exact_minimum(kind, n):
    """Jensen: whatever the groups, the multipliers and the digits, no plane has less."""
    rng = np.random.default_rng(20 + n)
    proved = 0
    for trial in range(12 if n == 1 else 4):
        X, codes, weights, group = table(rng, kind, n_rows=9 - n, n=n)
        price = None if trial % 2 else rng.random(n) * weights.sum() / 20 / np.abs(X).max(axis=0)
        exact = Hinges(
            signed_rows(X, codes, 2), weights, np.zeros(n) if price is None else price
        ).minimum()
        for stretch in (1.0, 1 + 1e-7, 0.5):
            found = bound(X, codes, weights, group, price=price, stretch=stretch)
            assert Fraction(found) <= exact
            proved += found > 0
    assert proved


@pytest.mark.parametrize("kind", KINDS)
def test_no_grouping_of_three_classes_proves_more_than_the_exact_minimum(kind):
    """The same for one plane a class: a group's multipliers spread over its rows for each rival."""
    rng = np.random.default_rng(30)
    proved = 0
    for _ in range(2):
        X, codes, weights, group = table(rng, kind, n_rows=5, n=1, k=K)
        exact = Hinges(signed_rows(X, codes, K), np.repeat(weights, K - 1), []).minimum()
        for stretch in (1.0, 1 + 1e-7, 0.5):
            found = bound(X, codes, weights, group, k=K, stretch=stretch)
            assert Fraction(found) <= exact
            proved += found > 0
    assert proved or kind != "plain"
