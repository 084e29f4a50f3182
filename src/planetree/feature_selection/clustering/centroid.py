"""Selection under k-means local optimality: every sample is nearest to its own class centroid.

With a_j the samples, c_k the class centroids and x in [0, 1] the weights of the features,

    max   sum_i x_i
    s.t.  sum_i (a_ij - c_ih)^2 x_i  <=  sum_i (a_ij - c_ik)^2 x_i

for every sample j of class h and every other class k. Busygin & Pardalos (2005), (18) and (2); the
left side is multiplied by 1 + margin. A new sample takes the class of the nearest centroid, (19).
The differences of squared distances are linear in the sample, so the decision is planes. Another
principle of clustering puts other points in the place of centroids, and may ask for more
(`principles`).

Where a sample lacks a value, both sides are sums over the columns that it has: they are the same
for all classes, so a factor for what is missing would cancel. A centroid is the mean of the known
values. A column of which some class has no value has no centroid there, and its weight is 0.

- the criterion depends on the units of single columns: a column times c has its weight times c^2
  in every distance; all columns times c change no inequality;
- weights other than 0 sum to at least 1: the constraints are homogeneous;
- with `max_features`, the features are chosen first (`few_columns`), then the program is solved on
  them.

The rows of its programs are built only where they are violated. Row (j, k) asks of a sample a_j of
class h

    g_jk x  =  sum_i [(a_ij - c_ik)^2 - (1 + margin) (a_ij - c_ih)^2] x_i  >=  0    for each k != h.

    most weight     max sum(x)   s.t.  g_jk x >= 0,    0 <= x <= upper
    widest room     max rho      s.t.  g_jk x >= rho,  0 <= x <= upper,  sum(x) = n_features
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.feature_selection.clustering.clustering_classifier import (
    ClusteringClassifier,
    in_use,
    most_violated,
    plain_scores,
    solve_by_rows,
    unproved_solution,
)
from planetree.feature_selection.clustering.few_columns import few_columns
from planetree.feature_selection.clustering.principles import PRINCIPLES, Principle
from planetree.feature_selection.clustering.samples import Samples, read_samples
from planetree.parameters import (
    SECONDS,
    check_parameters,
    choice,
    count,
    flag,
    number,
    optional,
    parameter,
)
from planetree.separators.base import judged_status
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.table import all_or_nothing

_REMEDY = "Drop rows, lower `margin`, raise `max_features`, or set relax=True to drop them."
_AT_ONCE = 100  # rows that join a program together
_PASSES = 3  # over the rows, each with the bounds that the last one left
_NEXT_TO_NOTHING = 1e-100  # no bound goes below it, so that no product of it underflows
_EPSILON = float(np.finfo(np.float64).eps)


class _CentroidProgram:
    """Constraints (2) of the samples that are `kept`, and the two programs on them."""

    def __init__(
        self, samples: Samples, principle: Principle, margin: float, clock: Clock = UNLIMITED
    ) -> None:
        self.samples = samples
        self.principle = principle
        self.margin = margin
        self.clock = clock
        given = (samples.values, samples.codes, samples.weights)
        centers, more = principle.points(*given), principle.rows(*given)
        self.usable = ~np.isnan(samples.by_column(centers.sum(axis=0)))
        self.centers = np.nan_to_num(centers)
        self.more = None if more is None else samples.by_column(more)
        self.kept = np.ones(len(samples.codes), dtype=bool)
        self.joined: list[tuple[int, int]] = []
        self.n_rows = len(samples.codes) * len(centers)

    def distances(self, x: Floats) -> Floats:
        """Weighted squared distance of each sample from each centroid."""
        weights = self.samples.by_term(x)
        return np.column_stack([self._squares(c) @ weights for c in self.centers])

    def slacks(self, x: Floats, distances: Floats | None = None) -> Floats:
        """By how much each constraint holds; at a sample's own class, what else is asked of it."""
        distances = self.distances(x) if distances is None else distances
        own = np.take_along_axis(distances, self.samples.codes[:, None], axis=1)
        slacks = distances - (1.0 + self.margin) * own
        more = np.full(len(own), np.inf) if self.more is None else self.more @ x
        np.put_along_axis(slacks, self.samples.codes[:, None], more[:, None], axis=1)
        return slacks

    def worst_violation(self, x: Floats) -> float:
        """By how much the constraint that holds least is violated, beyond rounding."""
        return float(self._violations(x, 0.0).max(initial=0.0))

    def every_row(self) -> Floats:
        """Rows g_jk of all samples."""
        asked = np.arange(len(self.centers)) != self.samples.codes[:, None]
        pairs = np.argwhere(asked | (self.more is not None)).tolist()
        return np.array([self._entries(j, k) for j, k in pairs])

    def violated_samples(self, x: Floats) -> Mask:
        """Which of the kept samples violate a constraint, by more than rounding."""
        return self._violations(x, 0.0).max(axis=1) > 0

    def most_weight(self, upper: Floats) -> Solution:
        """Solve (18)(2): the largest sum of weights, none above its `upper`."""
        self.joined = []
        rows = self._join(upper)
        program = LinearProgram(
            np.full(len(upper), -1.0),
            rows if len(rows) else None,
            0.0,
            upper=upper,
            presolve=False,
            name="program of CentroidSelector",
        )
        return solve_by_rows(program, self._join, self.clock)

    def full_weights(self, upper: Floats) -> Solution:
        """All weights at their bounds, once the samples that this violates are dropped."""
        self.kept &= ~self.violated_samples(upper)
        self.joined = []
        return unproved_solution(upper, -float(upper.sum()), n_duals=0)

    def proved_weight(self, upper: Floats, duals: Floats) -> float:
        """What no weights sum to more than, in exact arithmetic over the samples.

        With any multipliers y >= 0, sum(x) <= sum_i upper_i max(0, 1 + sum_p y_p g_pi). A column in
        large units has large terms there, which cancel; its weight is small, and a row proves it.
        """
        used = np.flatnonzero(duals > 0)
        pairs = [self.joined[p] for p in used]
        y = duals[used] / [np.abs(self._entries(j, k)).mean() for j, k in pairs]
        steps = (sum(self.samples.values.shape) + len(y) + 16) * _EPSILON
        G = self._entries_at_most(pairs, steps)
        over = 1.0 + y @ G + steps * (1.0 + y @ np.abs(G))
        return float(_implied(upper, G, steps) @ np.maximum(over, 0.0)) * (1.0 + steps)

    def _entries_at_most(self, pairs: list[tuple[int, int]], steps: float) -> Floats:
        """Rows g_jk, computed from differences to a sample, and how far rounding may take them."""
        middle = _middle(self.samples)
        known = self.samples.known
        D = np.where(known, self.samples.values - middle, 0.0)
        centers, sizes = self._centers_from(middle, D)
        j, k = np.array(pairs, dtype=int).reshape(-1, 2).T
        G = np.zeros((len(pairs), D.shape[1]))
        for to, factor in ((k, 1.0), (self.samples.codes[j], -1.0 - self.margin)):
            apart, off = D[j] - centers[to], steps * (np.abs(D[j]) + sizes[to])
            error = off * (2.0 * np.abs(apart) + off) + steps * apart**2
            G += factor * apart**2 + (1.0 + steps) * abs(factor) * error
        G = self.samples.by_column(np.where(known[j], G, 0.0))
        if self.more is not None:
            own = k == self.samples.codes[j]
            G[own] = self.more[j[own]] + steps * np.abs(self.more[j[own]])
        return G

    def _centers_from(self, middle: Floats, D: Floats) -> tuple[Floats, Floats]:
        """Points of the classes minus the middle, and the size of what was added for them."""
        if self.principle is not PRINCIPLES["k_means"]:
            return self.centers - middle, np.abs(self.centers) + np.abs(middle)
        shares = self.samples.class_weights()
        totals = np.maximum(shares @ self.samples.known, np.finfo(float).tiny)
        return shares @ D / totals, shares @ np.abs(D) / totals

    def widest_room(self, upper: Floats, n_features: int) -> Floats:
        """Weights that sum to `n_features` and leave the most room in the tightest constraint."""
        self.joined = []
        m = len(upper)
        scale = np.abs(self._row(0, int(self.samples.codes[0] == 0))).mean() or 1.0
        program = LinearProgram(
            np.append(np.zeros(m), -1.0),
            np.append(np.ones(m), 0.0)[None],
            n_features,
            n_features,
            np.append(np.zeros(m), -np.inf),
            np.append(upper, self.distances(upper).max() / scale),
            presolve=False,
            name="program of CentroidSelector",
        )

        def join(point: Floats) -> Floats:
            rows = self._join(point[:-1], point[-1] * scale, scale)
            return np.column_stack([rows, np.full(len(rows), -1.0)]) if len(rows) else rows

        return solve_by_rows(program, join, self.clock).x[:-1]

    def _violations(self, x: Floats, room: float) -> Floats:
        """How far each constraint is violated, beyond rounding; 0 where it is not."""
        distances = self.distances(x)
        rounding = TOLERANCE * (2.0 + self.margin) * distances.max(axis=1, keepdims=True)
        short = room - self.slacks(x, distances)
        return np.where(self.kept[:, None] & (short > rounding), short, 0.0)

    def _join(self, x: Floats, room: float = 0.0, scale: float | None = None) -> Floats:
        """Rows that x violates most and that are not in the program yet."""
        short = self._violations(x, room)
        if self.joined:
            short[tuple(np.transpose(self.joined))] = 0.0
        worst = most_violated(short.ravel(), _AT_ONCE).tolist()
        pairs = [divmod(at, short.shape[1]) for at in worst]
        self.joined += pairs
        return np.array([self._row(j, k, scale) for j, k in pairs])

    def _row(self, j: int, k: int, scale: float | None = None) -> Floats:
        """Row g_jk, divided by `scale` or by the mean size of its entries."""
        row = self._entries(j, k)
        return row / (scale or np.abs(row).mean())

    def _entries(self, j: int, k: int) -> Floats:
        values, own = self.samples.values[j], self.samples.codes[j]
        if k == own and self.more is not None:
            return self.more[j]
        near, far = values - self.centers[own], values - self.centers[k]
        return self.samples.by_column(np.nan_to_num(far**2 - near**2 - self.margin * near**2))

    def _squares(self, center: Floats) -> Floats:
        """Squared differences from a point, 0 where a sample lacks the value."""
        squares = (self.samples.values - center) ** 2
        return squares if self.samples.known.all() else np.nan_to_num(squares)


@dataclass(eq=False, repr=False, kw_only=True)
class CentroidSelector(ClusteringClassifier):
    """Selection under k-means local optimality, (18)(2): samples are nearest their own centroid.

    Parameters
    ----------
    principle : {"k_means", "k_medoids"} or object
        What represents a class: its mean; its most central sample, which must stay so under the
        weights found; or an object with the methods `points(values, codes, weights)`, which returns
        the point of each class, and `rows(values, codes, weights)`, which returns a row of one more
        linear inequality in the weights for each sample, or None.
    margin : float
        Strictness: the squared distance from the centroid of another class must be at least
        1 + margin times that from the centroid of the own class.
    max_features : int, optional
        Select at most this many features; by default as many as the constraints allow.
    relax : bool
        Whether constraints of samples in conflict are dropped, with a warning, if no features
        satisfy them all; otherwise `fit` raises a `ConflictError`.
    time_limit : float, optional
        Seconds, after which all weights are 1 and the constraints that these violate are dropped,
        with a warning; with relax=False, `fit` raises a `SolverError`.

    Attributes
    ----------
    weights_ : array of shape (n_features,)
        Weight of each feature, from 0 to 1.
    support_ : boolean array of shape (n_features,)
        Which features have a weight other than 0.
    centroids_ : array of shape (n_classes, n_terms)
        The points of the classes, in the order of `classes_`: centroids, or medoids.
    outliers_ : array of int
        Rows of X whose constraints were dropped, or cost more than three times the average.
    prices_ : array of shape (n_rows,)
        Cost of the constraints of each row: their duals. 0 for rows of weight 0.
    planes_ : Planes
        The decision (19): for two classes, one plane, where a positive score means `classes_[1]`;
        for more, one per class, where the largest score wins.
    coef_, intercept_ : arrays
        Weights of the planes, and their offsets with the sign changed.
    objective_, bound_, gap_ : float
        Sum of the weights, the most that any can have, and their relative difference. The bound
        holds in exact arithmetic over X.
    status_ : {"optimal", "feasible", "time_limit", "inaccurate"}
        Whether the weights are proved to have the largest sum; "inaccurate", with a warning, if
        rounding leaves a gap.
    class_order_ : array of shape (n_classes,)
        Codes of the classes; if scores are equal, the first in this order wins.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
    scale_ : array of shape (n_terms,)

    Notes
    -----
    Missing values are accepted, at `fit` and later: a sample is compared with the classes in the
    columns where it has values, and centroids are means of known values. If a class has no value in
    a column, the column gets weight 0. A row without any value gets the first class of
    `class_order_`.

    Examples
    --------
    >>> from planetree import CentroidSelector
    >>> X = [[0.0, 5.0], [1.0, 0.0], [4.0, 4.0], [5.0, 1.0]]
    >>> model = CentroidSelector().fit(X, ["a", "a", "b", "b"])
    >>> model.weights_, model.objective_
    (array([1., 1.]), 2.0)
    >>> model.predict([[0.5, 3.0], [4.5, 3.0]]).tolist()
    ['a', 'b']
    """

    _kind = "selection of columns by a linear program"

    principle: Any = "k_means"
    margin: float = parameter(0.0, number(0))
    max_features: int | None = parameter(None, optional(count(1)))
    relax: bool = parameter(True, flag())
    time_limit: float | None = parameter(None, optional(SECONDS))

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CentroidSelector:
        """Find the weights.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts in the centroids.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        samples = read_samples(self, X, y, sample_weight)
        program = _CentroidProgram(samples, self._principle(), self.margin, clock)
        self._refuse_equal_centroids(program)
        try:
            upper = few_columns(program, self.max_features or len(program.usable))
            solution = self._solve(program, upper)
        except SolverError as error:
            if error.status == "time_limit":
                raise
            raise SolverError(f"{error} {_about_units(samples)}", error.status) from error
        pull = solution.x * samples.by_column(samples.scale**2)
        used = (solution.x > TOLERANCE) | (pull > TOLERANCE * pull.max())
        weights = np.where(used, solution.x, 0.0)
        prices = np.zeros(len(samples.codes))
        np.add.at(prices, [j for j, _ in program.joined], solution.duals)
        bound = float(upper.sum())
        if self.max_features is None and not clock.is_over:
            bound = min(bound, program.proved_weight(upper, solution.duals))
        self._set_answer(samples, weights, prices, ~program.kept, bound)
        self.centroids_: NDArray[Any] = samples.given_terms(samples.as_given(program.centers))
        W = 2.0 * program.centers * samples.by_term(weights)
        # (19) as planes: twice the scalar product minus the norm, both weighted
        self._set_scores(W, 0.5 * np.sum(W * program.centers, axis=1), samples)
        self.status_: str = self._status(solution, clock)
        return self

    def _scores_with_gaps(self, terms: Floats) -> Floats:
        """(19) over the terms that a row has: 2 c.a - c.c, both weighted and over these alone."""
        known = ~np.isnan(terms)
        norms = np.nan_to_num(self.centroids_) ** 2 * self.weights_[self.planes_.columns]
        if len(norms) == 2:
            norms = norms[1:] - norms[:1]
        linear = plain_scores(np.where(known, terms, 0.0), self.planes_.weights)
        return linear - plain_scores(known.astype(float), norms)

    def _status(self, solution: Solution, clock: Clock) -> str:
        if solution.status == "time_limit" or (self.gap_ > TOLERANCE and clock.is_over):
            return judged_status(self, "time_limit", TOLERANCE)
        if self.gap_ <= TOLERANCE:
            return "optimal"
        return "feasible" if self.max_features else judged_status(self, "inaccurate", TOLERANCE)

    def _solve(self, program: _CentroidProgram, upper: Floats) -> Solution:
        """Solve, and drop the samples of each conflict that full weights violate."""
        samples = program.samples
        while program.kept.any():
            if program.clock.is_over and self.relax:  # no round more: full weights end the rounds
                solution = program.full_weights(upper)
            else:
                solution = self._within_time(
                    lambda: program.most_weight(upper),
                    lambda x: bool(x.sum() > 0.5 and not program.violated_samples(x).any()),
                    lambda: program.full_weights(upper),
                )
            if solution.status == "time_limit" or solution.x.sum() > 0.5:
                n_dropped = len(samples.rows_of(~program.kept))
                self._warn_of_dropped(n_dropped, "the constraints of {} rows")
                return solution
            tight = np.array(program.joined)[in_use(solution.duals)]
            conflict = np.unique(tight[:, 0])
            if not self.relax:
                self._report_conflict(samples.rows_of(conflict), _REMEDY)
            wrong = conflict[program.violated_samples(upper)[conflict]]
            program.kept[wrong if len(wrong) else conflict] = False
        self._report_conflict(samples.rows, _REMEDY)

    def _principle(self) -> Principle:
        """The principle asked for, checked to be one."""
        if isinstance(self.principle, str):
            check_parameters(self, principle=choice(*PRINCIPLES))
            return PRINCIPLES[self.principle]
        if not all(callable(getattr(self.principle, name, None)) for name in ("points", "rows")):
            raise ValueError(
                f"principle must be one of {tuple(PRINCIPLES)} or an object with the methods "
                f"points and rows, but it is {self.principle!r}."
            )
        return self.principle

    def _refuse_equal_centroids(self, program: _CentroidProgram) -> None:
        differ = program.samples.by_column(np.ptp(program.centers, axis=0)) > 0
        if not (differ & program.usable).any():
            raise ValueError(
                "All classes have the same centroid, so CentroidSelector cannot separate them. "
                "Use PairwiseSelector, or add a column whose mean differs between classes."
            )


def _implied(upper: Floats, G: Floats, steps: float) -> Floats:
    """What G x >= 0 leaves of the bounds of x: -g_pi x_i <= sum_k max(0, g_pk) upper_k."""
    bounds = upper
    for _ in range(_PASSES):
        room = np.maximum(G, 0.0) @ bounds * (1.0 + steps)
        ratio = np.full(G.shape, np.inf)
        with np.errstate(over="ignore"):  # a ratio that is infinite bounds nothing
            np.divide(room[:, None], -G, out=ratio, where=G < 0)
        least = ratio.min(axis=0, initial=np.inf) * (1.0 + steps)
        bounds = np.minimum(bounds, np.maximum(least, _NEXT_TO_NOTHING))
    return bounds


def _middle(samples: Samples) -> Floats:
    """A known value of each term amid the others; 0 where there is none."""
    if samples.known.all():
        return np.asarray(np.median(samples.values, axis=0))
    masked = np.ma.masked_invalid(samples.values)
    return np.asarray(np.ma.median(masked, axis=0).filled(0.0))


def _about_units(samples: Samples) -> str:
    """What to do when a program of squared distances could not be proved."""
    spread = samples.scale[samples.scale > 0]
    ratio = spread.max() / spread.min() if len(spread) else 1.0
    return (
        f"Its columns spread over {ratio:.0e} times as much as others, and distances square that. "
        "Bring them to one scale first, for instance by scikit-learn's StandardScaler."
    )
