"""Whole points against all points, one by one, and their bound against exact rationals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hinge_oracle import highs_value, hinges
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree.clock import Clock
from planetree.tree.score_sheet.integer_points import whole_points


def some_table(seed, n=30, n_terms=3):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, size=(n, n_terms)).astype(float)
    score = counts @ rng.normal(size=n_terms)
    sides = (score + rng.normal(size=n) > np.median(score)).astype(int)
    sides[:2] = 0, 1
    return counts, sides, rng.integers(1, 4, size=n) / 8.0


def all_points(n_terms, max_points):
    """Points with no common factor: multiples are the same on another scale."""
    tried = product(range(-max_points, max_points + 1), repeat=n_terms)
    return [p for p in tried if np.gcd.reduce(p) == 1]


def value_of(points, counts, sides, charges):
    """Least hinge error of a sum on any scale, by HiGHS."""
    column = (counts @ np.array(points))[:, None]
    return highs_value(hinges(column, sides, np.ones(2), weights=charges))


def exact_value_of(points, counts, sides, charges):
    """The same in rationals: it is least where the kinks of two rows meet, or without points."""
    f = [sum(int(p) * Fraction(c) for p, c in zip(points, row, strict=True)) for row in counts]
    s = [1 if side else -1 for side in sides]
    c = [Fraction(charge) for charge in charges]

    def error(scale, offset):
        rows = zip(c, s, f, strict=True)
        return sum(ci * max(Fraction(0), 1 - si * (scale * fi - offset)) for ci, si, fi in rows)

    tried = [error(Fraction(0), Fraction(end)) for end in (-1, 1)]
    kinks = sorted(set(zip(f, s, strict=True)))
    for i, (fi, si) in enumerate(kinks):
        for fj, sj in kinks[:i]:
            if fi != fj:
                scale = Fraction(si - sj) / (fi - fj)
                tried.append(error(scale, scale * fi - si))
    return min(tried)


@pytest.mark.parametrize("seed", range(4))
def test_no_points_are_better_than_those_found(seed):
    counts, sides, charges = some_table(seed)
    found = whole_points([counts], sides, charges, 3)
    values = {p: value_of(p, counts, sides, charges) for p in all_points(3, 3) if p > (0, 0, 0)}
    values |= {tuple(-x for x in p): value for p, value in values.items()}
    assert found.objective == pytest.approx(min(values.values()), abs=1e-9)
    assert values[tuple(found.points.tolist())] == pytest.approx(found.objective, abs=1e-9)
    assert found.status == "optimal"
    assert found.gap <= 1e-9


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 12), st.integers(1, 2))
def test_the_bound_is_true_in_exact_rationals(seed, n, n_terms):
    counts, sides, charges = some_table(seed, n, n_terms)
    found = whole_points([counts], sides, charges, 2)
    tried = all_points(n_terms, 2)
    least = min(exact_value_of(p, counts, sides, charges) for p in tried)
    assert Fraction(found.bound) <= least <= Fraction(found.objective)
    assert found.objective - found.bound <= 1e-9 * max(1.0, found.objective)


@pytest.mark.parametrize("seed", range(4))
def test_the_scale_and_offset_have_the_objective_that_is_told(seed):
    counts, sides, charges = some_table(seed)
    found = whole_points([counts], sides, charges, 5)
    score = found.scale * (counts @ found.points) - found.offset
    error = charges @ np.maximum(0.0, 1.0 - np.where(sides == 1, 1, -1) * score)
    assert found.scale >= 0
    assert error == pytest.approx(found.objective, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_of_several_tables_the_best_one_is_taken(seed):
    counts, sides, charges = some_table(seed)
    tables = [np.floor(counts / 3), counts, np.floor(counts / 2)]
    alone = [whole_points([table], sides, charges, 3).objective for table in tables]
    found = whole_points(tables, sides, charges, 3)
    assert found.objective == pytest.approx(min(alone), abs=1e-9)
    assert alone[found.table] == pytest.approx(min(alone), abs=1e-9)
    assert found.bound <= min(alone)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("signs", [(1, 0, -1), (-1, -1, -1), (0, 1, 0)])
def test_points_with_the_signs_asked_for_are_the_best_of_those(seed, signs):
    counts, sides, charges = some_table(seed)
    found = whole_points([counts], sides, charges, 2, signs=np.array(signs, dtype=float))
    assert np.all(found.points * np.array(signs) >= 0)
    column_value = {}
    for p in all_points(3, 2):
        if np.all(np.array(p) * np.array(signs) >= 0):
            column = (counts @ np.array(p))[:, None]
            program = hinges(column, sides, np.ones(2), weights=charges, below=1e3)
            column_value[p] = highs_value(program)  # a scale below 0 costs more than it can save
    assert found.objective == pytest.approx(min(column_value.values()), abs=1e-9)
    assert found.bound <= min(column_value.values()) + 1e-12


def test_out_of_time_the_bound_is_still_one():
    counts, sides, charges = some_table(3, n=60, n_terms=4)
    best = whole_points([counts], sides, charges, 5)
    hasty = whole_points([counts], sides, charges, 5, clock=Clock(0.0))
    assert hasty.status == "time_limit"
    assert hasty.bound <= best.objective <= hasty.objective
    assert hasty.n_programs < best.n_programs


def test_order_and_repetition_of_rows_change_nothing():
    counts, sides, charges = some_table(7)
    found = whole_points([counts], sides, charges, 5)
    turned = whole_points([counts[::-1]], sides[::-1], charges[::-1], 5)
    twice = np.repeat(np.arange(len(sides)), 2)
    doubled = whole_points([counts[twice]], sides[twice], charges[twice] / 2, 5)
    for other in (turned, doubled):
        assert other.points.tolist() == found.points.tolist()
        assert other.objective == pytest.approx(found.objective, abs=1e-12)


def test_sides_that_points_separate_have_no_error():
    counts = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = whole_points([counts], np.array([0, 0, 0, 1]), np.full(4, 0.25), 5)
    assert found.points.tolist() == [1, 1]
    assert found.objective == found.bound == found.gap == 0.0
