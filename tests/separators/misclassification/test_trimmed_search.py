"""The parametric search: its cuts are the best of their direction."""

import numpy as np
import pytest

from planetree.separators.misclassification.trimmed_search import _best_cut


@pytest.mark.parametrize("seed", range(10))
def test_the_best_cut_of_a_direction_is_the_best_of_all_its_offsets(seed):
    rng = np.random.default_rng(seed)
    Z, above = rng.integers(0, 5, (12, 1)).astype(float), rng.integers(0, 2, 12) == 1
    Z[:2, 0] = 0, 4
    charges = rng.integers(1, 4, 12).astype(float)
    cut = _best_cut(np.ones(1), Z, above, charges)
    offsets = np.arange(-0.5, 5)
    sides = [sign * (Z[:, 0] - offset) > 0 for offset in offsets for sign in (1, -1)]
    assert cut.charge == min(charges[side != above].sum() for side in sides)
    assert cut.charge == charges[(Z @ cut.weights > cut.offset) != above].sum()
