"""Selection under k-means local optimality: every sample is nearest to its own class centroid.

With a_j the samples, c_k the class centroids and x in [0, 1] the weights of the features,

    max   sum_i x_i
    s.t.  sum_i (a_ij - c_ih)^2 x_i  <=  sum_i (a_ij - c_ik)^2 x_i

for every sample j of class h and every other class k. Busygin & Pardalos (2005), (18) and (2); the
left side is multiplied by 1 + margin. A new sample takes the class of the nearest centroid, (19).
The differences of squared distances are linear in the sample, so the decision is planes.

- the criterion depends on the units of single columns: a column times c has its weight times c^2
  in every distance; all columns times c change no inequality;
- weights other than 0 sum to at least 1: the constraints are homogeneous;
- with `max_features`, the features are chosen first: those of the widest room, in rounds that keep
  the larger half of the weights in excess; then the program is solved on them.

The rows of its programs are built only where they are violated. Row (j, k) asks of a sample a_j of
class h

    g_jk x  =  sum_i [(a_ij - c_ik)^2 - (1 + margin) (a_ij - c_ih)^2] x_i  >=  0    for each k != h.

    most weight     max sum(x)   s.t.  g_jk x >= 0,    0 <= x <= upper
    widest room     max rho      s.t.  g_jk x >= rho,  0 <= x <= upper,  sum(x) = n_features
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.feature_selection.clustering.clustering_classifier import (
    ClusteringClassifier,
    in_use,
    solve_by_rows,
)
from planetree.feature_selection.clustering.samples import Samples, read_samples
from planetree.parameters import SECONDS, check_parameters, count, flag, number, optional
from planetree.separators.base import judged_status
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.table import all_or_nothing

__all__ = ["CentroidSelector"]

_REMEDY = "Leave rows out, lower `margin`, raise `max_features`, or set relax=True to drop them."
_AT_ONCE = 100  # rows that join a program together
_PASSES = 3  # over the rows, each with the bounds that the last one left
_NEXT_TO_NOTHING = 1e-100  # no bound goes below it, so that no product of it underflows
_EPSILON = float(np.finfo(np.float64).eps)


class _CentroidProgram:
    """Constraints (2) of the samples that are `kept`, and the two programs on them."""

    def __init__(self, samples: Samples, margin: float, clock: Clock = UNLIMITED) -> None:
        self.samples = samples
        self.margin = margin
        self.clock = clock
        self.centers = samples.class_means()
        self.kept = np.ones(len(samples.codes), dtype=bool)
        self.joined: list[tuple[int, int]] = []

    def distances(self, x: Floats) -> Floats:
        """Weighted squared distance of each sample from each centroid."""
        weights = self.samples.by_term(x)
        return np.column_stack([(self.samples.values - c) ** 2 @ weights for c in self.centers])

    def slacks(self, x: Floats, distances: Floats | None = None) -> Floats:
        """By how much each constraint holds; infinite for a sample's own class."""
        distances = self.distances(x) if distances is None else distances
        own = np.take_along_axis(distances, self.samples.codes[:, None], axis=1)
        slacks = distances - (1.0 + self.margin) * own
        np.put_along_axis(slacks, self.samples.codes[:, None], np.inf, axis=1)
        return slacks

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
        bound, nothing = -float(upper.sum()), np.zeros(len(upper))
        return Solution(upper, bound, np.zeros(0), nothing, "time_limit", bound, 0.0, 0)

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
        D = self.samples.values - np.median(self.samples.values, axis=0)
        member = self.samples.codes == np.arange(self.samples.n_classes)[:, None]
        shares = member * self.samples.weights
        shares /= shares.sum(axis=1, keepdims=True)
        centers, sizes = shares @ D, shares @ np.abs(D)
        j, k = np.array(pairs, dtype=int).reshape(-1, 2).T
        G = np.zeros((len(pairs), D.shape[1]))
        for to, factor in ((k, 1.0), (self.samples.codes[j], -1.0 - self.margin)):
            apart, off = D[j] - centers[to], steps * (np.abs(D[j]) + sizes[to])
            error = off * (2.0 * np.abs(apart) + off) + steps * apart**2
            G += factor * apart**2 + (1.0 + steps) * abs(factor) * error
        return self.samples.by_column(G)

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
        worst = np.argsort(-short, axis=None, kind="stable")[:_AT_ONCE]
        pairs = [divmod(int(at), short.shape[1]) for at in worst if short.flat[at] > 0]
        self.joined += pairs
        return np.array([self._row(j, k, scale) for j, k in pairs])

    def _row(self, j: int, k: int, scale: float | None = None) -> Floats:
        """Row g_jk, divided by `scale` or by the mean size of its entries."""
        row = self._entries(j, k)
        return row / (scale or np.abs(row).mean())

    def _entries(self, j: int, k: int) -> Floats:
        values, own = self.samples.values[j], self.centers[self.samples.codes[j]]
        near, far = values - own, values - self.centers[k]
        return self.samples.by_column(far**2 - near**2 - self.margin * near**2)


class CentroidSelector(ClusteringClassifier):
    """Selection under k-means local optimality, (18)(2): samples are nearest their own centroid.

    Parameters
    ----------
    margin : float
        Strictness: the squared distance from the centroid of another class must be at least
        1 + margin times that from the own one.
    max_features : int, optional
        Select at most so many features; by default as many as the constraints allow.
    relax : bool
        Whether constraints of samples in conflict are dropped, with a warning, when no features
        satisfy them all; otherwise that is a `ConflictError`.
    time_limit : float, optional
        Seconds. When they are over, full weights are kept and the constraints that these violate
        are dropped, with a warning; with relax=False that is a `SolverError`.

    Attributes
    ----------
    weights_ : array of shape (n_features,)
        Weight of each feature, from 0 to 1.
    support_ : boolean array of shape (n_features,)
        Which features have a weight other than 0.
    centroids_ : array of shape (n_classes, n_terms)
    outliers_ : array of int
        Rows of X whose constraints were dropped, or cost more than three times the average.
    prices_ : array of shape (n_rows,)
        What the constraints of each row cost: their duals. 0 for rows of weight 0.
    planes_ : Planes
        The decision (19): for two classes one plane, a positive score says `classes_[1]`; else
        one a class, the largest score wins.
    coef_, intercept_ : arrays
        Weights of the planes, and minus their offsets.
    objective_, bound_, gap_ : float
        Sum of the weights, the most that any can have, and their relative difference. The bound
        holds in exact arithmetic over X.
    status_ : {"optimal", "feasible", "time_limit", "inaccurate"}
        Whether the weights are proved to have the largest sum; inaccurate, with a warning, where
        rounding leaves a gap.
    class_order_ : array of shape (n_classes,)
        Codes of the classes; of equal scores the first in this order wins.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
    scale_ : array of shape (n_terms,)

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

    def __init__(
        self,
        *,
        margin: float = 0.0,
        max_features: int | None = None,
        relax: bool = True,
        time_limit: float | None = None,
    ) -> None:
        self.margin = margin
        self.max_features = max_features
        self.relax = relax
        self.time_limit = time_limit

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
        check_parameters(
            self,
            margin=number(0),
            max_features=optional(count(1)),
            relax=flag(),
            time_limit=optional(SECONDS),
        )
        clock = Clock(self.time_limit)
        samples = read_samples(self, X, y, sample_weight)
        program = _CentroidProgram(samples, self.margin, clock)
        self._refuse_equal_centroids(program)
        try:
            upper = self._chosen(program, samples.n_columns)
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
        if self.max_features is None:
            bound = min(bound, program.proved_weight(upper, solution.duals))
        self._set_answer(samples, weights, prices, ~program.kept, bound)
        self.centroids_ = samples.given_terms(samples.as_given(program.centers))
        W = 2.0 * program.centers * samples.by_term(weights)
        # (19) as planes: twice the scalar product minus the norm, both weighted
        self._set_scores(W, 0.5 * np.sum(W * program.centers, axis=1), samples)
        self.status_ = self._status(solution)
        return self

    def _status(self, solution: Solution) -> str:
        if solution.status == "time_limit":
            return judged_status(self, "time_limit", TOLERANCE)
        if self.gap_ <= TOLERANCE:
            return "optimal"
        return "feasible" if self.max_features else judged_status(self, "inaccurate", TOLERANCE)

    def _solve(self, program: _CentroidProgram, upper: Floats) -> Solution:
        """Solve, and drop the samples of each conflict that full weights violate."""
        samples = program.samples
        while program.kept.any():
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

    def _chosen(self, program: _CentroidProgram, n_columns: int) -> Floats:
        """Upper bounds of the weights: 1, or 0 where `max_features` leaves a feature out."""
        allowed, n = np.ones(n_columns), self.max_features or n_columns
        while allowed.sum() > n:
            x = program.widest_room(allowed, n)
            n_used = int(np.count_nonzero(x > TOLERANCE))
            keep = np.argsort(-x, kind="stable")[: max(n, (n + n_used) // 2)]
            allowed = np.zeros(n_columns)
            allowed[keep] = 1.0
        return allowed

    def _refuse_equal_centroids(self, program: _CentroidProgram) -> None:
        if not np.ptp(program.centers, axis=0).any():
            raise ValueError(
                "All classes have the same centroid, so CentroidSelector cannot tell them apart. "
                "Use PairwiseSelector, or add a column whose mean differs between classes."
            )


def _implied(upper: Floats, G: Floats, steps: float) -> Floats:
    """What G x >= 0 leaves of the bounds of x: -g_pi x_i <= sum_k max(0, g_pk) upper_k."""
    bounds = upper
    for _ in range(_PASSES):
        room = np.maximum(G, 0.0) @ bounds * (1.0 + steps)
        ratio = np.full(G.shape, np.inf)
        np.divide(room[:, None], -G, out=ratio, where=G < 0)
        least = ratio.min(axis=0, initial=np.inf) * (1.0 + steps)
        bounds = np.minimum(bounds, np.maximum(least, _NEXT_TO_NOTHING))
    return bounds


def _about_units(samples: Samples) -> str:
    """What to do when a program of squared distances could not be proved."""
    spread = samples.scale[samples.scale > 0]
    ratio = spread.max() / spread.min() if len(spread) else 1.0
    return (
        f"Its columns spread over {ratio:.0e} times as much as others, and distances square that. "
        "Bring them to one scale first, for instance by scikit-learn's StandardScaler."
    )
