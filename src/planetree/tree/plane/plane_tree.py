"""The readable tree: the smallest tree of sparse planes that is as accurate as anything readable.

Grown best first (`plane_growth`): the leaf whose best decision removes the most entropy is split
next. Among the candidates of a node (`candidates`) the one with the least

    entropy left + size_price * terms * (ln(all terms) + ln(rows) / 2) + cost of search

wins, in nats; where none pays, two planes in one decision are tried (`pairs`). The grown tree is
pruned by the same prices (`pruning_by_price`), then each decision is sought again with the rest of
the tree known (`alternating`).

- no randomness and no inner cross-validation: the same rows in any order give the same tree;
- a whole weight is that many rows;
- a row with a missing value that a decision needs takes both branches, as in every tree here.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from planetree.certificate import Certificate
from planetree.clock import Clock, warn_of_time_limit
from planetree.planes import Planes, encode
from planetree.table import (
    Canonical,
    all_or_nothing,
    canonical,
    read_class_weight,
    read_costs,
    read_training,
)
from planetree.tree.classifier import TreeClassifier
from planetree.tree.growth import freeze
from planetree.tree.plane.alternation import alternate
from planetree.tree.plane.candidates import Searcher, entropy
from planetree.tree.plane.plane_growth import Grower, PlaneNode, bounded
from planetree.tree.plane.plane_search import Rows
from planetree.tree.plane.prices import (
    Pricing,
    close_equal_leaves,
    prune_by_price,
    weakest_price,
)
from planetree.tree.plane.rounding import round_planes
from planetree.tree.tree import Tree
from planetree.words import term_scales

__all__ = ["PathStep", "PlaneTreeClassifier"]

Floats = NDArray[np.float64]

SIZES = {"smallest": 1.5, "balanced": 0.75, "accurate": 0.375}
MAX_DEPTH = 6
MIN_WEIGHT = 2.0  # of a leaf
PROBE = 64  # rows by which most columns differ


class PathStep(NamedTuple):
    """One tree of the sequence from the root leaf to the full tree.

    Parameters
    ----------
    size_price : float
        The lowest price at which pruning gives this tree.
    entropy : float
        What its leaves leave of the training entropy, in nats times weight.
    n_terms, n_leaves : int
    tree : Tree
    """

    size_price: float
    entropy: float
    n_terms: int
    n_leaves: int
    tree: Tree


class PlaneTreeClassifier(TreeClassifier):
    """The readable tree: few decisions, few features in each, no accuracy lost.

    Parameters
    ----------
    max_splits : int
        Most decisions of the grown tree.
    max_features_per_split : int
        Most terms of one decision.
    max_features_total : int, optional
        Most columns that all decisions together may read.
    size_price : float
        What a term must be worth: higher for smaller trees.
    size : {"smallest", "balanced", "accurate"}, optional
        `size_price` in a word: 1.5, 0.75 or 0.375.
    class_weight : dict, "balanced" or None
        As in scikit-learn.
    costs : array of shape (n_classes, n_classes), optional
        What it costs to take a row of one class (row) for another (column).
    monotonic_cst : array of shape (n_columns,) or dict, optional
        1 where more of a column may only raise the share of `classes_[1]`, -1 where only lower it;
        two classes.
    random_state, n_jobs
        Accepted for uniformity: nothing is drawn at random, and the tree is the same for any
        number of jobs.
    time_limit : float, optional
        Seconds after which growing ends with the tree found so far and a `TimeLimitWarning`:
        nodes that were not split yet are leaves.

    Attributes
    ----------
    tree_ : Tree
    rounded_tree_ : Tree
        The same with weights of the fewest digits that send every training row the same way.
    path_ : list of PathStep
        Nested trees from the root leaf to the full tree.
    certificates_ : list of Certificate
        How each decision was found, in preorder; bounds are true in exact arithmetic.
    costs_ : array of shape (n_classes, n_classes)
        What `predict` minimizes: `costs`, or 1 for every mistake.
    n_terms_, n_leaves_, n_features_used_ : int
    features_used_ : array of int
    status_ : {"complete", "time_limit"}
        Whether growing came to its end.
    class_order_ : array of shape (n_classes,)
        Class codes in the order in which ties between classes are decided: the heaviest first.
    classes_, columns_, n_features_in_, feature_names_in_
        As of every estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import PlaneTreeClassifier
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = PlaneTreeClassifier(size="smallest").fit(data.data, data.target_names[data.target])
    >>> model.n_terms_, model.n_leaves_
    (3, 2)
    """

    _digits = 7  # of weights in words: those of `rounded_tree_` have no more, but for a few

    def __init__(
        self,
        max_splits: int = 15,
        max_features_per_split: int = 5,
        max_features_total: int | None = None,
        size_price: float = 0.75,
        class_weight: Any = None,
        costs: Any = None,
        monotonic_cst: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        size: str | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.max_splits = max_splits
        self.max_features_per_split = max_features_per_split
        self.max_features_total = max_features_total
        self.size_price = size_price
        self.size = size
        self.class_weight = class_weight
        self.costs = costs
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PlaneTreeClassifier:
        """Grow, prune and improve the tree.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        price, clock = self._price(), Clock(self.time_limit)
        table, codes, weights = read_training(self, X, y, sample_weight, missing=True)
        self.costs_ = read_costs(self.costs, self.classes_)
        rows = canonical(table, codes, weights, n_classes=len(self.classes_))
        grower = self._grower(rows, price, clock)
        grown = grower.grow()
        grower.orient(grown)
        steps = path(grown, grower)
        root = grown.copy()
        prune_by_price(root, grower.pricing)
        close_equal_leaves(root)
        if not grower.searcher.signs.any():
            alternate(root, grower, term_charge(price))
            grower.orient(root)
        self._scales = term_scales(table, weights)
        self.class_order_ = rows.order
        self.path_ = [step._replace(tree=step.tree.of_table(rows)) for step in steps]
        self._set_tree(root, rows, clock)
        self.status_ = "time_limit" if clock.is_over else "complete"
        if clock.is_over:
            warn_of_time_limit("nodes that were not split yet are leaves")
        return self

    def _grower(self, rows: Canonical, price: float, clock: Clock) -> Grower:
        table, order = rows.table, rows.order
        terms = table.terms()
        E = np.ascontiguousarray(encode(table.values, terms.columns, terms.categories))
        weights = self._balanced(rows)
        costs = self.costs_[np.ix_(order, order)]
        signs = self._signs()[rows.columns] * (1.0 if order[-1] == len(order) - 1 else -1.0)
        n_categories = np.array([len(c.categories or ()) for c in table.columns])
        searcher = Searcher(
            terms.columns,
            terms.categories,
            n_categories,
            len(self.classes_),
            self.max_features_per_split,
            signs[terms.columns],
            MIN_WEIGHT,
            clock,
        )
        usable = distinct(E)
        unit = np.log(max(1, usable.sum())) + np.log(weights.sum()) / 2
        total = self.max_features_total
        return Grower(
            rows=Rows(E, table.values, rows.codes, weights, rows.draws),
            searcher=searcher,
            pricing=Pricing(max(unit, 1e-3), price),
            costs=costs,
            max_splits=self.max_splits,
            max_depth=MAX_DEPTH,
            max_columns=len(table.columns) if total is None else total,
            usable=usable,
        )

    def _set_tree(self, root: PlaneNode, rows: Canonical, clock: Clock) -> None:
        nodes = root.all_nodes()
        decisions = [node for node in nodes if node.candidate is not None]
        self.certificates_ = [
            node.candidate.certificate(clock.left_to_finish)
            for node in decisions
            if node.candidate is not None
        ]
        for node in nodes:
            node.class_weights = bounded(node)
        self.tree_ = freeze(root).of_table(rows)
        self.rounded_tree_ = rounded(self.tree_, nodes, rows)

    def select(self, n_terms: int) -> PlaneTreeClassifier:
        """Another member of `path_`: the largest tree with at most so many terms.

        Its `certificates_` prove nothing: figures are kept for the tree of `fit` alone.

        Parameters
        ----------
        n_terms : int
        """
        check_is_fitted(self, "tree_")
        fitting = [step for step in self.path_ if step.n_terms <= n_terms]
        if not fitting:
            raise ValueError(f"n_terms must not be negative, but it is {n_terms!r}.")
        other = copy.copy(self)
        other.tree_ = other.rounded_tree_ = max(fitting, key=lambda step: step.n_terms).tree
        n_decisions = other.tree_.n_nodes - other.tree_.n_leaves
        other.certificates_ = [
            Certificate("a tree of the path, of which none is kept")
        ] * n_decisions
        return other

    def round_weights(self) -> PlaneTreeClassifier:
        """The same classifier with the weights of `rounded_tree_`."""
        check_is_fitted(self, "tree_")
        other = copy.copy(self)
        other.tree_ = self.rounded_tree_
        return other

    def _price(self) -> float:
        if self.size is not None and self.size not in SIZES:
            raise ValueError(f"size must be one of {tuple(SIZES)} or None, not {self.size!r}.")
        price = self.size_price if self.size is None else SIZES[self.size]
        if not (isinstance(price, (int, float, np.number)) and 0 <= price < np.inf):
            raise ValueError(f"size_price must be a number not below 0, but it is {price!r}.")
        for name in ("max_splits", "max_features_per_split", "max_features_total"):
            value, least = getattr(self, name), 0 if name == "max_splits" else 1
            if name == "max_features_total" and value is None:
                continue
            if not (isinstance(value, (int, np.integer)) and value >= least):
                raise ValueError(f"{name} must be a whole number from {least} on, not {value!r}.")
        return float(price)

    def _balanced(self, rows: Canonical) -> Floats:
        """Weights times those of the classes, their sum kept."""
        codes, weights = rows.codes, rows.weights
        factors = read_class_weight(self.class_weight, self.classes_[rows.order], codes, weights)
        weighted = weights * factors[codes]
        return weighted * (weights.sum() / weighted.sum())

    def _signs(self) -> Floats:
        n, given = len(self.columns_), self.monotonic_cst
        signs = np.zeros(n)
        if given is None:
            return signs
        if isinstance(given, Mapping):
            names = [column.name for column in self.columns_]
            for name, sign in given.items():
                if name not in names:
                    raise ValueError(f"monotonic_cst names {name!r}, but the columns are {names}.")
                signs[names.index(name)] = sign
        else:
            signs = np.array(given, dtype=float)
        if signs.shape != (n,) or not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(f"monotonic_cst must hold -1, 0 or 1 for each of {n} columns.")
        if signs.any() and len(self.classes_) > 2:
            raise ValueError(
                f"monotonic_cst needs two classes, but y holds {len(self.classes_)}: "
                f"{self.classes_.tolist()}."
            )
        return signs


def rounded(tree: Tree, nodes: list[PlaneNode], rows: Canonical) -> Tree:
    """The tree with weights of few digits: no row of any node changes its branch."""
    splits = []
    for split, node in zip(tree.splits, nodes, strict=True):
        if isinstance(split, Planes):
            at = np.argsort(rows.columns)[split.features]
            X = np.zeros((len(node.rows), len(rows.columns)))
            X[:, split.features] = np.ldexp(rows.table.values[node.rows][:, at], rows.exponents[at])
            split = round_planes(split, X)
        splits.append(split)
    return replace(tree, splits=tuple(splits))


def distinct(E: Floats) -> NDArray[np.bool_]:
    """Which terms tell rows apart, each once: not the constant ones, nor copies of others."""
    usable: NDArray[np.bool_] = np.fmin.reduce(E, axis=0) < np.fmax.reduce(E, axis=0)
    alike: dict[bytes, list[int]] = {}  # terms that begin alike
    for j in np.flatnonzero(usable).tolist():
        before = alike.setdefault((E[:PROBE, j] + 0.0).tobytes(), [])
        usable[j] = not any(np.array_equal(E[:, j], E[:, i], equal_nan=True) for i in before)
        before.append(j)
    return usable


def term_charge(price: float) -> float:
    """Errors that a term must save in the alternating pass: 1 when balanced, 3 when smallest."""
    return float((price / SIZES["balanced"]) ** np.log2(3.0))


def path(grown: PlaneNode, grower: Grower) -> list[PathStep]:
    """Nested trees of rising size: each is the next one with its weakest nodes closed."""
    root, unit, price = grown.copy(), grower.pricing.unit, 0.0
    steps = []
    while True:
        tree = freeze(root)
        leaves = [node.class_weights for node in root.preorder() if node.is_leaf]
        left = float(entropy(np.array(leaves)).sum())
        steps.append(PathStep(price, left, tree.n_terms, tree.n_leaves, tree))
        if root.is_leaf:
            return steps[::-1]
        price = max(price, weakest_price(root, unit))
        before = tree.n_leaves
        prune_by_price(root, Pricing(unit, price * (1 + 1e-12) + 1e-15))
        if freeze(root).n_leaves == before:
            return steps[::-1]
