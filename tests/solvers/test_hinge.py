"""HingeProgram against HiGHS and weak duality in numpy, on rows of every troublesome kind."""

import numpy as np
import pytest
from hinge_families import FAMILIES
from hinge_oracle import highs_value, hinges, primal_value, proved_bound, rounding
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import _core
from planetree.solvers import HingeProgram

pytestmark = pytest.mark.core

seeds = st.integers(0, 2**32 - 1)
every_family = pytest.mark.parametrize("family", FAMILIES)

# Values below this share of all charges count as 0: they are sums of rounding, in HiGHS too.
ZERO = 1e-6


def labels(m, k, balanced=True):
    """A class for each row, every class with a row; unbalanced: all but one class with one row."""
    if balanced:
        return np.resize(np.arange(k), m)
    return np.concatenate([np.arange(k), np.zeros(m - k, dtype=int)])


def normalization(X, weights):
    center, scale = _core.column_moments(np.ascontiguousarray(X), weights)
    return {"center": center, "scale": np.where(scale > 0, scale, 1.0)}


class Case:
    """Rows with their program, solved by the kernel and judged by both oracles."""

    def __init__(self, X, classes, charges=None, weights=None, costs=None, all_planes=False):
        self.weights = np.ones(len(X)) if weights is None else weights
        totals = np.bincount(classes, self.weights)
        self.charges = 1.0 / totals if charges is None else charges
        units = normalization(X, self.weights)
        self.options = {"costs": costs, "all_planes": all_planes}
        self.classes, self.Z = classes, (X - units["center"]) / units["scale"]
        self.program = HingeProgram(X, classes, self.weights, self.charges, **units, **self.options)

    def check(self, price=0.0, below=None, features=None, start=None):
        """Solve; the value must be HiGHS's and the duals must prove it to anyone."""
        found = self.program.solve(price, start, duals=True, below=below, features=features)
        assert found.status == "optimal"
        assert found.method != "highs"
        assert found.gap <= 1e-9
        hinge = self.hinge(price, below, features)
        expected = highs_value(hinge)
        scale = max(expected, ZERO * hinge.charge.sum())
        assert abs(found.objective - expected) <= 1e-9 * scale
        self.check_certificate(hinge, self.unknowns(found, features), found, scale)
        return found

    def hinge(self, price, below, features):
        n = self.Z.shape[1]
        columns = np.arange(n) if features is None else features
        sides = {"price": np.broadcast_to(price, n)[columns]}
        sides["below"] = None if below is None else np.broadcast_to(below, n)[columns]
        options = {"weights": self.weights, **self.options, **sides}
        return hinges(self.Z[:, columns], self.classes, self.charges, **options)

    def check_certificate(self, hinge, z, found, scale):
        alpha = found.duals.ravel()
        assert np.all(alpha >= 0)
        assert np.all(alpha <= hinge.charge * (1 + 1e-12))
        value, room = primal_value(hinge, z), 1e-9 * scale + rounding(hinge, z)
        assert abs(value - found.objective) <= room
        assert value - proved_bound(hinge, alpha, 1 + np.abs(z)) <= 2 * room
        free = hinge._replace(rise=0 * z, fall=0 * z)
        assert abs(primal_value(free, z) - found.error) <= room

    def unknowns(self, found, features):
        """The planes as the oracle has them; a feature that was left out has weight 0."""
        planes = np.column_stack([found.weights, found.offsets])
        n_blocks = len(self.charges) - (not self.options["all_planes"])
        planes = planes[1:] - planes[0] if len(planes) > n_blocks else planes
        if features is None:
            return planes.ravel()
        assert not np.delete(found.weights, features, axis=1).any()
        return planes[:, np.append(features, -1)].ravel()


@every_family
@settings(max_examples=60)
@given(seed=seeds, m=st.integers(2, 60), n=st.integers(1, 8), balanced=st.booleans())
def test_two_classes_have_the_value_of_highs_and_a_proof(family, seed, m, n, balanced):
    rng = np.random.default_rng(seed)
    classes = labels(m, 2, balanced)
    Case(FAMILIES[family](rng, classes, n), classes).check()


@every_family
@settings(max_examples=40)
@given(
    seed=seeds,
    m=st.integers(6, 40),
    n=st.integers(1, 6),
    k=st.integers(3, 6),
    all_planes=st.booleans(),
)
def test_several_classes_have_the_value_of_highs_and_a_proof(family, seed, m, n, k, all_planes):
    rng = np.random.default_rng(seed)
    classes = labels(m, k, balanced=bool(rng.integers(2)))
    Case(FAMILIES[family](rng, classes, n), classes, all_planes=all_planes).check()


@every_family
@settings(max_examples=40)
@given(
    seed=seeds,
    m=st.integers(4, 40),
    n=st.integers(1, 8),
    k=st.integers(2, 4),
    power=st.floats(-5, 0.5),
    per_feature=st.booleans(),
)
def test_prices_of_weights_are_paid_as_highs_pays_them(family, seed, m, n, k, power, per_feature):
    """One price for all, or one for each feature, some free, and another below zero."""
    rng = np.random.default_rng(seed)
    classes = labels(m, k)
    price = 10.0**power * (rng.integers(0, 3, size=n) if per_feature else 1.0)
    below = price * rng.integers(0, 3, size=n) if seed % 3 == 0 else None
    case = Case(FAMILIES[family](rng, classes, n), classes, all_planes=k > 2 and bool(seed % 2))
    case.check(price, below)


@every_family
@settings(max_examples=25)
@given(seed=seeds, m=st.integers(3, 25), k=st.integers(2, 4), priced=st.booleans())
def test_programs_with_more_features_than_rows(family, seed, m, k, priced):
    rng = np.random.default_rng(seed)
    classes = labels(max(m, k), k)
    X = FAMILIES[family](rng, classes, int(rng.integers(m, 4 * m + 2)))
    Case(X, classes).check(0.05 * priced)


@every_family
@settings(max_examples=25)
@given(seed=seeds, m=st.integers(5, 40), n=st.integers(1, 6), k=st.integers(2, 4))
def test_weights_costs_and_charges_of_any_size(family, seed, m, n, k):
    """Weights and costs may be 0; charges need not be those of a paper."""
    rng = np.random.default_rng(seed)
    classes = labels(m, k)
    weights = rng.integers(0, 4, size=m) * 10.0 ** rng.integers(-2, 3)
    weights[:k] = 1.0
    costs = rng.integers(0, 4, size=(k, k)).astype(float)
    costs[0, 1] = 1.0
    charges = 10.0 ** rng.uniform(-2, 2, size=k)
    Case(FAMILIES[family](rng, classes, n), classes, charges, weights, costs).check()


@every_family
@settings(max_examples=6)
@given(seed=seeds, n=st.integers(1, 5), k=st.sampled_from([2, 2, 3]), priced=st.booleans())
def test_tall_programs(family, seed, n, k, priced):
    """More than 2500 rows, and than 8 for each unknown of a plane: Newton's way."""
    rng = np.random.default_rng(seed)
    classes = labels(int(rng.integers(2500, 3000)), k)
    found = Case(FAMILIES[family](rng, classes, n), classes).check(0.01 * priced)
    if family == "continuous":
        assert found.method == "newton"


@settings(max_examples=15)
@given(seed=seeds, n=st.integers(1, 5), rare=st.integers(1, 3), uniform=st.booleans())
def test_one_row_in_a_thousand_of_the_other_class(seed, n, rare, uniform):
    rng = np.random.default_rng(seed)
    m = 1000 * rare
    classes = (np.arange(m) < rare).astype(int)
    X = FAMILIES["continuous"](rng, classes, n)
    Case(X, classes, charges=np.full(2, 1.0 / m) if uniform else None).check()


@every_family
@settings(max_examples=15)
@given(seed=seeds, m=st.integers(5, 40), n=st.integers(2, 6), k=st.integers(2, 4))
def test_a_start_from_another_solve_leads_to_the_same_value(family, seed, m, n, k):
    """Other prices, no prices, other features, or the same program again."""
    rng = np.random.default_rng(seed)
    classes = labels(m, k)
    case = Case(FAMILIES[family](rng, classes, n), classes)
    cold = case.check(0.01)
    features = np.sort(rng.permutation(n)[: n // 2])
    few = case.check(0.01, features=features)
    for start in (case.program.solve(0.3), case.program.solve(), few, cold):
        warm = case.check(0.01, start=start)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-9, abs=1e-15)
        case.check(0.02, features=features, start=start)


@settings(max_examples=40)
@given(seed=seeds, n=st.integers(1, 4), k=st.integers(2, 4))
def test_the_bound_of_any_multipliers_is_below_the_value(seed, n, k):
    """Weak duality for multipliers that no solver made; `certify` agrees with numpy on both."""
    rng = np.random.default_rng(seed)
    classes = labels(20, k)
    case = Case(FAMILIES["whole_numbers"](rng, classes, n), classes)
    best = case.program.solve().objective
    hinge = hinges(case.Z, classes, case.charges)
    z = rng.normal(size=hinge.S.shape[1])
    alpha = rng.random(len(hinge.charge)) * hinge.charge
    proof = case.program._core.certify(z, np.ascontiguousarray(alpha.reshape(20, k - 1)))
    assert proof.objective == pytest.approx(primal_value(hinge, z), rel=1e-12)
    assert proof.bound == pytest.approx(max(0, proved_bound(hinge, alpha, 1 + abs(z))), abs=1e-12)
    assert proof.objective >= best * (1 - 1e-9)
