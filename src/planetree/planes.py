"""The decision: planes with a rule that turns their scores into a branch, or a table of categories.

A `Planes` reads some terms of a row. A term is a number column, or one category of a category
column (1 where the row has it, 0 where not). With E the matrix of the terms of the rows,

    scores = E weights' - offsets

and the rule says which branch a row of scores takes:

    slabs       how many of the scores are positive (parallel planes: below, between, above)
    argmax      the plane with the largest score
    both        1 where every score is positive, else 0
    same_side   1 where all scores are positive or none is, else 0

A row whose score is not known, because a term it needs is missing, takes branch -1: the reader
decides what that means. A term of weight 0 is never needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Categories", "HalfSpace", "Planes", "Split", "encode"]

RULES = ("slabs", "argmax", "both", "same_side")


class HalfSpace(NamedTuple):
    """One side of a plane: `weights . terms > offset` if `above`, else `<=`."""

    weights: NDArray[np.float64]
    offset: float
    above: bool


def encode(
    X: NDArray[np.float64], columns: NDArray[np.intp], categories: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Terms of the rows of X: numbers as they stand, a category as 0 or 1, missing as NaN."""
    if np.all(categories < 0) and np.array_equal(columns, np.arange(X.shape[1])):
        return X
    terms = X[:, columns]
    for t in np.flatnonzero(categories >= 0):
        column = terms[:, t]
        terms[:, t] = np.where(np.isnan(column), np.nan, column == categories[t])
    return terms


@dataclass(frozen=True, eq=False)
class Planes:
    """Planes over the terms of a table's rows, with the rule that makes their scores a branch.

    Parameters
    ----------
    weights : array of shape (n_planes, n_terms)
    offsets : array of shape (n_planes,)
    rule : {"slabs", "argmax", "both", "same_side"}
    columns : array of shape (n_terms,), optional
        The column of the table that each term reads; by default term t is column t.
    categories : array of shape (n_terms,), optional
        The category code a term asks for, or -1 where the term is the column's number.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> plane = Planes([[1.0, 1.0]], [1.5])
    >>> plane.branch(np.array([[0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]]))
    array([ 0,  1, -1])
    """

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    rule: str = "slabs"
    columns: NDArray[np.intp] = field(default=None)  # type: ignore[arg-type]
    categories: NDArray[np.intp] = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        weights = np.atleast_2d(np.asarray(self.weights, dtype=np.float64))
        n_terms = weights.shape[1]
        columns = np.arange(n_terms) if self.columns is None else self.columns
        categories = np.full(n_terms, -1) if self.categories is None else self.categories
        values = {
            "weights": weights,
            "offsets": np.atleast_1d(np.asarray(self.offsets, dtype=np.float64)),
            "columns": np.asarray(columns, dtype=np.intp),
            "categories": np.asarray(categories, dtype=np.intp),
        }
        for name, value in values.items():
            value = value.copy()
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {RULES}, but it is {self.rule!r}.")
        if len(self.offsets) != len(weights):
            raise ValueError(
                f"{len(weights)} planes need as many offsets, not {len(self.offsets)}."
            )
        if not len(self.columns) == len(self.categories) == n_terms:
            raise ValueError(f"{n_terms} terms need as many columns and categories.")

    @property
    def n_branches(self) -> int:
        """How many ways the decision can send a row."""
        return {"slabs": len(self.offsets) + 1, "argmax": len(self.offsets)}.get(self.rule, 2)

    @property
    def n_terms(self) -> int:
        """How many terms have a weight other than 0 in some plane."""
        return int(np.count_nonzero(self.weights.any(axis=0)))

    @property
    def features(self) -> NDArray[np.intp]:
        """The columns that the decision reads."""
        return np.unique(self.columns[self.weights.any(axis=0)])

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signed score of each row for each plane, in the units of the weights; NaN if unknown."""
        used = self.weights.any(axis=0)
        if used.all():
            return encode(X, self.columns, self.categories) @ self.weights.T - self.offsets
        terms = encode(X, self.columns[used], self.categories[used])
        return terms @ self.weights[:, used].T - self.offsets

    def branch(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        """Branch that each row takes; -1 where a score is not known."""
        scores = self.scores(X)
        positive = scores > 0
        if self.rule == "slabs":
            branch = positive.sum(axis=1)
        elif self.rule == "argmax":
            branch = scores.argmax(axis=1)
        elif self.rule == "both":
            branch = positive.all(axis=1).astype(np.intp)
        else:
            branch = (positive.all(axis=1) | ~positive.any(axis=1)).astype(np.intp)
        return np.where(np.isnan(scores).any(axis=1), -1, branch)


@dataclass(frozen=True, eq=False)
class Categories:
    """A lookup: the branch of each category of one column.

    Parameters
    ----------
    column : int
    branches : array of shape (n_categories,)
        The branch that each category code takes; -1 for one that belongs to no branch.
    """

    column: int
    branches: NDArray[np.intp]

    def __post_init__(self) -> None:
        branches = np.array(self.branches, dtype=np.intp)
        branches.flags.writeable = False
        object.__setattr__(self, "branches", branches)

    @property
    def n_branches(self) -> int:
        """How many ways the decision can send a row."""
        return int(self.branches.max(initial=-1)) + 1

    @property
    def n_terms(self) -> int:
        """One column is one term."""
        return 1

    @property
    def features(self) -> NDArray[np.intp]:
        """The column that the decision reads."""
        return np.array([self.column])

    def branch(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        """Branch that each row takes; -1 where the category is missing or in no branch."""
        codes = X[:, self.column]
        known = ~np.isnan(codes)
        branch = np.full(len(codes), -1, dtype=np.intp)
        branch[known] = self.branches[codes[known].astype(np.intp)]
        return branch


Split = Planes | Categories
