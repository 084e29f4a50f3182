"""A claim holds exactly of the probabilities for which the wanted class is the cheapest answer."""

import numpy as np
import pytest

from planetree.tree.inspection.probability_goals import ProbabilityGoal, claims_of


def meets(claims, shares):
    return claims.allowed(claims.rows @ shares)


@pytest.mark.parametrize("seed", range(5))
def test_claims_of_a_class_are_that_no_answer_is_cheaper(seed):
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 9, size=(4, 4)) * (1.0 - np.eye(4))
    for shares in rng.dirichlet(np.ones(4), size=50):
        cheapest = int((shares @ costs).argmin())
        for wanted in ({0}, {1, 3}):
            claims = claims_of(ProbabilityGoal(frozenset(wanted)), costs)
            assert meets(claims, shares) == (cheapest in wanted)


def test_a_probability_is_that_of_one_of_the_classes_and_not_their_sum():
    claims = claims_of(ProbabilityGoal(frozenset({0, 2}), 0.6), 1.0 - np.eye(3))
    found = [meets(claims, np.array(shares)) for shares in ([0.6, 0.2, 0.2], [0.3, 0.3, 0.4])]
    assert found == [True, False]
