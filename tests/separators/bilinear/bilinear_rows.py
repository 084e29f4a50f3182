"""Rows that two planes separate."""

import numpy as np
from hypothesis import strategies as st

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
TOPOLOGIES = ("first", "second", "alternating")
RULES = ("both", "same_side")


def rows_of_two_planes(seed, n_rows, n_features, rule):
    """Normal rows with planes that separate them; both kinds are there."""
    rng = np.random.default_rng(seed)
    while True:
        X, planes = rng.normal(size=(n_rows, n_features)), rng.normal(size=(2, n_features + 1))
        above = planes[:, :-1] @ X.T > planes[:, -1:]
        inside = above.all(axis=0) if rule == "both" else above[0] == above[1]
        if 0 < inside.sum() < n_rows:
            return X, inside, planes


separable = st.builds(
    lambda *drawn: (*rows_of_two_planes(*drawn), drawn[-1]),
    st.integers(0, 10**6),
    st.integers(4, 80),
    st.integers(1, 6),
    st.sampled_from(RULES),
)
