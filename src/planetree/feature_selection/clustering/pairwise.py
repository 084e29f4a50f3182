"""Selection under pairwise thresholds: classmates are nearer than samples of different classes.

With x in [0, 1] the weights of the features, I and E two thresholds:

    max   E - I   (20)    or    sum_i x_i   (18)
    s.t.  sum_i (a_ij - a_il)^2 x_i  <=  I    for j, l of one class,       (3)
          sum_i (a_ij - a_il)^2 x_i  >=  E    for j, l of two classes,     (4)
          I <= E.                                                         (5)

Busygin & Pardalos (2005). While x = 0 is the only solution, the pairs whose constraints have duals
other than 0 in (20) are dropped (section 3.2). We drop along with them the pairs that ask for at
least as much in every single feature: they imply what was dropped. With many features there are
none. A new sample takes the class of the nearest training sample, (21).

- the criterion depends on the units of single columns: a column times c has its weight times c^2
  in every distance; all columns times c change no inequality;
- a repeated row changes nothing: there is no mean;
- with missing values, two samples that both have q of the p columns are compared in these, and
  their distance is p / q times the sum over them, which is linear in x (scikit-learn's
  `nan_euclidean_distances`, squared, with weights). A pair with no column in common asks nothing;
- the paper takes it that these thresholds imply k-means local optimality. They need not: a sample
  far from its coinciding classmates can be nearer to the centroid of a class that is spread out.

The columns of its program are x, I and E, and rows are built only where they are violated. Squared
differences are scaled so that the median distance within classes is 1000 at x = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, pdist
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, encode
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.clustering_classifier import (
    ClusteringSelector,
    in_use,
    solve_by_rows,
    stands_out,
    unproved_solution,
)
from planetree.feature_selection.clustering.samples import (
    Samples,
    joint_factors,
    known_factors,
    read_samples,
    sums_over_known,
)
from planetree.parameters import SECONDS, choice, flag, optional, parameter
from planetree.separators.base import Documented, judged_status
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.table import Terms, all_or_nothing, read_rows
from planetree.words import DIGITS, Wording

_REMEDY = "Drop rows, set relax=True to drop the pairs, or use CentroidSelector, which asks less."
_UNSUITABLE = (
    "Every pair of two classes had to be dropped: pairwise thresholds do not suit this data. "
    "Use CentroidSelector, which asks less."
)
_AT_ONCE = 40  # rows of each kind that join a program together
_MEDIAN = 1000.0  # far from the 1e-9 to which rows hold
_BLOCK = 16  # terms compared at a time: most pairs differ in the first few
_EPSILON = float(np.finfo(np.float64).eps)


class _PairwiseProgram:
    """Constraints (3)-(5) of the pairs that are `kept`, and the program on them."""

    def __init__(self, samples: Samples, clock: Clock = UNLIMITED) -> None:
        n = len(samples.codes)
        self.samples = samples
        self.clock = clock
        first, second = np.triu_indices(n, 1)
        factors = known_factors(samples)
        self.compared = np.isfinite(factors[first, second])
        self.first, self.second = first[self.compared], second[self.compared]
        self.factors = factors[self.first, self.second]
        self.upper = samples.known_columns().any(axis=0).astype(float)
        self.same = samples.codes[self.first] == samples.codes[self.second]
        self.kept = np.ones(len(self.same), dtype=bool)
        self.n_features = samples.n_columns
        self._refuse_incomparable()
        self.full = full = self.distances(self.upper)
        within = np.median(full[self.same]) if self.same.any() else 0.0
        self.scale = (within or full.max()) / _MEDIAN
        self.largest = full.max() / self.scale
        self.joined = np.zeros(0, dtype=np.intp)
        self.joined = self._worst(np.where(self.same, full, -full), room=-np.inf)

    def distances(self, x: Floats) -> Floats:
        """Weighted squared distance of each pair."""
        used = self.samples.by_term(x) > 0
        roots = np.sqrt(self.samples.by_term(x)[used])
        if not used.any():
            return np.zeros(len(self.same))
        terms = self.samples.values[:, used] * roots
        if self.samples.known.all():
            return pdist(terms, "sqeuclidean")
        sums = [sums_over_known(terms[j + 1 :], terms[j]) for j in range(len(terms) - 1)]
        return np.concatenate(sums)[self.compared] * self.factors

    def thresholds(self, x: Floats) -> tuple[float, float]:
        """Largest distance of a kept pair of one class, and smallest of a kept pair of two."""
        distances = self.distances(x)
        within = distances[self.kept & self.same].max(initial=0.0)
        return float(within), float(distances[self.kept & ~self.same].min(initial=np.inf))

    def solve(self, objective: str) -> Solution:
        """Solve for one of the objectives, from the rows that joined before and are kept."""
        self.joined = self.joined[self.kept[self.joined]]
        m = self.n_features
        cost = np.append(np.zeros(m), [1.0, -1.0])
        if objective == "features":
            cost = np.append(np.full(m, -1.0), [0.0, 0.0])
        rows = np.vstack([np.append(np.zeros(m), [-1.0, 1.0])[None], self._rows(self.joined)])
        upper = np.append(self.upper, np.full(2, self.largest * (1.0 + TOLERANCE)))
        name = "program of PairwiseSelector"
        program = LinearProgram(cost, rows, 0.0, upper=upper, presolve=False, name=name)
        return solve_by_rows(program, self._join, self.clock)

    def proved_bound(self, solution: Solution) -> float:
        """What no weights exceed, in exact arithmetic over the samples, in the program's units.

        The bound of the solution holds for rows whose entries are rounded: no weight exceeds 1, so
        each row may be wrong by its rounding times its entries, and costs that much of its dual.
        """
        duals = np.abs(solution.duals[1:])
        steps = (len(self.samples.terms.columns) + 16) * _EPSILON
        slack = steps * float(duals @ self.squares(self.joined).sum(axis=1))
        return -solution.bound + (slack + steps * abs(solution.bound)) * (1.0 + steps)

    def satisfied(self, x: Floats, objective: str) -> bool:
        """Whether weights other than 0 satisfy the thresholds of all kept pairs."""
        within, between = self.thresholds(x[:-2])
        return within <= between and not self.trivial(x, objective)

    def full_weights(self, objective: str) -> Solution:
        """All weights 1, after the fewest pairs are dropped that keep them from thresholds.

        A threshold t drops the pairs of one class beyond it and those of two classes below it.
        """
        full = self.full
        apart = np.unique(full[~self.same])
        below, same = np.sort(full[~self.same]), np.sort(full[self.same])
        dropped = np.searchsorted(below, apart) + len(same) - np.searchsorted(same, apart, "right")
        threshold = apart[dropped.argmin()]
        self.kept = np.where(self.same, full <= threshold, full >= threshold)
        self.joined = np.zeros(0, dtype=np.intp)
        within, between = self.thresholds(self.upper)
        x = np.append(self.upper, np.array([within, between]) / self.scale)
        bound = -float(self.upper.sum() if objective == "features" else between / self.scale)
        return unproved_solution(x, bound, n_duals=1)

    def trivial(self, x: Floats, objective: str) -> bool:
        """Whether x = 0 is all that the constraints allow.

        The constraints are homogeneous, so another optimum would have a weight of 1.
        """
        if objective == "features":
            return bool(x[:-2].sum() <= 0.5)
        return bool(x[-1] - x[-2] <= TOLERANCE * _MEDIAN)

    def drop(self, pairs: Indices) -> None:
        """Drop pairs, and those that ask for more in every single feature than one of them."""
        self.kept[pairs] = False
        for pair in pairs:
            self.kept[self._as_strict(pair)] = False

    def squares(self, pairs: Indices) -> Floats:
        """Squared differences of pairs, feature by feature, in the units of the program."""
        values = self.samples.values
        squares = (values[self.first[pairs]] - values[self.second[pairs]]) ** 2
        if not self.samples.known.all():
            squares = np.nan_to_num(squares) * self.factors[pairs, None]
        return self.samples.by_column(squares) / self.scale

    def rows_of(self, pairs: Indices) -> Indices:
        """Rows of the given table that pairs are made of."""
        return self.samples.rows_of(np.append(self.first[pairs], self.second[pairs]))

    def of_samples(self, pairs: Indices, values: Floats) -> Floats:
        """What the pairs of each sample have together."""
        ends = np.append(self.first[pairs], self.second[pairs])
        of_samples = np.zeros(len(self.samples.codes))
        np.add.at(of_samples, ends, np.tile(values, 2))
        return of_samples

    def _rows(self, pairs: Indices) -> Floats:
        same = self.same[pairs][:, None]
        sign = np.where(same, -1.0, 1.0)
        return np.hstack([sign * self.squares(pairs), same * 1.0, ~same * -1.0])

    def _join(self, point: Floats) -> Floats:
        """Rows that a point violates most and that are not in the program yet."""
        distances = self.distances(point[:-2]) / self.scale
        inner, outer = point[-2:]
        short = np.where(self.same, distances - inner, outer - distances)
        new = self._worst(short, room=TOLERANCE * max(_MEDIAN, inner, outer))
        self.joined = np.append(self.joined, new)
        return self._rows(new)

    def _worst(self, short: Floats, room: float) -> Indices:
        """Pairs of each kind that fall short most, those that joined before left out."""
        open_pairs = self.kept & (short > room)
        open_pairs[self.joined] = False
        kinds = (np.flatnonzero(open_pairs & kind) for kind in (self.same, ~self.same))
        order = [pairs[np.argsort(-short[pairs], kind="stable")[:_AT_ONCE]] for pairs in kinds]
        return np.concatenate(order)

    def _as_strict(self, pair: int) -> Indices:
        """Other kept pairs that ask at least as much as this one in every single feature."""
        sign = 1.0 if self.same[pair] else -1.0
        farther = sign * (self.full - self.full[pair]) >= -TOLERANCE * self.full[pair]
        others = np.flatnonzero(self.kept & (self.same == self.same[pair]) & farther)
        for start in range(0, self.samples.values.shape[1], _BLOCK):
            values = self.samples.values[:, start : start + _BLOCK]
            own = self._sizes(values, np.array([pair]))
            others = others[np.all(sign * (self._sizes(values, others) - own) >= 0, axis=1)]
            if not len(others):
                break
        return others

    def _sizes(self, values: Floats, pairs: Indices) -> Floats:
        """How far pairs are apart in each of some terms."""
        apart = np.abs(values[self.first[pairs]] - values[self.second[pairs]])
        return np.nan_to_num(apart) * np.sqrt(self.factors[pairs, None])

    def _refuse_incomparable(self) -> None:
        if self.same.all():
            raise ValueError(
                "No two rows of different classes have a known value in a common column, so "
                "PairwiseSelector cannot compare classes. Use CentroidSelector."
            )


@dataclass(eq=False, repr=False, kw_only=True)
class PairwiseSelector(ClusteringSelector, ClassifierMixin, Documented):
    """Selection under pairwise thresholds, (3)-(5): classmates are nearer than others.

    Parameters
    ----------
    objective : {"separation", "features"}
        Make the gap between the two thresholds as wide as possible, (20), or the sum of the
        weights as large as possible, (18).
    relax : bool
        Whether pairs in conflict are dropped, with a warning, if no features satisfy them all;
        otherwise `fit` raises a `ConflictError`.
    time_limit : float, optional
        Seconds, after which the last weights are kept if they satisfy the thresholds, with their
        gap and a warning. Otherwise all weights are 1, and the fewest pairs that then violate the
        thresholds are dropped; with relax=False, `fit` raises a `SolverError`.

    Attributes
    ----------
    weights_ : array of shape (n_features,)
        Weight of each feature, from 0 to 1.
    support_ : boolean array of shape (n_features,)
        Which features have a weight other than 0.
    thresholds_ : tuple of two floats
        Largest squared distance of a kept pair from one class; smallest of one from two classes.
    dropped_pairs_ : array of shape (n_dropped, 2)
        Rows of X whose constraints were dropped. If rows are equal, the first is named.
    n_relaxations_ : int
        How many times constraints were dropped.
    outliers_ : array of int
        Rows of X that are in more than three times as many dropped pairs as the average, or
        whose constraints cost more than three times the average.
    prices_ : array of shape (n_rows,)
        Cost of the constraints of each row: their duals. 0 for rows of weight 0.
    objective_, bound_, gap_ : float
        The value of the objective, the most that any weights can have, and their relative
        difference. The bound holds in exact arithmetic over X, for the pairs that were not dropped.
    status_ : {"optimal", "time_limit", "inaccurate"}
    samples_, sample_codes_ : arrays
        The training samples that new ones are compared with, as terms, and their classes.
    class_order_ : array of shape (n_classes,)
        Codes of the classes; if several are equally near, the first in this order wins.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column

    Notes
    -----
    Missing values are accepted, at `fit` and later: two rows are compared in the columns where both
    have values, and if these are q of p columns, their squared distance is p / q times the sum over
    them. Rows with no column in common are not compared, and a row that cannot be compared with any
    training row gets the first class of `class_order_`.

    Examples
    --------
    >>> from planetree import PairwiseSelector
    >>> X = [[0.0, 5.0], [1.0, 0.0], [4.0, 4.0], [5.0, 1.0]]
    >>> model = PairwiseSelector().fit(X, ["a", "a", "b", "b"])
    >>> model.support_, model.thresholds_
    (array([ True, False]), (1.0, 9.0))
    >>> model.predict([[0.5, 3.0], [4.5, 3.0]]).tolist()
    ['a', 'b']
    """

    objective: str = parameter("separation", choice("separation", "features"))
    relax: bool = parameter(True, flag())
    time_limit: float | None = parameter(None, optional(SECONDS))

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PairwiseSelector:
        """Find the weights.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            A row of weight 0 is left out; other weights make no difference.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        samples = read_samples(self, X, y, sample_weight)
        program = _PairwiseProgram(samples, clock)
        solution = self._solve(program)
        x = solution.x[:-2]
        weights = np.where(x > TOLERANCE, x, 0.0)
        dropped, first = np.flatnonzero(~program.kept), samples.first_rows()
        counts = program.of_samples(dropped, np.ones(len(dropped)))
        prices = program.of_samples(program.joined, np.abs(solution.duals[1:]))
        bound = program.proved_bound(solution)
        self._set_answer(
            samples, weights, prices, stands_out(counts), min(bound, program.upper.sum())
        )
        self.samples_: NDArray[Any] = samples.given_terms(samples.values)
        self.sample_codes_: Indices = samples.order[samples.codes]
        self._terms = Terms(*(samples.given_terms(each) for each in samples.terms))
        self.dropped_pairs_: Indices = first[
            np.column_stack([program.first, program.second])[dropped]
        ]
        self.thresholds_: tuple[float, float] = program.thresholds(weights)
        if self.objective == "separation":
            within, between = self.thresholds_
            self._set_value(between - within, bound * program.scale)
        self.status_: str = judged_status(self, solution.status, 1e3 * TOLERANCE)
        return self

    def decision_function(self, X: Any) -> Floats:
        """How much nearer the nearest sample of a class is than that of the others.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_classes) for more than two classes
            For two classes the least squared distance from the first minus that from the second;
            else minus the least squared distance from each class. Infinite where a row shares no
            known column with any row of a class.
        """
        nearest = self._nearest(X)
        return nearest[:, 0] - nearest[:, 1] if nearest.shape[1] == 2 else -nearest

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the nearest training sample, (21), of equally near ones the first in order."""
        nearest = self._nearest(X)
        return self.classes_[self._first_in_order(-nearest)]

    def to_text(self, digits: int = DIGITS) -> str:
        """The selected columns with their weights, the heaviest first.

        Parameters
        ----------
        digits : int
            Significant digits of the weights.
        """
        check_is_fitted(self, "weights_")
        wording, weights = Wording(self.columns_, digits=digits), self.weights_
        order = [j for j in np.argsort(-weights, kind="stable").tolist() if weights[j] > 0]
        lines = [f"  {wording.number(weights[j])} {wording.name(j)}" for j in order]
        return "\n".join(
            ["The class of the nearest sample, squared differences weighted by", *lines]
        )

    def _nearest(self, X: Any) -> Floats:
        """Least weighted squared distance of each row from each class."""
        check_is_fitted(self, "weights_")
        rows = read_rows(self, X, missing=True)
        terms = encode(rows, self._terms.columns, self._terms.categories)
        weights = self.weights_[self._terms.columns]
        used, roots = weights > 0, np.sqrt(weights[weights > 0])
        new, samples = terms[:, used] * roots, self.samples_[:, used] * roots
        lacks, full = np.isnan(terms).any(axis=1), not np.isnan(self.samples_).any()
        to_samples = np.empty((len(new), len(samples)))
        plain = ~lacks & full
        to_samples[plain] = cdist(new[plain], samples, "sqeuclidean")
        for i in np.flatnonzero(~plain):
            factors = joint_factors(self._terms.columns, self.samples_, terms[i])
            sums = sums_over_known(samples, new[i])
            to_samples[i] = np.where(np.isfinite(factors), sums * np.nan_to_num(factors), np.inf)
        classes = range(len(self.classes_))
        found = np.column_stack([to_samples[:, self.sample_codes_ == k].min(1) for k in classes])
        found[np.isinf(found).all(axis=1)] = 0.0
        return found

    def _solve(self, program: _PairwiseProgram) -> Solution:
        """Solve, and if x = 0 is the only solution, do so again without the conflicts."""
        self.n_relaxations_: int = 0

        def solve() -> Solution:
            solution = program.solve(self.objective)
            if program.trivial(solution.x, self.objective) and solution.status != "time_limit":
                self._relax(program)
                solution = program.solve(self.objective)
            return solution

        def full_weights() -> Solution:
            self.n_relaxations_ += 1
            return program.full_weights(self.objective)

        found = self._within_time(
            solve, lambda x: program.satisfied(x, self.objective), full_weights
        )
        n_dropped = int(np.count_nonzero(~program.kept))
        self._warn_of_dropped(n_dropped, "{} pairs of samples", "dropped_pairs_")
        return found

    def _relax(self, program: _PairwiseProgram) -> None:
        """Drop pairs as long as x = 0 is the only solution; (20) names those in conflict."""
        solution = program.solve("separation")
        while program.trivial(solution.x, "separation") and solution.status != "time_limit":
            conflict = program.joined[in_use(solution.duals[1:])]
            if not self.relax:
                self._report_conflict(program.rows_of(conflict), _REMEDY)
            program.drop(conflict)
            self.n_relaxations_ += 1
            if not np.any(program.kept & ~program.same):
                self._report_conflict(program.samples.rows, _UNSUITABLE)
            solution = program.solve("separation")
