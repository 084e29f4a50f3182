"""The decision: planes with a rule that turns their scores into a branch, or a table of categories.

A `Planes` reads some terms of a row. A term is a number column, one category of a category column
(1 where the row has it, 0 where not), or the product of two number columns, which has the code
`product_code(factor)` in the place of a category. With E the matrix of the terms of the rows,

    scores = E weights' - offsets

whose terms are added in their order, each rounded once: the same bits on every machine, for a row
alone or among others, however the rows lie in memory (`cpp/core/plane_scores.hpp`). The rule says
which branch a row of scores takes:

    slabs       how many of the scores are positive (parallel planes: below, between, above)
    argmax      the plane with the largest score
    both        1 where every score is positive, else 0
    same_side   1 where all scores are positive or none is, else 0

A row whose score is not known, because a term it needs is missing, takes branch -1. What that means
the reader decides: the branch `unknown`, or all of them by share. A term of weight 0 is not needed.

A graded decision has a spread above 0, and every branch a share of the row. With u the sigmoid of
score / spread, which is 1/2 on a plane and 9/10 at 2.2 spreads above it:

    slabs       (1 - u1), u1 (1 - u2), ..., u1 u2 ...       u falling: the lowest offset first
    argmax      softmax(scores / spread)
    both        u1 u2 ... and what is left
    same_side   u1 u2 ... + (1 - u1) (1 - u2) ... and what is left

- the branch follows from the signs of the scores alone, graded or not: it is what a reader finds by
  hand. For one plane and for `argmax` it has the largest share; for more planes, where they cross,
  another branch may have more;
- as the spread goes to 0, the share of the branch goes to 1: hard planes are the limit;
- a row that moves up along one plane, the scores of the others held, takes no less of the upper
  branches (`slabs`, `both`) or of that plane's own (`argmax`).

What a branch asks of a row is said as patterns: alternatives, each a list of half-spaces that all
hold. With P_i for "the row is above plane i",

    slabs       branch b    above the b-th lowest offset and not above the next (parallel planes)
    argmax      branch b    above every earlier plane's score, and none later above it
    both        branch 1    all P_i                         branch 0    some not P_i
    same_side   branch 1    all P_i, or all not P_i         branch 0    some P_i and not P_(i+1)

- of a row that is known, the patterns of exactly one branch hold, so branches may be asked in any
  order and the last one needs no question.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from planetree.arrays import (
    PRODUCT,
    Floats,
    Indices,
    Mask,
    exponents_of_terms,
    factors_of_terms,
    renumbered_terms,
    scores_of_terms,
    set_arrays,
)

# Codes of a category that training did not have, which rows hold too, and of none at all: NaN.
NEW, NO_CATEGORY = -1, -2

RULES = ("slabs", "argmax", "both", "same_side")

_LARGEST_SCORE = 1e308  # what lies beyond is infinite, and has no differences


def influence(weights: Floats, scale: Floats) -> Floats:
    """How far each term moves the scores: |weight| times its deviation, summed over the planes."""
    return np.abs(np.atleast_2d(weights)).sum(axis=0) * scale


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
        The category code a term asks for, -1 where the term is the column's number, or the
        `product_code` of the column that it is multiplied by.
    spread : float
        How far from a plane rows are unsure, in units of the scores; 0 for a hard decision.
    unknown : int
        The branch of rows whose score is not known; -1 where they take all, by share.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> plane = Planes([[1.0, 1.0]], [1.5])
    >>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]])
    >>> plane.branch(rows)
    array([ 0,  1, -1])
    >>> Planes([[1.0, 1.0]], [1.5], spread=0.25).shares(rows).round(3)
    array([[0.881, 0.119],
           [0.119, 0.881],
           [  nan,   nan]])
    """

    weights: Floats
    offsets: Floats
    rule: str = "slabs"
    columns: Indices = field(default=None)  # type: ignore[arg-type]
    categories: Indices = field(default=None)  # type: ignore[arg-type]
    spread: float = 0.0
    unknown: int = -1

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64, order="C", ndmin=2)
        n_terms = weights.shape[1]
        columns = np.arange(n_terms) if self.columns is None else self.columns
        categories = np.full(n_terms, -1) if self.categories is None else self.categories
        values = {
            "weights": weights,
            "offsets": np.array(self.offsets, dtype=np.float64, ndmin=1),
            "columns": np.array(columns, dtype=np.intp),
            "categories": np.array(categories, dtype=np.intp),
        }
        for name, value in values.items():
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
        if not 0 <= self.spread < np.inf:
            raise ValueError(f"spread must be a number of at least 0, but it is {self.spread!r}.")
        object.__setattr__(self, "spread", float(self.spread))

    @property
    def n_branches(self) -> int:
        """How many ways the decision can send a row."""
        return {"slabs": len(self.offsets) + 1, "argmax": len(self.offsets)}.get(self.rule, 2)

    @property
    def n_terms(self) -> int:
        """How many terms have a weight other than 0 in some plane."""
        return int(np.count_nonzero(self.weights.any(axis=0)))

    @property
    def features(self) -> Indices:
        """The columns that the decision reads."""
        used = self.weights.any(axis=0)
        factors = factors_of_terms(self.categories[used])
        return np.unique(np.append(self.columns[used], factors[factors >= 0]))

    def scores(self, X: Floats) -> Floats:
        """Signed score of each row for each plane, in the units of the weights; NaN if unknown."""
        return scores_of_terms(X, self.weights, self.offsets, self.columns, self.categories)

    def branch(self, X: Floats) -> Indices:
        """Branch that each row takes; -1 where a score is not known."""
        return self.branch_of(self.scores(X))

    def branch_of(self, scores: Floats) -> Indices:
        """Branch that each row of scores takes; -1 where one is not known."""
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

    def shares(self, X: Floats) -> Floats:
        """Share with which each row takes each branch; NaN where a score is not known."""
        return self.shares_of(self.scores(X))

    def shares_of(self, scores: Floats) -> Floats:
        """Share with which each row of scores takes each branch; NaN where one is not known."""
        if self.spread == 0:
            return _all_or_nothing(self.branch_of(scores), self.n_branches)
        scores = np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE)
        with np.errstate(over="ignore"):
            if self.rule == "argmax":
                odds = np.exp((scores - scores.max(axis=1, keepdims=True)) / self.spread)
                return np.asarray(odds / odds.sum(axis=1, keepdims=True))
            steps = scores / self.spread
        shares = _sigmoid_shares(self.rule, steps)
        shares[np.isnan(scores).any(axis=1)] = np.nan
        return shares

    @property
    def multiplies(self) -> bool:
        """Whether some term is a product of columns."""
        return bool((self.categories[self.weights.any(axis=0)] <= PRODUCT).any())

    def renumbered(self, columns: Indices) -> Planes:
        """The same planes, whose column j is called `columns[j]`."""
        named, codes = renumbered_terms(self.columns, self.categories, columns)
        return replace(self, columns=named, categories=codes)

    def exponents(self, of_columns: Indices) -> Indices:
        """Exponents of the terms where columns have these; those of a product add up."""
        return exponents_of_terms(self.columns, self.categories, of_columns)

    def by_column(self, of_terms: Floats, n_columns: int) -> Floats:
        """Numbers of the terms added up over their columns; of a product, half for each factor."""
        found, factors = np.zeros(n_columns), factors_of_terms(self.categories)
        is_product = factors >= 0
        np.add.at(found, self.columns, np.where(is_product, of_terms / 2, of_terms))
        np.add.at(found, factors[is_product], of_terms[is_product] / 2)
        return found

    def reads(self, columns: Indices | tuple[()]) -> Mask:
        """Which terms read some of the columns."""
        return np.isin(self.columns, columns) | np.isin(factors_of_terms(self.categories), columns)

    def side(self, branch: int) -> Side:
        """What a branch asks of a row."""
        return Side(self, branch)

    def half_space(self, plane: int) -> HalfSpace:
        """The side above one of the planes, over the terms that it gives a weight."""
        return _half_space(self, self.weights[plane], self.offsets[plane])


@dataclass(frozen=True, eq=False)
class Categories:
    """A lookup: the branch of each category of one column.

    Parameters
    ----------
    column : int
    branches : array of shape (n_categories,)
        The branch that each category code takes; -1 for one that belongs to no branch.
    unknown : int
        The branch of rows whose category is missing; -1 where they take all, by share. Those whose
        category training did not have, with code -1, always take all.
    """

    column: int
    branches: Indices
    unknown: int = -1

    def __post_init__(self) -> None:
        set_arrays(self, branches=np.intp)

    @property
    def n_branches(self) -> int:
        """How many ways the decision can send a row."""
        return int(self.branches.max(initial=self.unknown)) + 1

    @property
    def n_terms(self) -> int:
        """One column is one term."""
        return 1

    @property
    def features(self) -> Indices:
        """The column that the decision reads."""
        return np.array([self.column])

    def renumbered(self, columns: Indices) -> Categories:
        """The same decision, whose column j is called `columns[j]`."""
        return replace(self, column=int(columns[self.column]))

    def branch(self, X: Floats) -> Indices:
        """Branch that each row takes, that of missing categories included; -1 if it takes all."""
        codes = X[:, self.column]
        missing = np.isnan(codes)
        branches = np.append(self.branches, -1)  # the last one for code -1
        branch = branches[np.where(missing, -1, codes).astype(np.intp)]
        return np.where(missing, self.unknown, branch)

    def shares(self, X: Floats) -> Floats:
        """Share with which each row takes each branch, all or nothing; NaN where it takes none."""
        return _all_or_nothing(self.branch(X), self.n_branches)

    def side(self, branch: int) -> Among:
        """What a branch asks of a row."""
        return Among(self.column, tuple(np.flatnonzero(self.branches == branch).tolist()))


Split = Planes | Categories


class HalfSpace(NamedTuple):
    """One side of a plane: the sum of weighted terms exceeds `offset` if `above`, else it does not.

    A term is a column and the category it asks for, -1 for the column's number, or the code of the
    column that it is multiplied by.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import HalfSpace
    >>> HalfSpace(((0, -1), (1, -1)), (2.0, -1.0), 3.0, True).holds(np.array([[2.0, 0.0]]))
    array([ True])
    """

    terms: tuple[tuple[int, int], ...]
    weights: tuple[float, ...]
    offset: float
    above: bool

    def holds(self, X: Floats) -> Mask:
        """Whether each row is on this side; one with an unknown sum is not."""
        columns, categories = np.array(self.terms, dtype=np.intp).reshape(-1, 2).T
        weights, nothing = np.array([self.weights], dtype=np.float64), np.zeros(1)
        total = scores_of_terms(X, weights, nothing, columns.copy(), categories.copy())[:, 0]
        return np.asarray(total > self.offset if self.above else total <= self.offset)


class Among(NamedTuple):
    """The category of a column is one of some codes; `NEW` and `NO_CATEGORY` may be among them."""

    column: int
    codes: tuple[int, ...]

    def holds(self, X: Floats) -> Mask:
        """Whether each row satisfies it."""
        cells = X[:, self.column]
        held = np.isin(cells, self.codes)
        return held | np.isnan(cells) if NO_CATEGORY in self.codes else held

    def patterns(self, disjoint: bool = False) -> tuple[Pattern, ...]:
        """Itself, or nothing where no category does it."""
        return ((self,),) if self.codes else ()


Test = HalfSpace | Among
Pattern = tuple[Test, ...]


class Side(NamedTuple):
    """A row lies on the side of some planes that their rule calls a branch.

    Examples
    --------
    >>> from planetree.planes import Planes
    >>> Planes([[1.0]], [2.5]).side(0).patterns()
    ((HalfSpace(terms=((0, -1),), weights=(1.0,), offset=2.5, above=False),),)
    """

    planes: Planes
    branch: int

    def patterns(self, disjoint: bool = False) -> tuple[Pattern, ...]:
        """Intersections of half-spaces whose union is this side.

        Parameters
        ----------
        disjoint : bool
            Whether no row may be in two of them; by default they are as few and short as can be.
        """
        planes, branch = self.planes, self.branch
        if planes.rule == "argmax":
            return (tuple(_largest(planes, branch)),)
        above = [planes.half_space(p) for p in range(len(planes.offsets))]
        below = [half._replace(above=False) for half in above]
        parallel = bool(np.all(planes.weights == planes.weights[0]))
        if disjoint or (planes.rule == "slabs" and not parallel):
            signs = product((False, True), repeat=len(above))
            taken = (each for each in signs if _branch_of(planes.rule, each) == branch)
            return tuple(tuple((below, above)[up][p] for p, up in enumerate(s)) for s in taken)
        if planes.rule == "slabs":
            above.sort(key=lambda half: half.offset)
            low, high = above[:branch][-1:], above[branch:][:1]
            return ((*low, *(half._replace(above=False) for half in high)),)
        if branch == 1:
            return (tuple(above),) if planes.rule == "both" else (tuple(above), tuple(below))
        if planes.rule == "both":
            return tuple((half,) for half in below)
        return tuple(zip(above, [*below[1:], below[0]], strict=True))

    def holds(self, X: Floats) -> Mask:
        """Whether each row satisfies one of the patterns; one with an unknown score does not."""
        held = np.zeros(len(X), dtype=bool)
        for pattern in self.patterns():
            held |= np.all([half.holds(X) for half in pattern], axis=0)
        return held & ~np.isnan(X[:, self.planes.features]).any(axis=1)


def _sigmoid_shares(rule: str, steps: Floats) -> Floats:
    """Shares of the branches from scores in units of the spread."""
    if rule == "slabs":
        steps = -np.sort(-steps, axis=1)
    above, below = expit(steps), expit(-steps)
    if rule == "same_side":
        up = np.minimum(above.prod(axis=1) + below.prod(axis=1), 1.0)  # sums may round above
        return np.column_stack([1.0 - up, up])
    reached = np.cumprod(above, axis=1)
    below[:, 1:] *= reached[:, :-1]  # above all planes before and not above this one
    if rule == "both":
        below = np.minimum(below.sum(axis=1, keepdims=True), 1.0)
    return np.column_stack([below, reached[:, -1]])


def _all_or_nothing(branch: Indices, n_branches: int) -> Floats:
    """Share 1 of the branch that each row takes; NaN where it takes none."""
    shares = np.where(branch[:, None] == np.arange(n_branches), 1.0, 0.0)
    return np.where(branch[:, None] < 0, np.nan, shares)


def _branch_of(rule: str, above: tuple[bool, ...]) -> int:
    if rule == "slabs":
        return sum(above)
    return int(all(above)) if rule == "both" else int(all(above) or not any(above))


def _half_space(planes: Planes, weights: Floats, offset: float, above: bool = True) -> HalfSpace:
    used = np.flatnonzero(weights)
    terms = zip(planes.columns[used].tolist(), planes.categories[used].tolist(), strict=True)
    return HalfSpace(tuple(terms), tuple(weights[used].tolist()), float(offset), above)


def _largest(planes: Planes, winner: int) -> list[HalfSpace]:
    """The score of a plane exceeds those before it and is not below those after it."""
    found = []
    for other in range(len(planes.offsets)):
        if other != winner:
            more, less = (winner, other) if other < winner else (other, winner)
            weights = planes.weights[more] - planes.weights[less]
            offset = planes.offsets[more] - planes.offsets[less]
            found.append(_half_space(planes, weights, offset, other < winner))
    return found
