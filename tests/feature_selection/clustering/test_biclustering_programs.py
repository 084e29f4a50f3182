"""The programs of consistent biclustering: their steps against a 0-1 program by another solver."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from planetree import BiclusteringSelector
from planetree.clock import UNLIMITED
from planetree.exceptions import ConflictError
from planetree.feature_selection.clustering import biclustering_programs
from planetree.feature_selection.clustering.biclustering_programs import ConsistencyProgram


def step_2(X, y, classes, sizes, separation):
    """Most features of step 2 of Algorithm 1 for class sizes m_k, by (15), (16), (23), (24)."""
    m, rows, low, high = X.shape[1], [], [], []

    def add(of_x, of_z, at_least, at_most):
        rows.append(np.append(of_x, of_z))
        low.append(at_least)
        high.append(at_most)

    nothing, one = np.zeros(m), np.eye(m)
    for k in range(len(sizes)):
        add(nothing, classes == k, 1.0, 1.0)
        for sample, own in zip(X[y != k], y[y != k], strict=True):
            for t in (0.0, separation):
                add(
                    nothing,
                    sample * (classes == own) - (1 + t) * sample * (classes == k),
                    0,
                    np.inf,
                )
    for i in range(m):
        add(one[i], -sizes[classes[i]] * one[i], -np.inf, 0.0)
        add(-one[i], one[i], -np.inf, 0.0)
    whole = np.repeat([1, 0], m)
    found = milp(-1.0 * whole, constraints=LinearConstraint(np.array(rows), low, high),
                 bounds=Bounds(0, 1), integrality=whole)  # fmt: skip
    return -found.fun


def small_case(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(10) % 2
    return rng.uniform(0, 10, (10, 12)) + 3 * (np.arange(12) % 2 == y[:, None]), y


@pytest.mark.parametrize("seed", [0, 5, 8, 16])
@pytest.mark.parametrize("separation", [0.0, 0.05])
def test_algorithm_1_solves_its_0_1_program_step_by_step_until_sizes_agree(
    seed, separation, monkeypatch
):
    """The steps are those of scipy's `milp`; a method that skips them, or relaxes them, fails."""
    X, y = small_case(seed)
    steps, solve = [], ConsistencyProgram.whole_step

    def noted(self, sizes, clock):
        x = solve(self, sizes, clock)
        steps.append((sizes, x, self.problem))
        return x

    monkeypatch.setattr(ConsistencyProgram, "whole_step", noted)
    model = BiclusteringSelector(method="iterative", separation=separation, relax=False).fit(X, y)
    assert model.n_iter_ == len(steps) > 1
    assert model.found_by_ == "iterative"
    before = steps[0][2].members.sum(axis=1)
    for sizes, x, problem in steps:
        assert np.array_equal(sizes, before)
        assert set(x) <= {0.0, 1.0}
        found = step_2(problem.values, problem.codes, problem.classes, sizes, separation)
        assert x.sum() == pytest.approx(found)
        before = problem.members @ x
    assert np.array_equal(before, sizes)
    assert model.objective_ == before.sum()
    assert model.consistent_


def test_with_many_features_algorithm_1_relaxes_its_steps_and_says_so(monkeypatch):
    X, y = small_case(5)
    monkeypatch.setattr(biclustering_programs, "_MOST_WHOLE", 11)
    model = BiclusteringSelector(method="iterative").fit(X, y)
    assert model.found_by_ == "relaxation"
    assert BiclusteringSelector().fit(X, y).found_by_ == "search"


def test_a_method_that_finds_nothing_does_not_say_that_nothing_exists(monkeypatch):
    """It named an outlier, and said that no features satisfy the constraints, where some do."""
    X, y = small_case(0)
    assert BiclusteringSelector(method="exact", relax=False).fit(X, y).consistent_
    monkeypatch.setattr(biclustering_programs.Biclustering, "repair", lambda *_: None)
    monkeypatch.setattr(biclustering_programs.Biclustering, "consistent", lambda *_: False)
    with pytest.raises(ConflictError, match="violate most; other methods may find some"):
        BiclusteringSelector(method="iterative", relax=False).fit(X, y)


def test_algorithm_1_keeps_all_features_when_no_sample_is_left():
    """Its 0-1 step had no rows then, and failed."""
    none = np.zeros(2, dtype=bool)
    problem = biclustering_programs.Biclustering(np.eye(2), np.arange(2), np.arange(2), 0.1, none)
    assert ConsistencyProgram(problem).whole_step(np.ones(2), UNLIMITED).tolist() == [1.0, 1.0]
