"""Sequential, (l, r) and floating search for the features with which a classifier does best.

The searches are those of `subset_search.py`, what judges a subset is in `subset_criteria.py`. With
a full ranking a search goes on through all sizes, and a feature is ranked by the size from which on
it is in the best subset of every size; of equals, that which is in one first. For a plain sequence
that is the order in which features are added, or the reverse of that in which they are taken away.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import Tags, get_tags

from planetree.arrays import Indices
from planetree.clock import Clock, warn_of_time_limit
from planetree.feature_selection.ranking.subset_criteria import (
    Fitted,
    Neighbors,
    counts_neighbors,
    divisions,
    plain_values,
)
from planetree.feature_selection.ranking.subset_search import (
    METHODS,
    Criterion,
    RankingSelector,
    ScoredSubset,
    Subset,
    SubsetSearch,
    count_to_select,
    order_of,
    ranks_of,
    search_subsets,
    standing_order,
)
from planetree.parameters import (
    Allowed,
    check_parameters,
    choice,
    classifier,
    count,
    flag,
    number,
    optional,
    parameter,
)
from planetree.table import Training, all_or_nothing, canonical_columns, read_training


def _are_steps(value: Any) -> bool:
    pair = isinstance(value, tuple | list) and len(value) == 2 and all(map(count(0).holds, value))
    return pair and value[0] > value[1]


_STEPS = Allowed("two counts, of steps on and of steps back, the first larger", _are_steps)


@dataclass(eq=False, repr=False)
class FloatingSelector(MetaEstimatorMixin, RankingSelector):
    """Sequential (SFS, SBS), (l, r), floating (SFFS, SBFS) or branch-and-bound search for features.

    Parameters
    ----------
    estimator : classifier
        Judged on each subset. For a `KNeighborsClassifier` with uniform weights and Euclidean
        distances, distances are updated feature by feature, which is many times faster. The units
        of columns matter to it: a column times k counts k^2 times in the squared distance. If
        classes have equally many votes, scikit-learn takes the one whose name comes first; here an
        order of the classes by their rows decides, so that no score depends on names.
    direction : {"forward", "backward"}
        Start from no feature, or from all.
    method : {"sequential", "plus_l_take_r", "floating", "branch_and_bound"}
        Floating search is never worse than sequential search at any size. Branch and bound finds
        the best subset of the requested size if a subset never scores better than a larger one that
        contains it, as with training scores (`cv=[(rows, rows)]`) of a classifier that optimizes
        them; accuracy on other rows has no such order. It ranks features in two groups.
    n_features_to_select : int, float or "best", optional
        This many, this share of all, or the smallest size with the best score; by default half.
    steps : tuple of two ints
        For "plus_l_take_r": how many features a round adds and removes, l and r; backward, how many
        it removes and adds. The first must be the larger.
    full_ranking : bool
        Whether the search continues through all sizes, to rank all features.
    cv : None, float, int, splitter or iterable
        Rows to judge by. None: five folds, in which equal rows share a fold, so that the order of
        rows does not matter and a weight k is the same as k rows. A float: this share is held out
        once, in the same way. Anything else is as in scikit-learn.
    scoring : str or callable, optional
        As in scikit-learn; by default the score of the estimator.
    n_jobs : int, optional
        Number of subsets (for nearest neighbors, folds) that are judged at a time.
    time_limit : float, optional
        Seconds after which the search ends with the best subset so far: of the requested size, or
        of the nearest size reached; all features if none was judged.

    Attributes
    ----------
    support_ : boolean array of shape (n_features,)
        Which features are selected.
    ranking_ : array of shape (n_features,)
        Rank of each feature, starting at 1. Without a full ranking, features that the search does
        not distinguish have equal ranks: those never added, or never removed.
    order_ : array of shape (n_features,)
        Numbers of the features in the order of their ranks.
    subsets_ : dict
        Best known subset of each size, as arrays of feature numbers.
    scores_ : dict
        Score of the best known subset of each size.
    n_features_to_select_ : int
    n_evaluations_ : int
        How many subsets were judged.
    allow_nan_ : bool
        Whether `estimator` takes missing values.
    status_ : {"complete", "time_limit"}
        How the search ended.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from planetree import FloatingSelector
    >>> search = FloatingSelector(KNeighborsClassifier(3), method="floating", full_ranking=True)
    >>> search.fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    >>> [round(score, 3) for score in search.scores_.values()]
    [0.953, 0.96, 0.96, 0.96]
    """

    estimator: Any
    _: KW_ONLY
    direction: str = parameter("forward", choice("forward", "backward"))
    method: str = parameter("sequential", choice(*METHODS))
    n_features_to_select: int | float | str | None = None
    steps: tuple[int, int] = parameter((2, 1), _STEPS)
    full_ranking: bool = parameter(False, flag())
    cv: Any = None
    scoring: Any = None
    n_jobs: int | None = None
    time_limit: float | None = parameter(None, optional(number(0)))

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FloatingSelector:
        """Search for the features.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts. Splitters of scikit-learn divide the rows as they
            stand, so only with `cv=None` or a float is a weight k the same as k rows.
        """
        check_parameters(self, estimator=classifier())
        clock = Clock(self.time_limit)
        missing = get_tags(self.estimator).input_tags.allow_nan
        training = read_training(self, X, y, sample_weight, missing=missing)
        self.allow_nan_ = missing
        n_features = self.n_features_in_
        if self.method == "branch_and_bound" and self._through_all():
            raise ValueError(
                "method='branch_and_bound' finds the best subset of one size: give "
                "n_features_to_select as a number, and full_ranking=False."
            )
        default = n_features if self.n_features_to_select == "best" else max(1, n_features // 2)
        n_selected = count_to_select(self, default, "best")
        table, codes, weights, _ = training
        columns = canonical_columns(table, codes, weights)  # of equals the first is taken
        criterion = self._criterion(training._replace(table=table.of_columns(columns)), clock)
        search = SubsetSearch(criterion, n_features, self.direction == "forward")
        last = n_features if search.forward else 1
        target = last if self._through_all() else n_selected
        self.status_: str = _run_within_time(search, target, self.method, self.steps)
        found = {k: search.best[k].features for k in sorted(search.best)}
        self.subsets_ = {k: np.sort(columns[list(found[k])]) for k in found}
        self.scores_: dict[int, float] = {k: search.best[k].score for k in sorted(search.best)}
        self.n_evaluations_: int = len(search.scores)
        if self.n_features_to_select == "best":
            n_selected = max(self.scores_, key=lambda k: (self.scores_[k], -k))
        n_selected = min(self.subsets_, key=lambda k: abs(k - n_selected))  # not all if time was up
        self.n_features_to_select_ = n_selected
        self.support_: NDArray[Any] = np.zeros(n_features, dtype=bool)
        self.support_[self.subsets_[n_selected]] = True
        self.ranking_: Indices = self._ranked(found)[np.argsort(columns)]
        self.order_: Indices = order_of(self.ranking_)
        return self

    def _criterion(self, training: Training, clock: Clock) -> Criterion:
        table, codes, weights, _ = training
        parts = divisions(self.cv, training)
        if counts_neighbors(self.estimator, self.scoring, table):
            k = self.estimator.n_neighbors
            return Neighbors(table.values, codes, weights, k, parts, self.n_jobs, clock)
        y, scorer = self.classes_[codes], check_scoring(self.estimator, self.scoring)
        unequal = None if np.all(weights == 1) else weights
        values = plain_values(table)
        return Fitted(self.estimator, values, y, unequal, parts, scorer, self.n_jobs, clock)

    def _through_all(self) -> bool:
        return self.full_ranking or self.n_features_to_select == "best"

    def _ranked(self, subsets: dict[int, Subset]) -> Indices:
        stays, enters = standing_order(subsets, self.n_features_in_)
        order = np.lexsort((enters, stays))
        if self._through_all():
            return ranks_of(order)
        keys = np.stack([stays, enters], axis=1)[order]
        new = np.append(True, np.any(keys[1:] != keys[:-1], axis=1))
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.maximum.accumulate(np.where(new, np.arange(1, len(order) + 1), 0))
        return ranks

    def __sklearn_tags__(self) -> Tags:
        """Take missing values where the estimator does, and a class for each row."""
        tags = super().__sklearn_tags__()
        is_fitted = hasattr(self, "allow_nan_")
        tags.input_tags.allow_nan = (
            self.allow_nan_ if is_fitted else get_tags(self.estimator).input_tags.allow_nan
        )
        return tags


def _run_within_time(search: SubsetSearch, target: int, method: str, steps: tuple[int, int]) -> str:
    """Search, and say how that ended; if nothing was judged in time, all features are kept."""
    try:
        search_subsets(search, target, method, steps)
    except TimeoutError:
        taken = f"the best of {len(search.scores)} subsets are used"
        if not search.best:
            search.best[search.n_features] = ScoredSubset(tuple(range(search.n_features)), np.nan)
            taken = "no subset was judged, so all features are kept; allow more or take fewer rows"
        warn_of_time_limit(taken, stacklevel=4)
        return "time_limit"
    return "complete"
