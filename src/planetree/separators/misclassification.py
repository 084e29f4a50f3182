"""Misclassification minimization: the plane with the fewest training errors.

With c_i the weight of a row times the cost of taking its class for the other,

    min over w, gamma   sum_i c_i [row i is on the wrong side of w.x = gamma]

where a row on the plane counts as below it. Mangasarian (1994); the decision problem is
NP-complete. `trimmed_search` finds a plane by the parametric method, `conflicts` bounds what any
plane can reach by a program with 0-1 variables, and the two meet on small tables.

- the value is 0 exactly when a plane separates the classes;
- the best plane has a dichotomy that some plane through n of the points has too, once it is moved
  by a hair, so on tiny tables all of them can be tried: that is what the tests do;
- of the planes with the same errors it is the one with the widest margin between the other rows.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, midway
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.parameters import GAP_FILLING, SECONDS, flag, optional, parameter
from planetree.planes import Planes
from planetree.separators.base import TwoClassSeparator, judged_status
from planetree.separators.max_norm import best_pair
from planetree.separators.misclassification_search import Conflicts, TrimmedSearch
from planetree.separators.problem import Problem, as_given, to_planes
from planetree.separators.scores import training_scores
from planetree.solvers import max_norm_planes
from planetree.table import different, read_costs

_TOLERANCE = 1e-5  # share of the charges within which one that is no whole number is proved
_CONFLICTS = 40  # that may join those of the first round unless `exact`: 0.2 s on 100 rows of 5
_ENTRIES = 10_000  # of a table for which a proof is sought unless `exact`: 5 s on 1000 rows of 10


@dataclass(eq=False, repr=False, kw_only=True)
class MisclassificationSeparator(TwoClassSeparator):
    """Misclassification minimization: the plane with the fewest training errors.

    A count ignores distances, so single rows move this plane more than that of `RobustSeparator`.
    Use it if the number of errors is what matters, or to learn how few any plane can make.

    Parameters
    ----------
    exact : bool
        Look for a proof until `time_limit`. Otherwise, `fit` looks for a proof only briefly, and
        only for small tables; this is usually enough if there are few errors.
    costs : array of shape (2, 2), optional
        Cost of predicting one class (column) for a row of another (row), in the order of
        `classes_`: 0 on the diagonal, positive elsewhere.
    time_limit : float, optional
        Seconds, a minute by default, after which the best plane found so far is kept, with its gap
        and a warning. None means no limit, and `fit` may never end: the problem is NP-complete.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    planes_ : Planes
        One plane; a positive score means `classes_[1]`.
    coef_, intercept_ : arrays of shape (1, n_terms) and (1,)
        Weights of the plane in the units of X, and its offset with the sign changed.
    objective_ : float
        Cost of the training errors of `predict`: their number, with weights and costs.
    bound_ : float
        A lower bound on the cost of any plane's errors. It rests on sets of rows that no plane
        classifies all correctly, each proved without rounding.
    gap_ : float
        `(objective_ - bound_) / max(1, objective_)`.
    error_ : float
        The objective, as a share of its value if every row were wrong.
    separable_ : bool
    status_ : {"optimal", "stationary", "time_limit"}
        "optimal" if the bound is reached; "stationary" if the search ended without a proof.
    n_programs_ : int
        Programs solved.
    classes_, n_features_in_, feature_names_in_, columns_, scale_
        As in `RobustSeparator`.

    Examples
    --------
    >>> from planetree import MisclassificationSeparator
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [9.0]], ["a", "a", "b", "b", "a"]
    >>> model = MisclassificationSeparator().fit(X, y)
    >>> model.objective_, model.bound_, model.status_
    (1.0, 1.0, 'optimal')
    >>> print(model.to_text(graded=False))
    if x0 > 1.5: b
    otherwise: a
    """

    _kind = "0-1 program over conflicts"

    exact: bool = parameter(False, flag())
    costs: Any = None
    time_limit: float | None = parameter(60.0, optional(SECONDS))
    missing: str = parameter("refuse", GAP_FILLING)

    def _solve(self, problem: Problem, swapped: bool, clock: Clock) -> None:
        costs = read_costs(self.costs, self.classes_)
        counted = problem.weights > 0
        if not counted.all():
            problem = problem._replace(
                E=problem.E[counted],
                codes=problem.codes[counted],
                weights=problem.weights[counted],
            )
        given = problem.turned(swapped)
        charges = problem.weights * costs[given.codes, 1 - given.codes]
        search = TrimmedSearch(problem, charges, clock)
        search.run()
        proof = self._prove(search)
        judged = _Judge(problem, given, charges, swapped)
        planes, self.objective_ = _widest(search, judged)
        self._set_planes(planes, given)
        self.bound_: float = min(proof.bound, self.objective_)
        self.gap_: float = (self.objective_ - self.bound_) / max(1.0, self.objective_)
        self.error_: float = self.objective_ / math.fsum(charges)
        self.separable_: bool = self.objective_ == 0.0
        self.n_programs_: int = search.n_programs + proof.n_programs
        proved = self.objective_ - self.bound_ <= proof.tolerance
        if proved or not clock.is_over:
            self.status_ = "optimal" if proved else "stationary"
        else:
            self.status_ = judged_status(self, "time_limit", 0.0)

    def _prove(self, search: TrimmedSearch) -> _Proof:
        if self.exact:
            return _proof_of(search, math.inf)
        return _proof_of(search, _CONFLICTS if search.Z.size <= _ENTRIES else 0)


class _Proof(NamedTuple):
    """What no plane's errors cost less than, and how near to it is optimal."""

    bound: float
    n_programs: int
    tolerance: float


def _proof_of(search: TrimmedSearch, more: float) -> _Proof:
    """Raise the bound, and better the plane on the way, until they meet.

    So many more conflicts than those of the first round are sought; none at all if that is 0. A
    row counts no more than the best plane's errors: less bounds no more, and where one row weighs
    as much as a billion others the solver's tolerances would hide these.
    """
    charges = np.minimum(search.charges, search.best_charge)
    whole = bool((charges == np.round(charges)).all())
    tolerance = 0.0 if whole else _TOLERANCE * float(charges.max())
    pairs = _equal_pairs(search.problem.E)
    if more == 0 or search.best_charge == 0:
        return _Proof(math.fsum(charges[pairs].min(axis=1).tolist()), 0, tolerance)
    conflicts = Conflicts(search.problem.E, search.Z, search.above, charges)
    for pair in pairs:
        if search.clock.is_over:
            break
        conflicts.add(pair)
    bound = _raised(search, conflicts, tolerance, more)
    return _Proof(bound, conflicts.n_programs, tolerance)


def _raised(search: TrimmedSearch, conflicts: Conflicts, tolerance: float, more: float) -> float:
    """Bound of the conflicts that are found among the rows that the last did not hit."""
    bound, most, known = 0.0, math.inf, -1
    with suppress(SolverError):  # the bound so far holds
        while known < conflicts.n_conflicts <= most and not search.clock.is_over:
            cover = conflicts.cover(search.clock)
            bound = max(bound, cover.bound) if conflicts.all_proved else bound
            if search.best_charge - bound <= tolerance:
                break
            known = conflicts.n_conflicts
            plane = conflicts.separate(~cover.hit, search.clock)
            if plane is not None:
                search.try_plane(plane[:-1])
            most = min(most, conflicts.n_conflicts + more)
    return bound


def _equal_pairs(E: Floats) -> Indices:
    """Rows that are equal but for their class, in pairs: rows of one class are all different."""
    codes = different(E)[1]
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(np.diff(codes[order]) == 0)
    return np.column_stack([order[same], order[same + 1]])


class _Judge(NamedTuple):
    """What `predict` makes of a plane of the normalized terms."""

    problem: Problem
    given: Problem
    charges: Floats
    swapped: bool

    def planes(self, weights: Floats, offset: float) -> Planes:
        return as_given(to_planes(weights, np.array([offset]), self.problem), self.swapped)

    def objective(self, planes: Planes) -> float:
        wrong = planes.branch_of(training_scores(planes, self.given)) != self.given.codes
        return math.fsum(self.charges[wrong].tolist())


def _widest(search: TrimmedSearch, judge: _Judge) -> tuple[Planes, float]:
    """The best plane found, or one with the widest margin that has no more errors."""
    best = search.best
    planes = judge.planes(best.weights, best.offset)
    objective = judge.objective(planes)
    Z, above = search.Z, search.above
    kept = (Z @ best.weights > best.offset) == above
    A, B = Z[kept & above], Z[kept & ~above]
    if not len(A) or not len(B) or search.clock.is_over:
        return planes, objective
    solution = max_norm_planes(A, B, search.clock.left)
    rows, first = np.vstack([A, B]), np.arange(len(A) + len(B)) < len(A)
    pair = best_pair(solution.weights, rows, first, np.ones(len(rows)))
    wider = judge.planes(pair.weights, midway(pair.scores, (pair.alpha + pair.beta) / 2.0))
    other = judge.objective(wider)
    return (wider, other) if other <= objective else (planes, objective)
