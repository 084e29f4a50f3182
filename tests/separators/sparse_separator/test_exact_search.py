"""Proofs that a choice of features is best, and what is proved when the time is over."""

import numpy as np

from planetree import SparseSeparator


def test_a_bound_is_proved_before_the_time_is_over():
    """Disjoint sets that cannot all go prove most of the features at the first node."""
    rng = np.random.default_rng(3)
    y = np.resize([0, 1], 400)
    X = rng.normal(size=(400, 30)) + 0.4 * y[:, None]
    model = SparseSeparator(exact=True, time_limit=2.0).fit(X, y)
    assert 0.6 * model.n_features_used_ <= model.n_features_bound_ <= model.n_features_used_


def test_thirteen_features_are_proved():
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 300)
    X = rng.normal(size=(300, 13)) + 0.4 * y[:, None] * (rng.random(13) < 0.6)
    assert SparseSeparator(exact=True).fit(X, y).proved_
