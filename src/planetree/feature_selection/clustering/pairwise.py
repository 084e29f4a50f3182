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
- the paper takes it that these thresholds imply k-means local optimality. They need not: a sample
  far from its coinciding classmates can be nearer to the centroid of a class that is spread out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.feature_selection.clustering.clustering_classifier import (
    first_in_order,
    in_use,
    report_conflict,
    stands_out,
    warn_of_dropped,
)
from planetree.feature_selection.clustering.pairwise_program import PairwiseProgram
from planetree.feature_selection.clustering.samples import Samples, read_samples
from planetree.parameters import SECONDS, check_parameters, choice, flag, optional
from planetree.planes import encode
from planetree.separators.accuracy import judged_status
from planetree.solvers import Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.table import Terms, all_or_nothing, read_rows
from planetree.words import DIGITS, Wording

__all__ = ["PairwiseSelector"]

_REMEDY = (
    "Leave rows out, set relax=True to drop the pairs, or use CentroidSelector, which asks less."
)
_UNSUITABLE = (
    "Every pair of two classes had to be dropped: pairwise thresholds do not suit this data. "
    "Use CentroidSelector, which asks less."
)


class PairwiseSelector(SelectorMixin, ClassifierMixin, BaseEstimator):
    """Selection under pairwise thresholds, (3)-(5): classmates are nearer than others.

    Parameters
    ----------
    objective : {"separation", "features"}
        Make the gap between the two thresholds as wide as possible, (20), or the sum of the
        weights as large as possible, (18).
    relax : bool
        Whether pairs in conflict are dropped, with a warning, when no features satisfy them all;
        otherwise that is a `ConflictError`.
    time_limit : float, optional
        Seconds. When they are over, the last weights are kept if they satisfy the thresholds, with
        their gap and a warning. Otherwise all weights are 1 and the fewest pairs are dropped that
        then violate the thresholds; with relax=False that is a `SolverError`.

    Attributes
    ----------
    weights_ : array of shape (n_features,)
        Weight of each feature, from 0 to 1.
    support_ : boolean array of shape (n_features,)
        Which features have a weight other than 0.
    thresholds_ : tuple of two floats
        Largest squared distance of a kept pair of one class, smallest of one of two classes.
    dropped_pairs_ : array of shape (n_dropped, 2)
        Rows of X whose constraints were dropped. Of equal rows the first is named.
    n_relaxations_ : int
        How many times constraints were dropped.
    outliers_ : array of int
        Rows of X that are in more than three times as many dropped pairs as the average, or
        whose constraints cost more than three times the average.
    prices_ : array of shape (n_rows,)
        What the constraints of each row cost: their duals. 0 for rows of weight 0.
    objective_, bound_, gap_ : float
        The value of the objective, the most that any weights can have, and their relative
        difference. The bound holds in exact arithmetic over X, for the pairs that were not dropped.
    status_ : {"optimal", "time_limit", "inaccurate"}
    samples_, sample_codes_ : arrays
        The training samples that new ones are compared with, as terms, and their classes.
    class_order_ : array of shape (n_classes,)
        Codes of the classes; of equally near ones the first in this order wins.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column

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

    def __init__(
        self, *, objective: str = "separation", relax: bool = True, time_limit: float | None = None
    ) -> None:
        self.objective = objective
        self.relax = relax
        self.time_limit = time_limit

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
        check_parameters(
            self,
            objective=choice("separation", "features"),
            relax=flag(),
            time_limit=optional(SECONDS),
        )
        clock = Clock(self.time_limit)
        samples = read_samples(self, X, y, sample_weight)
        program = PairwiseProgram(samples, clock)
        solution = self._solve(program)
        x = solution.x[:-2]
        weights = np.where(x > TOLERANCE, x, 0.0)
        self.weights_ = samples.given_columns(weights)
        self.support_ = self.weights_ > 0
        self.samples_ = samples.given_terms(samples.values)
        self.sample_codes_ = samples.order[samples.codes]
        self.class_order_ = samples.order
        self._terms = Terms(*(samples.given_terms(each) for each in samples.terms))
        self.thresholds_ = tuple(program.thresholds(weights))
        self._set_value(program, solution)
        self._set_outliers(program, samples, solution)
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
            else minus the least squared distance from each class.
        """
        nearest = self._nearest(X)
        return nearest[:, 0] - nearest[:, 1] if nearest.shape[1] == 2 else -nearest

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the nearest training sample, (21), of equally near ones the first in order."""
        nearest = self._nearest(X)
        return self.classes_[first_in_order(self, -nearest)]

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
        terms = encode(read_rows(self, X), self._terms.columns, self._terms.categories)
        weights = self.weights_[self._terms.columns]
        used, roots = weights > 0, np.sqrt(weights[weights > 0])
        to_samples = cdist(terms[:, used] * roots, self.samples_[:, used] * roots, "sqeuclidean")
        classes = range(len(self.classes_))
        return np.column_stack([to_samples[:, self.sample_codes_ == k].min(1) for k in classes])

    def _get_support_mask(self) -> Mask:
        return self.support_

    def _solve(self, program: PairwiseProgram) -> Solution:
        """Solve, and if x = 0 is the only solution, do so again without the conflicts."""
        self.n_relaxations_ = 0
        try:
            solution = program.solve(self.objective)
            if program.trivial(solution, self.objective) and solution.status != "time_limit":
                self._relax(program)
                solution = program.solve(self.objective)
        except SolverError as error:
            if error.status != "time_limit":
                raise
            return self._full_weights(program)
        late = solution.status == "time_limit"
        if late and not program.satisfied(solution, self.objective):
            return self._full_weights(program)
        return solution

    def _full_weights(self, program: PairwiseProgram) -> Solution:
        """All weights 1, and the fewest pairs dropped so that thresholds exist."""
        if not self.relax:
            raise SolverError(
                "PairwiseSelector found no weights that satisfy all thresholds within its "
                "time_limit. Raise it, set relax=True, or use CentroidSelector, which asks less.",
                "time_limit",
            )
        solution = program.full_weights(self.objective)
        self.n_relaxations_ += 1
        warn_of_dropped(
            self, f"{np.count_nonzero(~program.kept)} pairs of samples", "dropped_pairs_"
        )
        return solution

    def _relax(self, program: PairwiseProgram) -> None:
        """Drop pairs as long as x = 0 is the only solution; (20) names those in conflict."""
        solution = program.solve("separation")
        while program.trivial(solution, "separation") and solution.status != "time_limit":
            conflict = program.joined[in_use(solution.duals[1:])]
            if not self.relax:
                report_conflict(self, self._rows_of(program, conflict), _REMEDY)
            program.drop(conflict)
            self.n_relaxations_ += 1
            if not np.any(program.kept & ~program.same):
                report_conflict(self, program.samples.rows, _UNSUITABLE)
            solution = program.solve("separation")
        if self.n_relaxations_:
            count = np.count_nonzero(~program.kept)
            warn_of_dropped(self, f"{count} pairs of samples", "dropped_pairs_")

    def _rows_of(self, program: PairwiseProgram, pairs: Indices) -> Indices:
        return program.samples.rows_of(np.append(program.first[pairs], program.second[pairs]))

    def _set_value(self, program: PairwiseProgram, solution: Solution) -> None:
        within, between = self.thresholds_
        self.bound_ = program.proved_bound(solution)
        if self.objective == "features":
            self.objective_ = float(self.weights_.sum())
            self.bound_ = min(self.bound_, float(program.n_features))
        else:
            self.objective_, self.bound_ = between - within, self.bound_ * program.scale
        size = max(1.0, abs(self.objective_))
        self.gap_ = max(0.0, self.bound_ - self.objective_) / size
        self.status_ = judged_status(self, solution.status, 1e3 * TOLERANCE)

    def _set_outliers(self, program: PairwiseProgram, samples: Samples, solution: Solution) -> None:
        first = samples.first_rows()
        dropped = ~program.kept
        self.dropped_pairs_ = np.column_stack(
            [first[program.first[dropped]], first[program.second[dropped]]]
        )
        n = len(samples.codes)
        counts, prices = np.zeros(n), np.zeros(n)
        for side in (program.first, program.second):
            np.add.at(counts, side[dropped], 1.0)
            np.add.at(prices, side[program.joined], np.abs(solution.duals[1:]))
        self.prices_ = samples.spread(prices)
        self.outliers_ = samples.rows_of(stands_out(counts) | stands_out(prices))
