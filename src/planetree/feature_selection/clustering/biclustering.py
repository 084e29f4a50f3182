"""Selection under consistent biclustering: samples are high where their class's features are.

Features are divided among the classes: each belongs to the class in which its mean is largest, (8).
A selection x in {0, 1} is consistent if in every sample the selected features of its own class have
a larger average than those of any other class, (9); with a separation t, (1 + t) times as large,
(24). As many features as possible are to stay:

    max  sum_i x_i   s.t.   avg_h(a_j)  >=  avg_k(a_j) + t max(0, avg_k(a_j))

for every sample j of class h and every other class k. Busygin & Pardalos (2005), (10), (18), (24).
A new sample takes the class whose selected features have the largest average, (25). With fewer
features than classes some class has none, and that rule has little to go by.

The averages of different features are compared, so the features should be in one unit. (24) also
depends on where 0 is: it was made for expression levels. Where the other class's average is not
positive, (9) is what is asked.

A missing value counts as the mean of what its sample has in the features of the same class,
selected or not: with all features selected, averages are those of the known values. If the sample
has none of them, it counts as the mean of all that the sample has. So (11)-(17) stay linear.

Three methods find the selection; its consistency is judged from the definition, whichever did:

iterative  Algorithm 1 of the paper, which lets one class shrink step by step until its sizes agree.
           Its step 2 is a mixed 0-1 program with few features, else the relaxation of it.
exact      Branch and bound for the mixed 0-1 program (11)-(17), with bounds that are proofs
           (`biclustering_search`).
search     Once the proportions of the class sizes are fixed, consistency is linear in the weights
           of the features. So it is enough to search among r classes for r - 1 proportions; each
           is moved up and down by a step that shrinks when nothing gains. At the best proportions
           all but a few weights are 0 or 1. They are rounded with a little room left, for several
           amounts of room; what rounding broke is repaired by taking features away, and what does
           no harm is put back. The largest selection wins.

Their programs, and what repairs a selection, are in `biclustering_programs`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.biclustering_programs import (
    Biclustering,
    ConsistencyProgram,
)
from planetree.feature_selection.clustering.biclustering_search import SelectionSearch
from planetree.feature_selection.clustering.clustering_classifier import (
    ClusteringClassifier,
    plain_scores,
)
from planetree.feature_selection.clustering.samples import Samples, read_samples
from planetree.parameters import SECONDS, choice, flag, number, optional, parameter
from planetree.separators.base import judged_status
from planetree.solvers.certificate import TOLERANCE
from planetree.table import all_or_nothing

_REMEDY = "Drop rows, lower `separation`, or set relax=True to drop them."
_ROOMS = (0.0, 1.0, 2.0, 4.0)  # in units of what an average feature adds to an average
_FIRST_STEP, _LAST_STEP = 0.1, 1e-3  # of the logarithm of a proportion
_MOST_BOXES = 20_000  # of a proof: some tens of seconds
_GAIN = 0.1  # features: less is not worth a move


@dataclass(eq=False, repr=False, kw_only=True)
class BiclusteringSelector(ClusteringClassifier):
    """Selection under consistent biclustering, (10): own features have the largest average.

    Parameters
    ----------
    separation : float
        t of (24): the average over the features of the own class must be at least 1 + separation
        times that over the features of any other class if the latter is positive; otherwise at
        least as large.
    method : {"search", "iterative", "exact"}
        Search for the best proportions of the class sizes; Algorithm 1 of the paper; or branch and
        bound, for a few dozen features.
    time_limit : float, optional
        Seconds, after which branch and bound keeps the best selection so far, with its gap. If
        samples are still being dropped then, all that violate the full selection are dropped at
        once.
    relax : bool
        Whether samples in conflict are dropped, with a warning, if no consistent selection is
        found; otherwise `fit` raises a `ConflictError`.

    Attributes
    ----------
    support_ : boolean array of shape (n_features,)
        Which features are selected.
    weights_ : array of shape (n_features,)
        1 if selected, otherwise 0.
    feature_classes_ : array of shape (n_features,)
        The class that each feature belongs to, selected or not.
    baselines_ : array of shape (n_classes,)
        The constant average of a class that no feature belongs to; NaN for the others.
    consistent_ : bool
        Whether all training samples satisfy (9) and (24), from their definition.
    outliers_ : array of int
        Rows of X that were dropped, or whose inequalities cost more than three times the
        average.
    prices_ : array of shape (n_rows,)
        Cost of the inequalities of each row: their duals. 0 for rows of weight 0.
    planes_ : Planes
        The decision (25): for two classes, one plane, where a positive score means `classes_[1]`;
        for more, one per class, where the largest score wins.
    coef_, intercept_ : arrays
        Weights of the planes, and their offsets with the sign changed.
    objective_, bound_, gap_ : float
        The number of selected features, an upper bound for any consistent selection, and their
        relative difference. With method="exact", the bound is proved in exact arithmetic.
        Otherwise it is the number of features.
    status_ : {"optimal", "feasible", "time_limit"}
        Whether the selection is proved largest, is consistent, or was found within the limit.
    n_iter_ : int
        Steps of Algorithm 1; 1 for the other methods.
    found_by_ : {"search", "iterative", "relaxation", "exact", "full"}
        What found the selection. "relaxation": Algorithm 1 without the 0-1 condition, as with more
        than 60 features or too little time; "full": time ran out, so all features are kept.
    class_order_ : array of shape (n_classes,)
        Codes of the classes; if scores are equal, the first in this order wins.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
    scale_ : array of shape (n_terms,)

    Notes
    -----
    Missing values are accepted, at `fit` and later: each counts as the mean of its row's values in
    the features of the same class, or, if there are none, in all features. The class of a feature
    is the one with the largest mean of known values.

    Examples
    --------
    >>> from planetree import BiclusteringSelector
    >>> X = [[9.0, 1.0, 8.0], [7.0, 2.0, 1.0], [1.0, 8.0, 2.0], [2.0, 9.0, 5.0]]
    >>> model = BiclusteringSelector().fit(X, ["a", "a", "b", "b"])
    >>> model.feature_classes_.tolist(), model.support_, model.consistent_
    (['a', 'b', 'a'], array([ True,  True,  True]), True)
    >>> model.predict([[6.0, 1.0, 6.0], [1.0, 5.0, 2.0]]).tolist()
    ['a', 'b']
    """

    _kind = "selection of columns by a consistent biclustering"

    separation: float = parameter(0.0, number(0))
    method: str = parameter("search", choice("search", "iterative", "exact"))
    time_limit: float | None = parameter(None, optional(SECONDS))
    relax: bool = parameter(True, flag())

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BiclusteringSelector:
        """Find the selection.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts in the means that divide the features.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        samples = read_samples(self, X, y, sample_weight)
        self._refuse_many_categories()
        self._refuse_unknown_columns(samples)
        problem = self._pose(samples)
        problem, selected = self._select(problem, samples, clock)
        weights = selected[: samples.n_columns].astype(float)
        prices = ConsistencyProgram(problem).prices(selected)
        self._set_answer(samples, weights, prices, ~problem.kept, self.bound_)
        self.consistent_: bool = not problem.violated(selected).any()
        chosen = problem.members & selected  # (25): a plane averages those of its class
        W = (chosen / chosen.sum(axis=1, keepdims=True))[:, : samples.n_columns]
        self._set_scores(W, -np.nan_to_num(self.baselines_)[samples.order], samples)
        if self.gap_ <= TOLERANCE and self.status_ != "time_limit":
            self.status_ = "optimal"
        if self.status_ == "time_limit":
            judged_status(self, "time_limit", TOLERANCE)
        return self

    def __sklearn_tags__(self) -> Tags:
        """Say that data with fewer features than classes is classified poorly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _pose(self, samples: Samples) -> Biclustering:
        """Divide the features, and give a class without any a constant one, its baseline."""
        means = samples.class_means()
        classes = np.where(np.isnan(means), -np.inf, means).argmax(axis=0)  # (8), first of equals
        samples = samples._replace(values=_filled(samples.values, classes))
        self.feature_classes_: NDArray[Any] = self.classes_[
            samples.given_columns(samples.order[classes])
        ]
        empty = np.setdiff1d(np.arange(samples.n_classes), classes)
        levels = _baselines(samples, classes, empty)
        self.baselines_: NDArray[Any] = np.full(samples.n_classes, np.nan)
        self.baselines_[samples.order[empty]] = levels
        constant = np.tile(levels, (len(samples.codes), 1))
        return Biclustering(
            np.hstack([samples.values, constant]),
            samples.codes,
            np.append(classes, empty),
            float(self.separation),
            np.ones(len(samples.codes), dtype=bool),
        )

    def _select(
        self, problem: Biclustering, samples: Samples, clock: Clock
    ) -> tuple[Biclustering, Mask]:
        """Find a consistent selection, leaving out samples until there is one."""
        full, proved = np.ones(len(problem.classes), dtype=bool), True
        while True:
            wrong = problem.violated(full) & problem.kept
            conflict: Indices = np.array([], dtype=np.intp)
            selected = None
            if wrong.any() and self.relax and clock.is_over:
                problem, selected = replace(problem, kept=problem.kept & ~wrong), full
                self.bound_: float = float(samples.n_columns)
                self.status_ = "time_limit"
                self.n_iter_: int = 1
                self.found_by_: str = "full"
            elif wrong.any():
                conflict = ConsistencyProgram(problem).conflict()
            if selected is None and not len(conflict):
                selected = self._attempt(problem, samples.n_columns, clock)
            if selected is not None:
                n_dropped = len(samples.rows_of(~problem.kept))
                self._warn_of_dropped(n_dropped, "the inequalities of {} rows", proved=proved)
                return problem, selected
            if not len(conflict):  # shares exist, a selection was not found
                conflict = np.array([_most_violated(problem, full)])
                proved = False
            if not self.relax:
                self._report_conflict(samples.rows_of(conflict), _REMEDY, proved)
            blamed = conflict[wrong[conflict]]
            kept = problem.kept.copy()
            kept[blamed if len(blamed) else conflict] = False
            problem = replace(problem, kept=kept)

    def _attempt(self, problem: Biclustering, n_features: int, clock: Clock) -> Mask | None:
        """A consistent selection by the method asked for, or None; sets its bound and status."""
        self.bound_, self.status_, self.n_iter_ = float(n_features), "feasible", 1
        self.found_by_ = self.method
        if self.method == "exact":
            return self._attempt_exact(problem, n_features, clock)
        if self.method == "search":
            found = _search(problem, clock)
        else:
            found, self.n_iter_, relaxed = ConsistencyProgram(problem).iterate(clock)
            self.found_by_ = "relaxation" if relaxed else "iterative"
            found = found if problem.consistent(found) else problem.repair(found)
        if clock.is_over:
            self.status_ = "time_limit"
        return found

    def _attempt_exact(self, problem: Biclustering, n_features: int, clock: Clock) -> Mask | None:
        """The largest consistent selection; the bound is that of what was proved."""
        best, search = _search(problem, clock), SelectionSearch(problem)
        size = 0 if best is None else int(best.sum())
        most = search.most(size, clock)
        while size < most:
            answer = search.at_least(size + 1, _MOST_BOXES, clock)
            if answer.selected is None:
                most = size if answer.impossible else most
                break
            best, size = answer.selected, int(answer.selected.sum())
        self.bound_ = float(most - (len(problem.classes) - n_features))
        if size < most and clock.is_over:
            self.status_ = "time_limit"
        return best

    def _scores_with_gaps(self, terms: Floats) -> Floats:
        filled = _filled(terms, self.feature_classes_)
        return plain_scores(filled, self.planes_.weights) - self.planes_.offsets

    def _refuse_unknown_columns(self, samples: Samples) -> None:
        unknown = samples.given_columns(~samples.known_columns().any(axis=0))
        if unknown.any():
            name = self.columns_[int(unknown.argmax())].name
            raise ValueError(
                f"Column {name!r} has no known value, so BiclusteringSelector cannot assign it "
                "to a class. Drop the column."
            )

    def _refuse_many_categories(self) -> None:
        for column in self.columns_:
            if column.categories is not None and len(column.categories) > 2:
                raise ValueError(
                    f"Column {column.name!r} has {len(column.categories)} categories, but a "
                    "feature of BiclusteringSelector is a number that is high or low. Encode it, "
                    "for instance with sklearn.preprocessing.OneHotEncoder."
                )


def _filled(values: Floats, classes: NDArray[Any]) -> Floats:
    """Samples whose missing values are means of what they have, first in features of one class.

    Sums are of sorted numbers, so that they do not depend on the order of the features.
    """
    if not np.isnan(values).any():
        return values
    filled, of_all = values.copy(), _row_means(values)
    for k in np.unique(classes):
        at = np.flatnonzero(classes == k)
        mean = _row_means(values[:, at])
        mean = np.where(np.isnan(mean), np.nan_to_num(of_all), mean)
        filled[:, at] = np.where(np.isnan(values[:, at]), mean[:, None], values[:, at])
    return filled


def _row_means(values: Floats) -> Floats:
    """Mean of the known values of each row, NaN where there are none."""
    known = np.count_nonzero(~np.isnan(values), axis=1)
    with np.errstate(invalid="ignore"):
        return np.nansum(np.sort(values, axis=1), axis=1) / known


def _baselines(samples: Samples, classes: Indices, empty: Indices) -> Floats:
    """Constant average of each class without features.

    It lies midway between what its own samples have at most in the other classes, and what the
    others have in their own, both as weighted means.
    """
    used = np.unique(classes)
    averages = np.column_stack([samples.values[:, classes == k].mean(axis=1) for k in used])
    has_own = np.isin(samples.codes, used)
    own = averages[has_own, np.searchsorted(used, samples.codes[has_own])]
    if not len(empty):
        return np.zeros(0)
    high = np.average(own, weights=samples.weights[has_own])
    low = [
        np.average(averages[at].max(axis=1), weights=samples.weights[at])
        for at in samples.codes == empty[:, None]
    ]
    return 0.5 * (high + np.array(low))


def _most_violated(problem: Biclustering, selected: Mask) -> int:
    """Kept sample that violates an inequality most."""
    slacks = problem.slacks(problem.averages(selected)).min(axis=1)
    return int(np.where(problem.kept, slacks, np.inf).argmin())


def _search(problem: Biclustering, clock: Clock = UNLIMITED) -> Mask | None:
    """Find a large consistent selection, or None; it ends early once the time is up."""
    full = np.ones(len(problem.classes), dtype=bool)
    if problem.consistent(full):
        return full
    program = ConsistencyProgram(problem)
    sizes, most = _best_proportions(program, clock)
    unit, best = 1.0 / problem.members.sum(axis=1).min(), None
    for room in _ROOMS:
        if best is not None and clock.is_over:
            break
        x = program.proportional(sizes, room * unit)
        counts = np.maximum(1.0, np.rint(problem.members @ x))
        best = _larger(best, problem.repair(program.largest(x, counts)))
        if best is not None and best.sum() >= np.floor(most):
            break
    return problem.repair(full) if best is None else best


def _best_proportions(program: ConsistencyProgram, clock: Clock) -> tuple[Floats, float]:
    """Proportions of the class sizes with the largest sum of weights, and that sum."""
    sizes = program.problem.members.sum(axis=1).astype(float)
    most, step = float(program.proportional(sizes).sum()), _FIRST_STEP
    while step > _LAST_STEP and not clock.is_over:
        before = most
        for k in range(1, len(sizes)):
            for factor in (np.exp(step), np.exp(-step)):
                moved = sizes * np.where(np.arange(len(sizes)) == k, factor, 1.0)
                value = float(program.proportional(moved).sum())
                if value > most + _GAIN:
                    sizes, most = moved, value
                    break
        step *= 1.5 if most > before else 1 / 3
    return sizes, most


def _larger(selected: Mask | None, other: Mask | None) -> Mask | None:
    """The selection with more features, the first of equals, None only if both are."""
    if selected is None or (other is not None and other.sum() > selected.sum()):
        return other
    return selected
