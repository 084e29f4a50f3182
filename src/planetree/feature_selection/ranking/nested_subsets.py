"""What a ranking is worth: the error of classifiers on its first feature, its first two, and so on.

The classifiers of Gracia, Pla, Ferri & Garcia (1995), Figures 1 and 2, are a tree grown by Gini's
index and pruned by cost-complexity, and the vote of the three nearest neighbors. The tree is grown
from a part of the training rows; among the pruned trees the smallest with the least error on the
other part is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.feature_selection.ranking.subset_criteria import plain_values
from planetree.feature_selection.ranking.subset_search import order_of
from planetree.table import Table
from planetree.table.partitions import draw_holdout, is_drawn, read_holdout

_LabeledRows = tuple[NDArray[Any], NDArray[Any]]
_MAX_ALPHAS = 50  # pruned trees that are compared


class CostComplexityTree(ClassifierMixin, BaseEstimator):
    """scikit-learn's tree by Gini's index, pruned by cost-complexity as rows held out ask for.

    Parameters
    ----------
    holdout : float, array, or tuple of two arrays
        Rows that choose the pruned tree, as in `HoldoutTreeClassifier`.
    random_state : int, RandomState or None
        Of the division and of ties between splits.

    Attributes
    ----------
    tree_ : DecisionTreeClassifier
    ccp_alpha_ : float
    classes_ : array

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree.feature_selection import CostComplexityTree
    >>> CostComplexityTree().fit(*load_iris(return_X_y=True)).predict([[5.0, 3.0, 1.5, 0.2]])
    array([0])
    """

    def __init__(self, *, holdout: Any = 0.25, random_state: Any = 0) -> None:
        self.holdout = holdout
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> CostComplexityTree:
        """Grow, prune and choose."""
        X = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if is_drawn(self.holdout):
            parts = draw_holdout(self.holdout, X, codes, np.ones(len(X)), self.random_state)
        else:
            parts = read_holdout(self.holdout, np.ones(len(X), dtype=bool))
        growing, held = parts
        tree = DecisionTreeClassifier(random_state=self.random_state)
        path = tree.cost_complexity_pruning_path(X[growing], codes[growing])
        best = -1.0
        for alpha in _thinned(np.maximum(path.ccp_alphas, 0.0)):
            pruned = clone(tree).set_params(ccp_alpha=alpha).fit(X[growing], codes[growing])
            score = float(np.mean(pruned.predict(X[held]) == codes[held]))
            if score >= best:
                best, self.tree_, self.ccp_alpha_ = score, pruned, float(alpha)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        check_is_fitted(self, "tree_")
        return self.classes_[self.tree_.predict(np.asarray(X, dtype=np.float64))]


def _thinned(alphas: Floats) -> Floats:
    """At most `_MAX_ALPHAS` of the strengths at which a node falls, evenly along the path."""
    places = np.linspace(0, len(alphas) - 1, min(_MAX_ALPHAS, len(alphas)))
    return alphas[np.unique(places.round().astype(np.intp))]


def nested_subset_errors(
    ranking: Any,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    classifiers: Any = None,
    n_jobs: int | None = None,
) -> dict[str, Floats]:
    """Test error of classifiers trained on the first d features of a ranking, d = 1, 2, ...

    Parameters
    ----------
    ranking : array
        Rank of each feature from 1 on, as `ranking_` of a selector, or the features in order, by
        number from 0 on or by name.
    X, y, X_test, y_test : arrays or frames
    classifiers : classifier, sequence, or mapping of names to classifiers, optional
        By default those of the paper: `CostComplexityTree()` as "tree", and
        `KNeighborsClassifier(3)` as "3-NN".
    n_jobs : int, optional
        Fits at a time.

    Returns
    -------
    dict
        For each classifier, by its name, the share of test rows that it has wrong with the first d
        features, as an array that begins with d = 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from planetree.feature_selection import nested_subset_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> nested_subset_errors([3, 2, 0, 1], X[::2], y[::2], X[1::2], y[1::2], GaussianNB())
    {'GaussianNB': array([0.06666667, 0.04      , 0.04      , 0.04      ])}
    """
    table = Table.read(X, missing=True)
    test = Table.read(X_test, columns=table.columns, missing=True)
    order = _features_in_order(ranking, [column.name for column in table.columns])
    named = _named_classifiers(classifiers)
    rows, held = (plain_values(table), np.asarray(y)), (plain_values(test), np.asarray(y_test))
    calls = (
        delayed(_error)(model, rows, held, order[:d])
        for model in named.values()
        for d in range(1, len(order) + 1)
    )
    errors = np.array(list(Parallel(n_jobs=n_jobs)(calls))).reshape(len(named), len(order))
    return dict(zip(named, errors, strict=True))


def _error(model: Any, rows: _LabeledRows, held: _LabeledRows, features: Indices) -> float:
    (X, y), (X_test, y_test) = rows, held
    fitted = clone(model).fit(X[:, features], y)
    return float(np.mean(fitted.predict(X_test[:, features]) != y_test))


def _named_classifiers(classifiers: Any) -> dict[str, Any]:
    """Classifiers by name."""
    if classifiers is None:
        return {"tree": CostComplexityTree(), "3-NN": KNeighborsClassifier(3)}
    if isinstance(classifiers, Mapping):
        return dict(classifiers)
    several = classifiers if isinstance(classifiers, Sequence) else [classifiers]
    named = {type(model).__name__: model for model in several}
    if len(named) < len(several):
        raise ValueError("classifiers has two of one type. Pass a dict with names.")
    return named


def _features_in_order(ranking: Any, names: list[str]) -> Indices:
    """Numbers of the features, from their ranks, from themselves in order, or from their names."""
    given_ranking = np.asarray(ranking)
    if given_ranking.dtype.kind in "UO":
        place = {name: j for j, name in enumerate(names)}
        unknown = [name for name in given_ranking.tolist() if name not in place]
        if unknown:
            raise ValueError(f"ranking names {unknown[0]!r}, but the columns are {names}.")
        return np.array([place[name] for name in given_ranking.tolist()], dtype=np.intp)
    found = given_ranking.astype(np.intp)
    if np.array_equal(np.sort(found), np.arange(1, len(names) + 1)):
        return order_of(found)
    if len(np.unique(found)) < len(found) or found.min() < 0 or found.max() >= len(names):
        raise ValueError(
            f"ranking must hold ranks from 1 to {len(names)}, each once, or features from 0 to "
            f"{len(names) - 1} in order, but it is {given_ranking.tolist()}."
        )
    return found
