"""Impurity of class weights: weight times entropy, and weight times Gini's index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as shannon

from planetree.tree.impurity import IMPURITIES, entropy, gini

weights = st.lists(st.floats(0, 100), min_size=2, max_size=5).map(np.array)


@given(weights)
def test_entropy_is_shannons_in_nats_times_the_weight(classes):
    total = classes.sum()
    expected = total * shannon(classes) if total > 0 else 0.0
    assert float(entropy(classes)) == pytest.approx(expected, abs=1e-9)


@given(weights)
def test_gini_is_the_weight_that_labels_drawn_by_share_get_wrong(classes):
    total = classes.sum()
    expected = sum(n * (1 - n / total) for n in classes) if total > 0 else 0.0
    assert float(gini(classes)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("impurity", IMPURITIES.values(), ids=list(IMPURITIES))
@given(whole=weights, share=st.floats(0, 1))
def test_no_division_raises_impurity_and_one_class_has_none(impurity, whole, share):
    part = whole * np.linspace(share, 1 - share, len(whole))
    divided = impurity(part) + impurity(np.maximum(whole - part, 0.0))
    assert divided <= impurity(whole) + 1e-9 * (1 + whole.sum())
    assert float(impurity(np.array([whole.sum(), 0.0]))) == pytest.approx(0.0, abs=1e-9)
