"""What clustering selectors share: rows that join when violated, ties, and what stands out."""

import numpy as np
import pytest

from planetree.clock import Clock
from planetree.feature_selection.clustering.clustering_classifier import (
    ClusteringSelector,
    in_use,
    plain_scores,
    solve_by_rows,
    stands_out,
)
from planetree.solvers import LinearProgram


def rows_of(seed, n_rows=40, n=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n)) + 0.5, -rng.random(n)


def violated_by(G):
    """Gives rows that a point violates, each once."""
    left = set(range(len(G)))

    def violated(x):
        found = [i for i in sorted(left) if G[i] @ x < -1e-9][:3]
        left.difference_update(found)
        return G[found]

    return violated


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_join_when_violated_give_the_value_of_the_whole_program(seed):
    G, cost = rows_of(seed)
    whole = LinearProgram(cost, G, 0.0, np.inf, 0.0, 1.0).solve()
    some = solve_by_rows(LinearProgram(cost, G[:1], 0.0, np.inf, 0.0, 1.0), violated_by(G))
    assert some.objective == pytest.approx(whole.objective, abs=1e-9)
    assert (G @ some.x >= -1e-8).all()
    assert len(some.duals) <= len(G)


def test_the_bound_holds_where_the_time_was_up_before_all_rows_joined():
    G, cost = rows_of(1)
    whole = LinearProgram(cost, G, 0.0, np.inf, 0.0, 1.0).solve()
    cut = solve_by_rows(
        LinearProgram(cost, G[:1], 0.0, np.inf, 0.0, 1.0), violated_by(G), Clock(0.0)
    )
    assert cut.status == "time_limit"
    assert cut.bound <= whole.objective + 1e-9


def test_of_equal_scores_the_first_in_order_wins():
    model = ClusteringSelector()
    model.class_order_ = np.array([2, 0, 1])
    scores = np.array([[1.0, 1.0, 1.0], [3.0, 3.0, 2.0], [0.0, 5.0, 5.0]])
    assert model._first_in_order(scores).tolist() == [2, 0, 2]


def test_scores_are_products_that_do_not_depend_on_the_other_rows():
    rng = np.random.default_rng(0)
    terms, weights = rng.normal(size=(50, 7)), rng.normal(size=(3, 7))
    scores = plain_scores(terms, weights)
    np.testing.assert_allclose(scores, terms @ weights.T, rtol=1e-12)
    assert np.array_equal(plain_scores(terms[11:12], weights)[0], scores[11])


def test_what_pays_three_times_the_average_stands_out():
    assert stands_out(np.array([1.0, 1.0, 1.0, 1.0, 20.0])).tolist() == [False] * 4 + [True]
    assert in_use(np.array([0.0, 1e-12, -2.0])).tolist() == [False, False, True]
    assert not in_use(np.zeros(3)).any()
