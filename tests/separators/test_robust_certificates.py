"""What RobustSeparator and SparseSeparator print holds in rationals, whatever the order of rows."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from planetree import RobustSeparator, SparseSeparator
from planetree.exceptions import AccuracyWarning


def exact_value(model, X, y):
    """Average violation of the planes of a fitted model, two or more classes, in rationals."""
    planes = [[Fraction(float(v)) for v in row] for row in model.coef_]
    offsets = [-Fraction(float(v)) for v in model.intercept_]
    value = Fraction(0)
    for row, c in zip(X, y, strict=True):
        x = [Fraction(float(v)) for v in row]
        scores = [
            sum((a * b for a, b in zip(w, x, strict=True)), -g)
            for w, g in zip(planes, offsets, strict=True)
        ]
        if len(scores) == 1:
            margins = [scores[0] if c == 1 else -scores[0]]
        else:
            margins = [scores[c] - s for j, s in enumerate(scores) if j != c]
        value += sum(max(Fraction(0), 1 - m) for m in margins) / int(np.sum(y == c))
    return value


def table(seed, kind):
    rng = np.random.default_rng(seed)
    m, n, k = int(rng.integers(6, 20)), int(rng.integers(1, 5)), 2 + seed % 2
    X = rng.standard_normal((m, n))
    if seed % 3 == 0:
        X = np.round(2 * X)
    y = np.concatenate([np.arange(k), rng.integers(0, k, m)])[:m]
    if kind == "row":
        X[rng.integers(m)] *= 1e8
    if kind == "column":
        X[:, 0] *= 1e6
    if kind == "constant":
        X = np.column_stack([X, np.full(m, 3.7), X[:, 0]])
    if kind == "far":
        X += 1e7
    if kind == "collinear":
        X = np.column_stack([X, X @ rng.standard_normal(n)])
    return X, y


KINDS = ["plain", "row", "column", "constant", "far", "collinear"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", [RobustSeparator(), SparseSeparator()], ids=["all", "few"])
def test_the_bound_never_exceeds_an_exact_value_and_separable_planes_separate(estimator, kind):
    """Bounds were false by 1e-9, planes were called separable with errors, huge rows raised."""
    for seed in range(25):
        X, y = table(seed, kind)
        if (np.ptp(X, axis=0) == 0).all():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            model = estimator.fit(X, y)
        value = exact_value(model, X, y)
        assert Fraction(model.bound_) <= value
        assert float(value) == pytest.approx(model.objective_, rel=1e-9, abs=1e-12)
        assert (model.status_ == "optimal") == (model.gap_ <= 1e-6)
        assert not model.separable_ or (model.predict(X) == y).all()
        assert kind in ("row", "collinear") or model.status_ == "optimal"


def test_a_bound_that_cannot_be_proved_comes_with_a_warning():
    """Rounding makes the last column independent of the others, though no plane can use that."""
    X, y = table(1, "collinear")
    with pytest.warns(AccuracyWarning, match="a gap of"):
        model = RobustSeparator().fit(X, y)
    assert model.status_ == "inaccurate"
    assert model.gap_ > 1e-6


@pytest.mark.parametrize(
    "estimator",
    [RobustSeparator(), RobustSeparator(perturbation=0.05), SparseSeparator()],
    ids=["RLP", "RLP-P", "sparse"],
)
def test_predictions_do_not_depend_on_order_repetition_units_or_names(estimator):
    """Ties used to be broken by rounding that depended on the order of rows."""
    for seed in range(0, 30):
        rng = np.random.default_rng(seed)
        X, y = table(seed, "plain")
        if (np.ptp(X, axis=0) == 0).all():
            continue
        expected = estimator.fit(X, y).predict(X)
        order, unit = rng.permutation(len(X)), np.ones(X.shape[1])
        unit[0] = 1024.0
        np.testing.assert_array_equal(estimator.fit(X[order], y[order]).predict(X), expected)
        np.testing.assert_array_equal(estimator.fit(X * unit, y).predict(X * unit), expected)
        named = estimator.fit(X, y.max() - y)
        np.testing.assert_array_equal(y.max() - named.predict(X), expected)
        twice = rng.random(len(X)) < 0.3
        heavy = estimator.fit(X, y, 1.0 + twice).predict(X)
        rows, classes = np.vstack([X, X[twice]]), np.concatenate([y, y[twice]])
        np.testing.assert_array_equal(estimator.fit(rows, classes).predict(X), heavy)


@pytest.mark.parametrize("seed", [12, 19, 25, 34])
def test_constant_columns_do_not_cost_the_proof_of_many_classes(seed):
    """The bug: five constant columns beside one that varies left a bound of 0."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.append(np.arange(14), rng.integers(14, size=6)))
    x = rng.random(20).round(2)
    weights = np.where(rng.random(20) < 0.3, rng.integers(1, 20, 20) / 20, 1.0)
    zero, one = np.zeros(20), np.ones(20)
    model = RobustSeparator().fit(np.column_stack([zero, x, zero, one, zero, zero]), y, weights)
    alone = RobustSeparator().fit(x[:, None], y, weights)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-8)
    assert model.bound_ <= alone.objective_
