"""The multisurface method: pairs of parallel planes until every training row is separated (MSM).

The rows of A are the points left of one class, the rows of B those of the other. Each step takes
the widest pair of parallel planes between them (`MaxNormSeparator`),

    alpha = min_i A_i w,    beta = max_k B_k w,    |w|_inf = 1,    alpha - beta as large as can be.

Every row left with w.x > beta is of A, every row with w.x < alpha of B: these are cut off, and the
rest goes on to the next pair. Once alpha > beta the pair coalesces into one plane, midway, and all
is separated. So p pairs have 2p - 1 planes. Bennett (1993), sections 2.2 to 2.5.

The widest pair may cut off no row: on bits it often does. Rule against degeneracy: then, of the
normals that cut off a single row from the hull of the other class by the largest distance, the one
that cuts off the most weight of rows is taken.

Every step cuts off at least one row, so there are at most as many pairs as rows, and all training
rows are classified rightly if none stands in both classes. Proof: let x be a vertex of the hull of
all rows left. It is not in the hull of the other rows, so not in that of the rows of the other
class, and then some w has a score of x beyond all of theirs: that w is among the candidates. No
step but the last takes all rows of a class, for the row of score alpha is not above beta unless
the planes separate.

- a classifier with `max_pairs=q` begins with the first q - 1 pairs of the whole one;
- thresholds lie midway between the scores beside them. As published they are alpha and beta
  themselves, so a row between them and the rows cut off goes with those; and w belongs to the raw
  columns, so units matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, Mask, midway
from planetree.certificate import Certificate
from planetree.clock import Clock, warn_of_time_limit
from planetree.parameters import GAP_FILLING, choice, count, flag, optional, parameter
from planetree.planes import Planes
from planetree.separators.base import ShownInWords, missing_line, refuse_more_classes
from planetree.separators.max_norm import Pair, best_pair
from planetree.separators.problem import Problem, read_canonical, takes_gaps, to_planes
from planetree.solvers import hull_distance, max_norm_planes
from planetree.table import all_or_nothing, different, read_rows
from planetree.tree.text import to_sentences
from planetree.tree.tree import Tree
from planetree.words import wording_of


class _Surface(NamedTuple):
    """A pair of planes, or the last plane, by a normal and its offsets from below."""

    weights: Floats
    offsets: Floats


@dataclass(eq=False, repr=False, kw_only=True)
class MultisurfaceClassifier(ClassifierMixin, ShownInWords):
    """Multisurface method (MSM): pairs of parallel planes until every training row is separated.

    Parameters
    ----------
    max_pairs : int, optional
        Maximum number of pairs; the last pair becomes one plane even if it does not separate. By
        default, continue until every row is separated.
    conflicts : {"error", "majority"}
        What to do with rows that are in both classes: raise an error, or assign them to the class
        with more weight.
    time_limit : float, optional
        Seconds after which to stop with a `TimeLimitWarning`; the last pair becomes one plane.
    normalize : bool
        Whether columns are normalized, so that units do not matter; the thesis does not normalize
        them.
    thresholds : {"midway", "published"}
        Planes of a pair lie midway to the rows that they cut off, or at alpha and beta, as in the
        thesis, shifted by 1e-9 of the scores' spread so that rounding does not decide.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    tree_ : Tree
        A chain of decisions: below, between and above each pair; the last has one plane.
    certificates_ : list of Certificate
        How each decision was found, in preorder.
    n_pairs_, n_planes_ : int
        p and 2p - 1.
    separable_ : bool
        Whether every training row is classified correctly, except rows in both classes.
    status_ : {"complete", "time_limit"}
        Whether the time limit ended the search.
    n_programs_, n_iter_ : int
        Linear programs solved, and their steps.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.

    Examples
    --------
    >>> from planetree import MultisurfaceClassifier
    >>> from planetree.datasets import parity
    >>> X, y = parity(3)
    >>> model = MultisurfaceClassifier().fit(X, y)
    >>> model.score(X, y), model.n_pairs_, model.n_planes_
    (1.0, 2, 3)
    """

    max_pairs: int | None = parameter(None, optional(count(1)))
    conflicts: str = parameter("error", choice("error", "majority"))
    time_limit: float | None = None
    normalize: bool = parameter(True, flag())
    thresholds: str = parameter("midway", choice("midway", "published"))
    missing: str = parameter("refuse", GAP_FILLING)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultisurfaceClassifier:
        """Find the pairs.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
            Two classes.
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        problem, rows = read_canonical(self, X, y, sample_weight)
        others = "RobustSeparator, C45Classifier or SeparatorTreeClassifier"
        refuse_more_classes(self, others)
        terms = zip(*(each.tolist() for each in problem.terms), strict=True)
        scales = dict(zip(terms, problem.scale.tolist(), strict=True))
        if not self.normalize:
            center, scale = np.zeros(len(problem.scale)), np.ones(len(problem.scale))
            problem = problem._replace(center=center, scale=scale)
        self.n_programs_ = self.n_iter_ = 0
        kept = self._settle_conflicts(problem)
        surfaces = self._surfaces(
            problem.normalized[kept], problem.codes[kept] == 1, problem.weights[kept], clock
        )
        self.n_pairs_: int = len(surfaces)
        self.n_planes_: int = max(0, 2 * len(surfaces) - 1)
        splits = [
            to_planes(np.tile(each.weights, (len(each.offsets), 1)), each.offsets, problem)
            for each in surfaces
        ]
        self.tree_: Tree = _chain(splits, problem).in_classes(rows.order)
        self._scales = scales
        self.status_ = "time_limit" if clock.is_over and not self.separable_ else "complete"
        if self.status_ == "time_limit":
            warn_of_time_limit("the last pair of planes was coalesced")
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row."""
        rows = self._read(X)
        return self.classes_[self.tree_.predicted[self.tree_.apply(rows)]]

    def to_text(self, digits: int | None = None) -> str:
        """Chain of decisions in sentences, with names, and the weights of its training rows.

        Parameters
        ----------
        digits : int, optional
            Significant digits of the numbers; four by default.
        """
        check_is_fitted(self, "tree_")
        wording = wording_of(self, digits)
        chain = to_sentences(self.tree_, self.classes_.tolist(), wording)
        return "\n".join([chain, *missing_line(wording, self.tree_.features.tolist())])

    @property
    def certificates_(self) -> list[Certificate]:
        """How each decision was found, in preorder."""
        check_is_fitted(self, "tree_")
        kind = "widest pair of parallel planes, by linear programs"
        return [Certificate(kind)] * self.tree_.n_decisions

    def apply(self, X: Any) -> Indices:
        """Number of the leaf of `tree_` that each row reaches."""
        rows = self._read(X)
        return self.tree_.apply(rows)

    def _surfaces(self, X: Floats, above: Mask, rows: Floats, clock: Clock) -> list[_Surface]:
        surfaces: list[_Surface] = []
        last: _Surface | None = None
        self.separable_: bool = True
        while above.any() and not above.all():
            if clock.is_over:
                self.separable_ = False
                return [*surfaces[:-1], last] if last is not None else []
            solution = max_norm_planes(X[above], X[~above], clock.left)
            self.n_programs_ += solution.n_programs
            self.n_iter_ += solution.n_iterations
            pair = best_pair(solution.weights, X, above, rows)
            self.separable_ = solution.separable
            offset = midway(pair.scores, (pair.alpha + pair.beta) / 2.0)
            last = _Surface(pair.weights, np.array([offset]))
            if solution.separable or len(surfaces) + 1 == self.max_pairs:
                return [*surfaces, last]
            if not pair.cut.any():
                normals = self._single_cuts(X, above, clock)
                if clock.is_over or not len(normals):  # none beyond the rounding of the rows
                    return [*surfaces, last]
                pair = best_pair(normals, X, above, rows)
            published = self.thresholds == "published"
            offsets = _published_offsets(pair) if published else _outer_offsets(pair, above)
            surfaces.append(_Surface(pair.weights, offsets))
            X, above, rows = X[~pair.cut], above[~pair.cut], rows[~pair.cut]
        return surfaces

    def _single_cuts(self, X: Floats, above: Mask, clock: Clock) -> Floats:
        """For each row the normal that has it farthest beyond the other class, where one has."""
        normals = []
        for x, is_above in zip(X, above, strict=True):
            if clock.is_over:
                break
            distance, w = hull_distance(x, X[above != is_above])
            self.n_programs_ += 1
            if distance > 0:
                normals.append(w if is_above else -w)
        return np.array(normals)

    def _settle_conflicts(self, problem: Problem) -> Mask:
        """Rows to learn from: of rows in both classes none, or the one with more weight."""
        _, group = different(problem.E)
        totals = np.zeros((group.max() + 1, 2))
        totals[group, problem.codes] = problem.weights
        clash: Mask = np.all(totals > 0, axis=1)
        if clash.any() and self.conflicts == "error":
            first = int(np.argmax(clash[group]))
            raise ValueError(
                f"{int(clash.sum())} row(s) appear in both classes, such as "
                f"{problem.E[first].tolist()[:8]} (indicators of categories as 0 and 1), and no "
                "planes can separate these. Set conflicts='majority', or remove them."
            )
        return totals.argmax(axis=1)[group] == problem.codes

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "tree_")
        return read_rows(self, X, sparse=True)

    def __sklearn_tags__(self) -> Tags:
        """Say that more than two classes are refused, and which rows are taken."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = takes_gaps(self)
        return tags


def _outer_offsets(pair: Pair, above: Mask) -> Floats:
    """Offsets of a pair: midway to the rows it cuts off, half its width away if there are none."""
    width = max(pair.beta - pair.alpha, 0.01 * float(np.ptp(pair.scores)))  # hulls may just touch
    beyond, before = pair.scores[pair.cut & above], pair.scores[pair.cut & ~above]
    high = float(beyond.min()) if len(beyond) else pair.beta + width
    low = float(before.max()) if len(before) else pair.alpha - width
    return np.array([(pair.alpha + low) / 2.0, (pair.beta + high) / 2.0])


def _published_offsets(pair: Pair) -> Floats:
    """Offsets alpha and beta, a hair apart so that the rows on them are in between."""
    return np.array([pair.alpha - pair.slack, pair.beta + pair.slack])


def _chain(splits: list[Planes], problem: Problem) -> Tree:
    """Tree of pairs, each with leaves below and above and the next one between.

    Decision i is node 2i and its lower leaf the next; the upper leaves of all come last, from the
    innermost out.
    """
    p = len(splits)
    weights = np.zeros((max(1, 3 * p), 2))
    nodes: list[Planes | None] = [None] * len(weights)
    predicted, children = np.zeros(len(weights), dtype=np.intp), []
    rows = np.arange(len(problem.E))

    def count(rows: Indices) -> Floats:
        return np.bincount(problem.codes[rows], problem.weights[rows], 2).astype(np.float64)

    weights[0] = count(rows)
    for i, split in enumerate(splits):
        last = i == p - 1
        ways = [2 * i + 1, 2 * i + 2] if last else [2 * i + 1, 2 * i + 2, 3 * p - 1 - i]
        nodes[2 * i] = split
        children.extend(ways)
        branch = Planes(split.weights, split.offsets).branch(problem.E[rows])
        for b, node in enumerate(ways):
            weights[node] = count(rows[branch == b])
        predicted[ways[-1]] = 1
        rows = rows[branch == 1]
    inner = np.array([node is not None or p == 0 for node in nodes])
    predicted[inner] = weights[inner].argmax(axis=1)
    n_branches = np.array([0 if node is None else node.n_branches for node in nodes])
    return Tree(nodes, n_branches, np.array(children), weights, predicted, weights.sum(axis=1))
