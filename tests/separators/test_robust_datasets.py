"""RobustSeparator against HiGHS on every data set of the folder that PLANETREE_DATA names.

Complete rows only, categories as indicators; each class against the rest, and all classes at once.
The sets are cut to a number of rows that HiGHS manages in a second or two; `pytest -m slow` takes
them whole.
"""

import os

import numpy as np
import pandas as pd
import pytest
from hinge_oracle import highs_value, hinges
from scipy.linalg import qr

from planetree import QuadraticSeparator, RobustSeparator, datasets

NAMES = datasets.names() if os.environ.get("PLANETREE_DATA") else []

pytestmark = pytest.mark.skipif(not NAMES, reason="PLANETREE_DATA is not set")

every_set = pytest.mark.parametrize("name", NAMES or [None])

ZERO = 1e-6  # values below this share of all charges are sums of rounding


def complete_rows(name, limit=None):
    """Frame and classes of the rows without a missing value, at most `limit`, drawn evenly."""
    data = datasets.load(name, as_frame=True)
    columns = data.X.columns[data.X.notna().any()]  # one that is always missing says nothing
    rows = np.flatnonzero(data.X[columns].notna().all(axis=1))
    if limit is not None and len(rows) > limit:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:limit])
    return data.X.loc[rows, columns].reset_index(drop=True), data.y[rows]


def rows_for_highs(frame):
    """Normalized columns; where some nearly depend on others, in an orthonormal basis.

    A plane of the one is a plane of the other. In the columns as they are, the tolerance of HiGHS
    hides 1e-9 times the weights, which are 1e8 where columns agree in all but their last digits.
    """
    E = pd.get_dummies(frame, dtype=float).to_numpy()
    E = (E - E.mean(axis=0))[:, np.ptp(E, axis=0) > 0]
    Z = E / E.std(axis=0)
    Q, R, _ = qr(Z, mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(R)) / np.abs(R[0, 0])
    nearly = (sizes > 1e-13) & (sizes < 1e-5)
    return Q[:, sizes > 1e-13] * np.sqrt(len(E)) if nearly.any() else Z


# Weights of 1e9 on columns that agree in all but their last digits: stored planes are no nearer.
STEEP = {"segmentation-test"}


def least_margin(model, frame, codes):
    """By how much a row beats its best rival class at least."""
    scores = model.decision_function(frame)
    if scores.ndim == 1:
        return np.where(codes == 1, scores, -scores).min()
    own = np.take_along_axis(scores, codes[:, None], axis=1)[:, 0]
    np.put_along_axis(scores, codes[:, None], -np.inf, axis=1)
    return (own - scores.max(axis=1)).min()


def check(frame, Z, y, gap=1e-9):
    """Fit, and compare the proved value with that of HiGHS, as far as the data have digits."""
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) < 2:
        return
    model = RobustSeparator().fit(frame, y)
    if least_margin(model, frame, codes) >= 1.0 - 1e-9:
        # No row lacks a margin: the value is 0, and no value is less.
        assert (model.error_, model.bound_, model.gap_) == (0.0, 0.0, 0.0)
        assert model.separable_
        assert model.status_ == "optimal"
        return
    hinge = hinges(Z, codes, 1.0 / np.bincount(codes))
    expected = highs_value(hinge)
    scale = max(expected, ZERO * hinge.charge.sum())
    digits = 1e-16 * hinge.charge.sum() * np.abs(model.coef_ * model.scale_).sum()
    assert model.gap_ <= gap
    assert model.status_ == "optimal"
    assert abs(model.error_ - expected) <= 1e-9 * scale + digits


def check_each_class_against_the_rest(name, limit=None):
    frame, y = complete_rows(name, limit)
    labels, Z = np.unique(y), rows_for_highs(frame)
    for label in labels[: 1 if len(labels) == 2 else None]:
        check(frame, Z, np.where(y == label, "it", "rest"))


def check_all_classes(name, limit=None):
    frame, y = complete_rows(name, limit)
    if len(np.unique(y)) > 2:
        gap = 1e-8 if name in STEEP else 1e-9
        check(frame, rows_for_highs(frame), y, gap=gap)


def test_squared_violations_are_proved_though_no_row_connects_some_classes():
    """Planes of all vowels were solved, and the gap was 1."""
    frame, y = complete_rows("vowel")
    model = QuadraticSeparator().fit(frame, y)
    assert model.status_ == "optimal"
    assert model.gap_ <= 1e-9


@every_set
def test_each_class_against_the_rest_has_the_value_of_highs(name):
    check_each_class_against_the_rest(name, limit=1500)


@every_set
def test_all_classes_at_once_have_the_value_of_highs(name):
    check_all_classes(name, limit=1500)


@pytest.mark.slow
@every_set
def test_whole_sets_have_the_value_of_highs(name):
    check_each_class_against_the_rest(name)
    check_all_classes(name)
