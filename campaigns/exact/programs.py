"""What `objective_` and `bound_` of each separator belong to, stated in exact rationals.

Rows x of the training table in its own units; weights v of rows; s the fitted `scale_`. A plane is
`coef_` w and `intercept_` -gamma. With m_i the weight of class i, or all of it where weighting is
"uniform", charge[i][j] = v cost[i][j] / m_i.

    Robust, Sparse   (1 - e) sum charge max(0, 1 - margin) + e sum |w_j s_j|     e = perturbation;
                     Sparse has no other columns than its `features_`
    Quadratic        1/2 sum charge max(0, 1 - margin)^2 + l2/2 sum_c |w_c s|^2, where the planes
                     sum to 0: two classes have one plane, w = 2 w_c, and a quarter twice
    Grinold          -min_i s_i z / q z, with s_i = +-(x_i, -1), q their mean: q z = 1 scales z
    MaxNorm          (max_B w.x - min_A w.x) / max_j |w_j s_j|; where columns depend on each other
                     only those that have weights, as the others are 0 by definition

A rival is another plane. Its exact value is one that no true bound exceeds.
"""

from dataclasses import dataclass, field

import numpy as np

from campaigns.exact import floating_rivals
from campaigns.exact.hinges import (
    Kink,
    descend,
    linear_value,
    newton,
    price_kinks,
    quadratic_value,
    row_kinks,
)
from campaigns.exact.rational import ONE, ZERO, Rational, dot, exact, exact_array, solve_first

INFINITE = Rational(10**400)  # more than any float


@dataclass
class Case:
    """A fitted separator and the rows it was fitted to."""

    model: object
    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    rows: list = field(init=False)
    mass: list = field(init=False)

    def __post_init__(self):
        self.rows, self.mass = exact_array(self.X), exact_array(self.weights)

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.model.classes_)

    @property
    def planes(self):
        """Planes of the model as one list of unknowns: weights and offset, plane by plane."""
        model = self.model
        return [
            each
            for w, at in zip(model.coef_, model.intercept_, strict=True)
            for each in [*exact_array(w), -exact(at)]
        ]

    @property
    def scale(self):
        """Scale of the columns."""
        return exact_array(self.model.scale_)

    def charges(self, weighting, costs):
        """Charge of one unit of weight of each class against each other."""
        k = self.n_classes
        totals = [ZERO] * k
        for code, mass in zip(self.codes, self.mass, strict=True):
            totals[code] += mass
        if weighting == "uniform":
            totals = [sum(totals, ZERO)] * k
        costs = np.ones((k, k)) if costs is None else np.asarray(costs, float)
        return [[exact(costs[i, j]) / totals[i] for j in range(k)] for i in range(k)]


def of_model(model, X, codes, weights):
    """The program of a fitted separator: an object with `value`, `planes`, `rivals`, `unit`."""
    case = Case(model, X, codes, weights)
    name = type(model).__name__
    if name == "QuadraticSeparator":
        return Quadratic(case)
    if name == "GrinoldSeparator":
        return Grinold(case)
    if name == "MaxNormSeparator":
        return MaxNorm(case)
    return Linear(case)


def weighted_kinks(case, weighting, costs, share=ONE):
    """Kinks of the rows, their charges times their weights."""
    charges = case.charges(weighting, costs)
    kinks = row_kinks(case.rows, case.codes, charges, case.n_classes)
    rivals = case.n_classes - 1
    return [
        Kink(kink.a, kink.b, share * kink.below * case.mass[i // rivals], ZERO)
        for i, kink in enumerate(kinks)
    ]


class Linear:
    """Program of RobustSeparator and SparseSeparator."""

    def __init__(self, case):
        self.case, model = case, case.model
        separator = model
        if hasattr(model, "features_"):
            from planetree import RobustSeparator

            separator = model.separator or RobustSeparator()
        price = exact(separator.perturbation)
        self.kinks = weighted_kinks(case, separator.weighting, separator.costs, ONE - price)
        self.unit = sum((kink.below for kink in self.kinks), ZERO)
        n_planes = 1 if case.n_classes == 2 else case.n_classes
        if price:
            self.kinks += price_kinks([price * s for s in case.scale], n_planes)
        self.allowed = self._allowed(n_planes)

    def _allowed(self, n_planes):
        """Unknowns that may differ from 0: not the weights of columns that were not chosen."""
        n = self.case.X.shape[1]
        chosen = set(getattr(self.case.model, "features_", range(n)))
        width = n + 1
        return [p * width + j for p in range(n_planes) for j in [*sorted(chosen), n]]

    @property
    def planes(self):
        """Planes of the model."""
        return self.case.planes

    def value(self, z):
        """Exact objective."""
        return linear_value(self.kinks, z)

    def rivals(self):
        """Planes of HiGHS, the exact optimum found from them, and that from the model's planes."""
        kinks = [Kink([k.a[j] for j in self.allowed], k.b, k.below, k.above) for k in self.kinks]
        starts = [[self.planes[j] for j in self.allowed]]
        found = floating_rivals.hinges(self.case, kinks, self.allowed)
        if found is not None:
            starts.insert(0, found)
            yield self._whole(found)
        for start in starts:
            z, proved = descend(kinks, start)
            yield self._whole(z)
            if proved:
                return

    def _whole(self, z):
        whole = [ZERO] * len(self.kinks[0].a)
        for j, value in zip(self.allowed, z, strict=True):
            whole[j] = value
        return whole


class Quadratic:
    """Program of QuadraticSeparator."""

    def __init__(self, case):
        self.case, model = case, case.model
        self.kinks = weighted_kinks(case, model.weighting, model.costs)
        self.unit = sum((kink.below for kink in self.kinks), ZERO)
        k, n, l2 = case.n_classes, case.X.shape[1], exact(model.l2)
        size = (1 if k == 2 else k) * (n + 1)
        self.penalty = [[ZERO] * size for _ in range(size)]
        for p in range(size if l2 else 0):
            plane, j = divmod(p, n + 1)
            if j < n:
                squared = l2 * case.scale[j] * case.scale[j]
                for other in range(size // (n + 1)):
                    centered = (ONE if other == plane else ZERO) - Rational(1, k)
                    self.penalty[p][other * (n + 1) + j] = centered * squared

    @property
    def planes(self):
        """Planes of the model."""
        return self.case.planes

    def value(self, z):
        """Exact objective."""
        return quadratic_value(self.kinks, self.penalty, z)

    def rivals(self):
        """Newton's method in rationals, from the model's planes, from 0 and from an LP's planes."""
        starts = [self.planes, [ZERO] * len(self.penalty)]
        found = floating_rivals.hinges(self.case, self.kinks, range(len(self.penalty)))
        if found is not None:
            linear, _ = descend(self.kinks, found)
            yield linear
            starts.append(linear)
        for start in starts:
            yield newton(self.kinks, self.penalty, start)


class Grinold:
    """Program of GrinoldSeparator."""

    unit = ONE

    def __init__(self, case):
        self.case = case
        self.signed = [
            [each if code == 1 else -each for each in [*x, -ONE]]
            for x, code in zip(case.rows, case.codes, strict=True)
        ]
        total = sum(case.mass, ZERO)
        columns = zip(*self.signed, strict=True)
        self.mean = [dot(case.mass, column) / total for column in columns]

    @property
    def planes(self):
        """Plane of the model."""
        return self.case.planes

    def value(self, z):
        """Exact objective; infinite where no positive factor meets the sum."""
        mean = dot(self.mean, z)
        return -min(dot(row, z) for row in self.signed) / mean if mean > 0 else INFINITE

    def rivals(self):
        """Plane of HiGHS, and the vertex nearest to it."""
        found = floating_rivals.grinold(self.case)
        if found is None:
            return
        yield found
        least = min(dot(row, found) for row in self.signed)
        near = sorted(self.signed, key=lambda row: dot(row, found) - least)
        equations = [[*self.mean, ZERO, ONE], *([*row, -ONE, ZERO] for row in near)]
        yield solve_first(equations, len(found) + 1)[0][:-1]


class MaxNorm:
    """Program of MaxNormSeparator."""

    unit = ONE

    def __init__(self, case):
        self.case = case
        n = case.X.shape[1]
        rank = len(solve_first([[*row, ONE, ZERO] for row in case.rows], n + 1)[1])
        free = rank == n + 1
        self.allowed = [j for j in range(n) if free or case.model.coef_[0, j] != 0]
        self.above = [x for x, code in zip(case.rows, case.codes, strict=True) if code == 1]
        self.below = [x for x, code in zip(case.rows, case.codes, strict=True) if code == 0]

    @property
    def planes(self):
        """Weights of the model."""
        return self.case.planes[:-1]

    def value(self, w):
        """Exact objective."""
        largest = max(abs(a * s) for a, s in zip(w, self.case.scale, strict=True))
        if not largest:
            return INFINITE
        alpha, beta = min(dot(x, w) for x in self.above), max(dot(x, w) for x in self.below)
        return (beta - alpha) / largest

    def rivals(self):
        """Weights of HiGHS for each largest weight and sign, and the vertices nearest to them."""
        for w in floating_rivals.max_norm(self.case, self.allowed):
            yield w
            yield self._vertex(w)

    def _vertex(self, w):
        n, scale = len(w), self.case.scale
        alpha, beta = min(dot(x, w) for x in self.above), max(dot(x, w) for x in self.below)
        equations = [(dot(x, w) - alpha, [*x, -ONE, ZERO, ZERO]) for x in self.above]
        equations += [(beta - dot(x, w), [*x, ZERO, -ONE, ZERO]) for x in self.below]
        for j in range(n):
            unit = [scale[j] if i == j else ZERO for i in range(n)]
            end = ONE if w[j] >= 0 else -ONE
            if j not in self.allowed:
                equations.append((-ONE, [*unit, ZERO, ZERO, ZERO]))
            else:
                equations.append((ONE - abs(w[j] * scale[j]), [*unit, ZERO, ZERO, end]))
        equations.sort(key=lambda each: each[0])
        return solve_first([row for _, row in equations], n + 2)[0][:n]
