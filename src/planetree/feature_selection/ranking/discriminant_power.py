"""Ranking by discriminant power: what each feature does for a tree, from growing it once.

The power of a feature is by how much its splits lower the error on rows held out while a tree grows
(`planetree.tree.holdout.holdout_tree`). One division of the rows is noisy, so the powers of several
trees, each with a division of its own, can be averaged. Features are ranked

    1. those that some tree reads before those that none reads;
    2. by their mean power, the largest first;
    3. by the impurity that their best split would remove by itself at the root, the largest first;
    4. in the order of the columns.

So features that no tree reads, whose powers are all 0, are ranked by rule 3.

Gracia, Pla, Ferri & Garcia (1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from planetree.arrays import Indices
from planetree.clock import Clock, warn_of_time_limit
from planetree.feature_selection.ranking.subset_criteria import run_within_time
from planetree.feature_selection.ranking.subset_search import (
    RankingSelector,
    count_to_select,
    ranks_of,
)
from planetree.parameters import check_parameters, choice, count, number, optional, parameter
from planetree.table import all_or_nothing, canonical_columns, read_training
from planetree.table.partitions import is_drawn
from planetree.table.sources import as_labels, as_plain
from planetree.tree import HoldoutTreeClassifier

_OF_TREES = ("criterion", "holdout", "patience", "ties", "separator")
_ONCE = choice(1)._replace(words="1 where holdout gives the rows, for every tree would be the same")


@dataclass(eq=False, repr=False, kw_only=True)
class DiscriminantPowerSelector(RankingSelector):
    """Feature discriminant power: ranks all features from growing one tree, or a few.

    Accepts numbers, categories and missing values.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        Select this many of the first in the ranking, or this share of all.
    threshold : float, optional
        Select features with a power above it. With neither this nor `n_features_to_select`,
        select those with a power above 0; with both, features must satisfy both.
    repeats : int
        Number of trees to average, each grown on a different division of the rows.
    criterion, holdout, patience, ties, separator
        Parameters of each tree, as in `HoldoutTreeClassifier`.
    random_state : int, RandomState or None
        Seed of the divisions.
    n_jobs : int, optional
        Number of trees grown at a time; it does not change the trees.
    time_limit : float, optional
        Seconds after which growing ends: powers are averaged over the finished trees, or, if none
        is finished, come from the first tree as far as it has grown.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Discriminant power of each feature, the mean over the trees.
    spread_ : array of shape (n_features,)
        Standard deviation over the trees; NaN for one tree.
    ranking_ : array of shape (n_features,)
        Rank of each feature; the most discriminant one has rank 1.
    order_ : array of shape (n_features,)
        Numbers of the features in the order of their ranks.
    support_ : boolean array of shape (n_features,)
        Which features are selected.
    trees_ : list of HoldoutTreeClassifier
    status_ : {"complete", "time_limit"}
        Whether all trees were grown.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import DiscriminantPowerSelector
    >>> model = DiscriminantPowerSelector(n_features_to_select=2, repeats=5)
    >>> model.fit(*load_iris(return_X_y=True)).support_
    array([False, False,  True,  True])
    >>> model.ranking_
    array([3, 4, 1, 2])
    """

    n_features_to_select: int | float | None = None
    threshold: float | None = parameter(None, optional(number()))
    repeats: int = 1
    criterion: str = "gini"
    holdout: Any = 0.3
    patience: int = 0
    ties: str = "continue"
    separator: Any = None
    random_state: Any = 0
    n_jobs: int | None = None
    time_limit: float | None = parameter(None, optional(number(0)))

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DiscriminantPowerSelector:
        """Grow the trees and rank the features.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        check_parameters(self, repeats=count(1) if is_drawn(self.holdout) else _ONCE)
        clock = Clock(self.time_limit)
        table, codes, weights, _ = read_training(
            self, X, y, sample_weight, missing=True, min_classes=1
        )
        n_selected = count_to_select(self, self.n_features_in_)
        if is_drawn(self.holdout):
            rows = table, self.classes_[codes], weights
        else:  # the rows that are given are numbered as in X
            rows = X, as_labels(y, type(self).__name__), as_plain(sample_weight)
        self.trees_: list[HoldoutTreeClassifier] = self._grown(rows, clock)
        n_finished = sum(tree.status_ == "complete" for tree in self.trees_)
        self.status_ = "complete" if n_finished == self.repeats else "time_limit"
        if self.status_ == "time_limit":
            warn_of_time_limit(f"{n_finished} of {self.repeats} trees were finished")
        powers = np.array([tree.discriminant_power_ for tree in self.trees_])
        self.scores_: Any = powers.mean(axis=0)
        self.spread_: NDArray[Any] = (
            powers.std(axis=0, ddof=1) if len(powers) > 1 else np.full(powers.shape[1], np.nan)
        )
        self.order_: Indices = self._ordered(canonical_columns(table, codes, weights))
        self.ranking_: Indices = ranks_of(self.order_)
        self.support_: Any = (self.ranking_ <= n_selected) & (self.scores_ > self._least_power())
        return self

    def _grown(self, rows: tuple[Any, Any, Any], clock: Clock) -> list[HoldoutTreeClassifier]:
        """The trees that were finished in time; if none was, the first as far as it came."""
        calls = (
            delayed(tree.set_params(time_limit=clock.left).fit)(*rows) for tree in self._trees()
        )
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads")
        grown = run_within_time(calls, parallel, clock, at_least=1)
        return [tree for tree in grown if tree.status_ == "complete"] or grown[:1]

    def _trees(self) -> list[HoldoutTreeClassifier]:
        draws = check_random_state(self.random_state)
        seeds = [draws.randint(2**31 - 1) for _ in range(self.repeats)]
        own = {name: getattr(self, name) for name in _OF_TREES}
        return [HoldoutTreeClassifier(**own, random_state=seed) for seed in seeds]

    def _ordered(self, columns: Indices) -> Indices:
        """Features in the order that the top of this module states, equals in canonical order."""
        unread = np.ones(len(self.scores_), dtype=bool)
        for tree in self.trees_:
            unread[tree.features_used_] = False
        gains = np.mean([tree.root_gains_ for tree in self.trees_], axis=0)
        keys = np.stack([-gains.round(10), -self.scores_.round(10), unread])[:, columns]
        return np.asarray(columns[np.lexsort(tuple(keys))])

    def _least_power(self) -> float:
        """Power that a feature must exceed."""
        if self.threshold is not None:
            return float(self.threshold)
        return 1e-12 if self.n_features_to_select is None else -np.inf
