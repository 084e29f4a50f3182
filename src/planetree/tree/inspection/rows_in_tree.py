"""Rows on their way through a fitted classifier: what every picture of it is drawn from.

Along its decision, each row of a node is one number, and the branches part somewhere:

    parallel planes    the weighted sum of the terms, or the number itself if there is one term;
                       one category is no line
    two scores         the second minus the first, parted at 0
    an interval        the weighted sum of one plane, parted where either plane is
    both               the least score, parted at 0
    same side          the least score, or minus the largest if that is more, parted at 0
    otherwise          no line shows it: the rows are counted branch by branch

The bins of a histogram begin at the first threshold, so that no bar holds rows of both its sides.
Numbers beyond the middle 98% and the thresholds are counted in the outermost bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.planes import Categories, Planes, Split
from planetree.table import Column, Table, read_labels, read_rows
from planetree.tree.classifier import TreeClassifier
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.tree import Tree, Visit
from planetree.words import Wording, Words, faces_itself, unsure_within

_N_BINS = 24  # as many bars as a card of the drawing shows apart


@dataclass(frozen=True, eq=False)
class RowsInTree:
    """A classifier as a tree, and rows on their way through it.

    Parameters
    ----------
    model : fitted classifier
    fitted : FittedTree
        The same as a tree.
    rows : array of shape (n_rows, n_columns)
        As `predict` reads them.
    codes : array of shape (n_rows,)
        Code of the class of each row.
    maker : estimator
        What was fitted: the model, or the selector whose tree it is.
    """

    model: Any
    fitted: FittedTree
    rows: Floats
    codes: Indices
    maker: Any

    @property
    def table(self) -> Table:
        """The rows as the model can read them again."""
        return Table(self.rows, self.columns)

    @property
    def tree(self) -> Tree:
        """Its decisions."""
        return self.fitted.tree

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and categories of the columns."""
        return self.fitted.columns

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.fitted.classes.tolist()]

    @property
    def gives_shares(self) -> bool:
        """Whether the model answers with a share of each class."""
        return hasattr(self.model, "predict_proba")

    @property
    def shares_in_tree(self) -> bool:
        """Whether those shares follow from the leaves of the tree."""
        known = self.tree.leaf_probabilities is not None or self.tree.weights[0] > 0
        return self.gives_shares and bool(known)

    @cached_property
    def visits(self) -> list[Visit | None]:
        """Rows that reach each node, with their shares; None where none does."""
        found: list[Visit | None] = [None] * self.tree.n_nodes
        for visit in self.tree.visits(self.rows):
            found[visit.node] = visit
        return found

    @cached_property
    def counts(self) -> Floats:
        """Rows of each class (a column) at each node, parts of rows included."""
        counts = np.zeros((self.tree.n_nodes, len(self.classes)))
        for visit in filter(None, self.visits):
            counts[visit.node] = np.bincount(
                self.codes[visit.rows], visit.shares, minlength=counts.shape[1]
            )
        return counts

    @property
    def words(self) -> list[Words | None]:
        """Each decision in words, None at a leaf."""
        return self.fitted.words

    def histogram(self, node: int) -> tuple[_Projection | None, _Histogram | None]:
        """The rows of a node along its decision; None where no line or no number shows them."""
        visit, split, words = self.visits[node], self.fitted.printed_splits[node], self.words[node]
        if visit is None or split is None or words is None:
            return None, None
        seen = _project(split, self.rows[visit.rows], words, self.fitted.wording)
        if seen is None:
            return None, None
        codes = self.codes[visit.rows]
        return seen, _histogram(seen, codes, visit.shares, len(self.classes))

    def curve(self, node: int, at: Floats) -> Floats | None:
        """Probabilities (a row) at numbers along a graded decision, as the histogram has them.

        They are those of a row that comes to the node: its shares of the branches, times what the
        nodes below give as leaves. None where the decision is hard or no one number tells them.
        """
        split, (seen, _) = self.fitted.printed_splits[node], self.histogram(node)
        if seen is None or seen.reach == 0 or not isinstance(split, Planes):
            return None
        if seen.plane >= 0:
            facing = faces_itself(split) & (np.arange(len(split.offsets)) != seen.plane)
            scores = (at / seen.factor)[:, None] * np.where(facing, -1.0, 1.0) - split.offsets
        elif split.rule == "argmax":
            scores = np.column_stack([np.zeros(len(at)), at])
        else:
            return None
        below = self.tree.leaf_distributions[self.tree.children_of(node)]
        return np.asarray(split.shares_of(scores) @ below)


def rows_in_tree(model: Any, X: Any, y: Any) -> RowsInTree:
    """Send rows through a fitted classifier.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes or by a tree
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.tree.inspection.rows_in_tree import rows_in_tree
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    >>> found = rows_in_tree(RobustSeparator().fit(X, y), X, y)
    >>> found.counts.tolist(), found.words[0].lines
    ([[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]], ('x0',))
    """
    maker = model
    if isinstance(inner := getattr(model, "estimator_", None), TreeClassifier):
        model, X = inner, _chosen_columns(model, X)
    fitted = fitted_tree(model)
    rows = fitted.read(model, X)
    return RowsInTree(model, fitted, rows, read_labels(model, y, len(rows)), maker)


def _chosen_columns(selector: Any, X: Any) -> Table:
    """Rows as the tree of a selector reads them: with the columns that it was given."""
    place = {column.name: j for j, column in enumerate(selector.columns_)}
    columns = selector.estimator_.columns_
    rows = read_rows(selector, X, missing=True)
    return Table(rows[:, [place[column.name] for column in columns]], columns)


class _Projection(NamedTuple):
    """Rows along a decision.

    Parameters
    ----------
    values : array of shape (n_rows,)
        NaN where it is not known.
    thresholds : tuple of float
        Where the branches part, from below.
    name : str
    plane, factor : int and float
        The values are the weighted sums of this plane, times the factor; plane -1 for none.
    reach : float
        How far from a threshold rows are unsure; 0 where the decision is hard.
    """

    values: Floats
    thresholds: tuple[float, ...]
    name: str
    plane: int = -1
    factor: float = 1.0
    reach: float = 0.0

    @property
    def zones(self) -> list[tuple[float, float]]:
        """Where rows are unsure, around each threshold."""
        if self.reach == 0:
            return []
        return [(at - self.reach, at + self.reach) for at in self.thresholds]


class _Histogram(NamedTuple):
    """Weight of each class (a row) in each bin (a column), the first from `low` on."""

    low: float
    width: float
    counts: Floats


def _project(split: Split, X: Floats, words: Words, wording: Wording) -> _Projection | None:
    """See rows along a decision, as its words say it; None where no line shows it.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.table import Column
    >>> from planetree.tree.inspection.rows_in_tree import _project
    >>> from planetree.words import Wording
    >>> plane, wording = Planes([[2.0]], [3.0]), Wording([Column("age")])
    >>> seen = _project(plane, np.array([[1.0], [2.0]]), wording.decision(plane), wording)
    >>> seen.values, seen.thresholds, seen.name
    (array([1., 2.]), (1.5,), 'age')
    """
    if isinstance(split, Categories):
        return None
    if split.rule == "slabs" and np.ptp(split.weights, axis=0).any():
        return None
    if split.rule == "slabs":
        return _along_normal(split, X, words, wording, split.offsets)
    if faces_itself(split):
        ends = split.offsets * np.where(np.arange(2) == words.plane, 1.0, -1.0)
        return _along_normal(split, X, words, wording, ends)
    scores, reach = split.scores(X), unsure_within(split)
    least, largest = scores.min(axis=1), scores.max(axis=1)
    if split.rule == "both":
        return _Projection(least, (0.0,), "least score", reach=reach)
    if split.rule == "same_side":
        return _Projection(np.maximum(least, -largest), (0.0,), "depth", reach=reach)
    if len(split.offsets) == 2:
        difference = scores[:, 1] - scores[:, 0]
        return _Projection(difference, (0.0,), "difference of scores", reach=reach)
    return None


def _along_normal(
    split: Planes, X: Floats, words: Words, wording: Wording, thresholds: Floats
) -> _Projection | None:
    """Weighted sums as the words have them: turned, or without the weight of the only term."""
    half, plane = split.half_space(words.plane), words.plane
    factor, name = -1.0 if words.turned else 1.0, "weighted sum"
    if len(half.terms) == 1:
        if half.terms[0][1] >= 0:
            return None
        factor, name = 1.0 / half.weights[0], wording.term(*half.terms[0])
    sums = split.scores(X)[:, plane] + split.offsets[plane]
    at = tuple(sorted((thresholds * factor + 0.0).tolist()))
    reach = unsure_within(split) * abs(factor)
    return _Projection(np.asarray(sums * factor), at, name, plane, factor, reach)


def _histogram(
    projection: _Projection, codes: Indices, weights: Floats, n_classes: int
) -> _Histogram | None:
    """Count the rows of each class along a decision; None where no number is known.

    Parameters
    ----------
    projection : Projection
    codes : array of shape (n_rows,)
        Class code of each row.
    weights : array of shape (n_rows,)
        How much each row counts.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.inspection.rows_in_tree import _histogram, _Projection
    >>> seen = _Projection(np.array([0.0, 1.0, 4.0]), (1.0,), "age")
    >>> _histogram(seen, np.array([0, 0, 1]), np.ones(3), 2).counts.sum(axis=1)
    array([2., 1.])
    """
    known = np.isfinite(projection.values)
    if not known.any():
        return None
    values, first = projection.values[known], projection.thresholds[0]
    ends = [*np.quantile(values, [0.01, 0.99]).tolist(), *projection.thresholds]
    width = (max(ends) - min(ends)) / (_N_BINS - 2) or 1.0
    low = int(np.floor((min(ends) - first) / width)) - 1
    places = np.clip(np.ceil((values - first) / width) - 1 - low, 0, _N_BINS).astype(np.intp)
    counts = np.zeros((n_classes, _N_BINS + 1))
    np.add.at(counts, (codes[known], places), weights[known])
    return _Histogram(first + low * width, width, counts)
