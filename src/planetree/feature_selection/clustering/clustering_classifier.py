"""What clustering selectors share: how they decide, and what they do about samples in conflict.

Scores are linear in a row, so the decision is planes; ties do not depend on class names.

The constraints of a clustering selector are homogeneous: the weights x = 0 satisfy them all, and
where any other weights do, so do all multiples. So the largest sum of weights in [0, 1] is either
0 or at least 1, and the duals y of a program whose answer is x = 0 prove it:

    sum_j y_j g_j <= -1  in every feature,    y >= 0,

where g_j x >= 0 is constraint j. The samples with y_j > 0 are in conflict. Section 3.2 of Busygin
& Pardalos (2005) drops such constraints and goes on.

- With all features at full weight, some constraint of a conflict is violated. If only such ones
  are dropped, the procedure ends: at the latest when full weights satisfy what is left.

Their linear programs have more rows than matter, so a row joins once a solution violates it:

    min  c.x   s.t.   g_p x >= 0  for every p of a large set,   lower <= x <= upper

Whatever rows are in the program, its value bounds the whole program's from below; once its
solution violates none of the others, it solves the whole program, and the duals of the rows that
never joined are 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from planetree import _core
from planetree.arrays import Floats, Indices, Mask, encode
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import ConflictError, ConflictWarning, SolverError
from planetree.feature_selection.clustering.samples import Samples
from planetree.feature_selection.selector import Selector
from planetree.parameters import listed
from planetree.planes import Planes
from planetree.separators.base import PlaneClassifier
from planetree.separators.problem import as_given, in_term_order
from planetree.solvers import LinearProgram, Solution
from planetree.table import read_rows

_STANDS_OUT = 3.0  # times the average
_BETWEEN = 2e-14  # of the sizes of its terms: scores that only rounding keeps apart
_HAIR = 1e-13  # of these sizes: by how much a score is moved


class ClusteringSelector(Selector):
    """A selector under constraints of samples, of which those in conflict may be dropped."""

    relax: bool
    support_: Mask
    classes_: NDArray[Any]
    class_order_: Indices

    def _get_support_mask(self) -> Mask:
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        """Say that missing values are taken."""
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _set_answer(
        self, samples: Samples, weights: Floats, prices: Floats, out: Mask, bound: float
    ) -> None:
        """Keep weights, what samples cost, those that stand `out` or cost much, and the gap."""
        self.weights_: Any = samples.given_columns(weights)
        self.support_ = self.weights_ > 0
        self.prices_: Floats = samples.spread(prices)
        self.outliers_: Indices = samples.rows_of(out | stands_out(prices))
        self.class_order_ = samples.order
        self._set_value(float(self.weights_.sum()), bound)

    def _set_value(self, objective: float, bound: float) -> None:
        self.objective_: float = objective
        self.bound_: float = bound
        self.gap_: float = max(0.0, bound - objective) / max(1.0, abs(objective))

    def _first_in_order(self, scores: Floats) -> Indices:
        """Code of the class with the largest score, of equals the first of `class_order_`."""
        order = getattr(self, "class_order_", np.arange(scores.shape[1]))
        return np.asarray(order[scores[:, order].argmax(axis=1)])

    def _within_time(
        self,
        solve: Callable[[], Solution],
        satisfies: Callable[[Floats], bool],
        full_weights: Callable[[], Solution],
    ) -> Solution:
        """A solution; once time is over, one that satisfies all that is kept, or full weights."""
        try:
            solution = solve()
            if solution.status != "time_limit" or satisfies(solution.x):
                return solution
        except SolverError as error:
            if error.status != "time_limit":
                raise
        if not self.relax:
            raise SolverError(
                f"{type(self).__name__} found no weights that satisfy all constraints within its "
                "time_limit. Raise it, or set relax=True.",
                "time_limit",
            )
        return full_weights()

    def _report_conflict(self, rows: Indices, remedy: str, proved: bool = True) -> NoReturn:
        """Raise the error of samples that no selection can satisfy together, or none did."""
        about = "are in conflict" if proved else "violate most; other methods may find some"
        raise ConflictError(
            f"{type(self).__name__} found no features for which all training samples satisfy its "
            f"constraints. Rows {listed(rows.tolist(), 10)} of X {about}. {remedy}",
            tuple(int(row) for row in rows),
        )

    def _warn_of_dropped(
        self, count: int, what: str, attribute: str = "outliers_", proved: bool = True
    ) -> None:
        """Warn if constraints were dropped so that a selection exists, or was found."""
        if count:
            found = "no features satisfy" if proved else "it found no features that satisfy"
            warnings.warn(
                f"{type(self).__name__} dropped {what.format(count)}: {found} the constraints of "
                f"all training samples. See `{attribute}`, or set relax=False to get an error "
                "instead.",
                ConflictWarning,
                stacklevel=5,
            )


class ClusteringClassifier(ClusteringSelector, PlaneClassifier):
    """A selector whose scores, one a class, are linear; of equal ones the first in order wins."""

    _is_graded = False  # scores compare centroids or samples: no training errors grade them

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one with the largest score, of equals the first in order."""
        scores = self._class_scores(self._read(X))
        if len(self.classes_) == 2:
            return self.classes_[self.planes_.branch_of(scores)]
        return self.classes_[self._first_in_order(scores)]

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes; of equal largest ones that of the winner is a bit more."""
        scores = super().decision_function(X)
        if len(self.classes_) == 2:
            return scores
        winner, most = self._first_in_order(scores), scores.max(axis=1)
        tied = np.count_nonzero(scores == most[:, None], axis=1) > 1
        scores[tied, winner[tied]] = np.nextafter(most[tied], np.inf)
        return scores

    def __sklearn_tags__(self) -> Tags:
        """Say that missing values are taken, and sparse arrays are not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = False, True
        return tags

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "planes_")
        return read_rows(self, X, missing=True)

    def _class_scores(self, rows: Floats) -> Floats:
        """Scores of the planes; of rows that lack values, those of what they have."""
        scores = super()._class_scores(rows)
        gaps = np.isnan(rows).any(axis=1)
        if gaps.any():
            terms = encode(rows[gaps], self.planes_.columns, self.planes_.categories)
            found = self._scores_with_gaps(terms)
            if found.shape[1] == 1 and self.class_order_[0] == 1:
                found[found == 0] = np.nextafter(0.0, 1.0)  # of equals the first in order
            scores[gaps] = found
        return scores

    def _scores_with_gaps(self, terms: Floats) -> Floats:
        """Scores of rows that lack values, from their terms."""
        raise NotImplementedError

    def _set_scores(self, W: Floats, offsets: Floats, samples: Samples) -> None:
        """State scores, one a class of the samples, as planes in the order of `classes_`."""
        terms = (samples.terms.columns, samples.terms.categories)
        offsets = _beside_samples(W, offsets, samples)
        if len(W) == 2:
            plane = Planes(W[1:] - W[:1], offsets[1:] - offsets[:1], "slabs", *terms)
            self.planes_: Planes = as_given(plane, bool(samples.order[0] == 1))
        else:
            self.planes_ = Planes(samples.as_given(W), samples.as_given(offsets), "argmax", *terms)
        self.planes_ = in_term_order(self.planes_)
        self.coef_: Floats = self.planes_.weights
        self.intercept_: Floats = -self.planes_.offsets
        self.scale_: NDArray[Any] = samples.given_terms(samples.scale)


def _beside_samples(W: Floats, offsets: Floats, samples: Samples) -> Floats:
    """Offsets moved by a hair where samples lie between classes, so that no rounding decides.

    Of classes between which such samples lie, the one that most of them are of takes them.
    """
    whole = samples.known.all(axis=1)
    values, codes = samples.values[whole], samples.codes[whole]
    scores = np.partition(values @ W.T - offsets, -2, axis=1)
    sizes = (np.abs(values) @ np.abs(W).T + np.abs(offsets)).max(axis=1)
    between = scores[:, -1] - scores[:, -2] <= _BETWEEN * sizes
    count = np.bincount(codes[between], minlength=len(W))
    place = np.argsort(np.argsort(-count, kind="stable"), kind="stable")
    return offsets + _HAIR * sizes.max(where=between, initial=0.0) * place


def most_violated(values: Floats, n: int) -> Indices:
    """Places of the largest positive values, n at most, of equals the first.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.clustering.clustering_classifier import most_violated
    >>> most_violated(np.array([2.0, 0.0, 3.0, 2.0, 2.0]), 3).tolist()
    [2, 0, 3]
    """
    least = np.partition(values, -n)[-n] if len(values) > n else 0.0
    some = np.flatnonzero((values >= least) & (values > 0))
    return some[np.argsort(-values[some], kind="stable")[:n]]


def plain_scores(terms: Floats, weights: Floats) -> Floats:
    """Scalar products of terms and weights, the same however many rows there are."""
    n = weights.shape[1]
    return _core.plane_scores(
        np.ascontiguousarray(terms),
        np.ascontiguousarray(weights),
        np.zeros(len(weights)),
        np.arange(n),
        np.full(n, -1),
    )


def in_use(duals: Floats) -> Mask:
    """Which duals are not 0, up to rounding."""
    size = np.abs(duals)
    return size > 1e-9 * size.max(initial=0.0)


def stands_out(prices: Floats) -> Mask:
    """Which samples pay more than three times what the average sample pays."""
    return prices > _STANDS_OUT * prices.mean()


def unproved_solution(x: Floats, bound: float, n_duals: int) -> Solution:
    """A point that stands in where time did not suffice for a solution."""
    nothing = np.zeros(n_duals), np.zeros(len(x))
    figures = ("linear program", bound, bound, 0.0, "time_limit")
    return Solution(*figures, x=x, duals=nothing[0], reduced_costs=nothing[1])


def solve_by_rows(
    program: LinearProgram, violated: Callable[[Floats], Floats], clock: Clock = UNLIMITED
) -> Solution:
    """Solve a program, adding rows `g x >= 0` until its solution violates none.

    Parameters
    ----------
    program : LinearProgram
        With the rows it starts from.
    violated : callable
        Gives the rows to add at a point as a matrix, never the same row twice; an empty matrix
        ends the work.
    clock : Clock
        The last solution is returned when its time is up, status "time_limit": its bound holds,
        but it may violate rows that did not join.

    Raises
    ------
    SolverError
        As `LinearProgram.solve`; with the status "time_limit" only if there is no solution at all.
    """
    last = None
    while True:
        try:
            solution = program.solve(clock.at_least_a_moment)
        except SolverError as error:
            if last is None or error.status != "time_limit":
                raise
            return replace(last, status="time_limit")
        rows = violated(solution.x)
        if not len(rows):
            return solution
        last = replace(solution, duals=np.append(solution.duals, np.zeros(len(rows))))
        if clock.is_over:
            return replace(last, status="time_limit")
        program.add_rows(rows, lower=0.0)
