"""Problems of few features with the objective of every set of them, enumerated once."""

import pytest
from sparse_problems import KINDS, objectives_of_all_sets, random_problem

FEW = [pytest.param((kind, 20), id=kind) for kind in KINDS]
MANY = [pytest.param((kind, 100), id=f"{kind}-100", marks=pytest.mark.slow) for kind in KINDS]


@pytest.fixture(scope="session", params=[*FEW, *MANY])
def enumerated(request):
    """Problems of a kind, each with the objective of every set of features."""
    kind, n_problems = request.param
    problems = [random_problem(kind, seed) for seed in range(n_problems)]
    return [(problem, objectives_of_all_sets(problem)) for problem in problems]
