"""Bounds over all choices of features, held against every choice in exact rationals."""

import math
import warnings
from itertools import combinations

import numpy as np
import pytest

from campaigns import odd_tables
from campaigns.exact import programs
from campaigns.exact.rational import exact
from planetree import RobustSeparator, SparseSeparator
from planetree.separators.sparse import linear_search

FAMILIES = ("ties", "huge_row", "large_column", "near_the_last_digit", "duplicates", "separable")


def exact_values(X, y):
    """Least exact objective found for each set of features, by an independent simplex method."""
    values = {}
    for size in range(1, X.shape[1] + 1):
        for chosen in combinations(range(X.shape[1]), size):
            part = X[:, chosen]
            if not np.ptp(part, axis=0).any():
                continue
            model = RobustSeparator().fit(part, y)
            program = programs.of_model(model, part, y, np.ones(len(y)))
            values[chosen] = min(map(program.value, [program.planes, *program.rivals()]))
    return values


@pytest.mark.parametrize("family", FAMILIES)
def test_no_choice_of_features_is_below_the_search_bound_in_exact_arithmetic(family):
    """The bound was that of rounded objectives, and exceeded the optimum by their rounding."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        y = np.resize([0, 1, 1], 11)
        X = rng.normal(size=(11, 3)) + 0.5 * y[:, None]
        X, y = getattr(odd_tables, family)(rng, X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = exact_values(X, y)
            two = SparseSeparator(n_features=2, exact=True).fit(X, y)
            few = SparseSeparator(exact=True).fit(X, y)
            priced = SparseSeparator(feature_price=0.05, exact=True).fit(X, y)
        pairs = [value for chosen, value in values.items() if len(chosen) <= 2]
        assert exact(two.search_bound_) <= min(pairs)
        enough = [len(s) for s, value in values.items() if value <= exact(few.error_bound_)]
        assert few.n_features_bound_ <= min(enough, default=math.inf)
        paid = [value + exact(0.05) * len(chosen) for chosen, value in values.items()]
        assert exact(priced.search_bound_) <= min(paid)
        assert not two.proved_ or two.search_bound_ >= two.objective_ - 1e-8


def test_a_search_whose_programs_are_not_proved_claims_no_more_than_what_is(monkeypatch):
    """Objectives guide the search, but only proved bounds are told."""
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 40)
    X = rng.normal(size=(40, 5)) + 0.4 * y[:, None]
    assert SparseSeparator(n_features=2, exact=True).fit(X, y).proved_
    monkeypatch.setattr(linear_search, "hinge_bound", lambda *_: 0.0)
    model = SparseSeparator(n_features=2, exact=True).fit(X, y)
    assert not model.proved_
    assert model.search_bound_ == 0.0
    few = SparseSeparator(exact=True).fit(X, y)
    assert few.n_features_bound_ == 1
