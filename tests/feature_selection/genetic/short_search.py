"""A search that is short, and when two searches found the same."""

import numpy as np

SHORT = {"n_evaluations": 150, "population_size": 20, "random_state": 0}


def same(model, other):
    """Equal in all that a search finds."""
    assert np.array_equal(model.best_genome_, other.best_genome_)
    assert np.array_equal(model.history_, other.history_)
    assert np.array_equal(model.front_, other.front_)
    assert model.confidence_ == other.confidence_
    assert model.n_distinct_ == other.n_distinct_
