"""Growth of a tree of separators: the most impure leaf is split first (MSMT, MSMT-MC).

A leaf of class weights n_1 ... n_k, n in all, holds the information

    -sum_c n_c log2(n_c / n)        (bits, weighted by its rows).

The leaf that holds most is split by a separator that sees its rows alone, into as many leaves as
its planes make of them; so on until every leaf is nearly pure or too small, or no split is left to
spend. Bennett (1993), sections 4.3 and 5.7.

- a leaf is asked once: where the separator fails, or its planes gain no information, it is closed;
- what a leaf's separator finds depends on its rows alone, so leaves can be asked side by side and
  the tree is the same. Only a budget of features makes them wait for each other.
"""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.special import entr
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from planetree.certificate import Certificate
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.planes import Planes
from planetree.separators import SparseSeparator
from planetree.table import Table
from planetree.tree.classifier import comparable
from planetree.tree.growth import Node, divide, freeze
from planetree.tree.separator.feature_budget import FeatureBudget
from planetree.tree.separator.leaf_separation import Seen, narrower_views, settled, whole_view
from planetree.tree.tree import Tree

__all__ = [
    "Attempt",
    "Grown",
    "Rules",
    "TreeGrower",
    "refuse_too_many_classes",
    "report",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

NO_GAIN = 1e-9  # bits a row
ROWS_A_TERM = 4  # twice as many as planes can divide at will


class Rules(NamedTuple):
    """How a tree is grown; the names are those of `SeparatorTreeClassifier`."""

    separator: Any
    max_splits: int
    min_samples_split: float | None
    min_impurity: float
    max_features_total: int | None
    charge_costs: bool


class Grown(NamedTuple):
    """A tree as grown, and a certificate for each of its splits in the order of their nodes."""

    tree: Tree
    certificates: list[Certificate]


class Attempt(NamedTuple):
    """What a separator made of a leaf: planes and what they divide it into, or an error."""

    planes: Planes
    children: list[Node]
    gain: float
    separator: Any


class TreeGrower:
    """Rows of classes, from which trees are grown.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    costs : array of shape (n_classes, n_classes)
        What it costs to take a row of one class for another: a leaf predicts what costs least.
    rules : Rules
    clock : Clock
        When its time is up, leaves stay leaves.
    """

    def __init__(
        self,
        table: Table,
        codes: Indices,
        costs: Floats,
        rules: Rules,
        clock: Clock = UNLIMITED,
    ) -> None:
        self.table = table
        self.codes = codes
        self.costs = costs
        self._compared = comparable(costs)
        self.rules = rules
        self.clock = clock

    def grow(self, rows: Indices, weights: Floats, n_jobs: int | None = None) -> Grown:
        """Tree of some rows."""
        root = self._node(rows, weights)
        budget = self._budget()
        n_workers = 1 if budget is not None else effective_n_jobs(n_jobs)
        waiting, n_left = [root] if self._may_split(root) else [], self.rules.max_splits
        attempts: dict[int, Attempt | Exception | None] = {}
        separators: dict[int, Any] = {}
        while waiting and n_left > 0 and not self.clock.is_over:
            waiting.sort(key=information, reverse=True)
            self._attempt_all(waiting[: min(n_workers, n_left)], attempts, budget, n_workers)
            leaf = waiting.pop(0)
            attempt = attempts.pop(id(leaf))
            if isinstance(attempt, Exception):
                report(attempt, leaf, is_root=leaf is root)
            elif attempt is not None and self._is_large_enough(leaf, attempt, leaf is root):
                n_left -= 1
                leaf.split, leaf.children = attempt.planes, attempt.children
                separators[id(leaf)] = attempt.separator
                waiting.extend(child for child in leaf.children if self._may_split(child))
                if budget is not None:
                    budget.spend(attempt.planes.features)
        return Grown(freeze(root), certificates(root, separators))

    def _budget(self) -> FeatureBudget | None:
        most = self.rules.max_features_total
        if most is None:
            return None
        return FeatureBudget(most, self.rules.separator, self.table.columns)

    def _node(self, rows: Indices, weights: Floats, parent: Node | None = None) -> Node:
        class_weights = np.bincount(self.codes[rows], weights, len(self.costs)).astype(np.float64)
        if parent is not None and class_weights.sum() == 0:
            label = parent.label
        else:
            label = int((class_weights @ self._compared).argmin())
        return Node(rows, weights, class_weights, label)

    def _may_split(self, node: Node) -> bool:
        large = node.weight >= (self.rules.min_samples_split or 0.0) and len(node.rows) > 1
        least = max(self.rules.min_impurity, NO_GAIN)
        return large and information(node) > least * node.weight

    def _is_large_enough(self, leaf: Node, attempt: Attempt, is_root: bool) -> bool:
        """Whether planes of so many terms, found from so few rows, mean anything."""
        given = is_root or self.rules.min_samples_split is not None
        return given or leaf.weight >= ROWS_A_TERM * (attempt.planes.n_terms + 1)

    def _attempt_all(
        self,
        leaves: list[Node],
        attempts: dict[int, Attempt | Exception | None],
        budget: FeatureBudget | None,
        n_workers: int,
    ) -> None:
        """Let a separator see each of some leaves that none has seen."""
        new = [leaf for leaf in leaves if id(leaf) not in attempts]
        if len(new) < 2:
            made = [self.attempt(leaf, budget) for leaf in new]
        else:
            calls = (delayed(self.attempt)(leaf, budget) for leaf in new)
            made = Parallel(n_jobs=n_workers, prefer="threads")(calls)
        attempts.update((id(leaf), attempt) for leaf, attempt in zip(new, made, strict=True))

    def attempt(
        self, leaf: Node, budget: FeatureBudget | None = None
    ) -> Attempt | Exception | None:
        """Best of what the separator makes of a leaf; None if nothing gains."""
        values = self.table.values[leaf.rows]
        whole = whole_view(values, leaf.weights, self.table.columns)
        if (whole.values == whole.values[0]).all():
            return None
        try:
            best = self._try_view(leaf, whole, budget)
            if whole.values is not values:
                best = self._try_narrower(leaf, whole, best, budget)
        except (SolverError, TimeoutError, ValueError) as error:
            return error
        return best if best.gain > NO_GAIN * leaf.weight else None

    def _try_narrower(
        self, leaf: Node, whole: Seen, best: Attempt, budget: FeatureBudget | None
    ) -> Attempt:
        """Best attempt with all or with fewer columns, for a leaf with missing values."""
        missing = np.isnan(self.table.values[leaf.rows])
        planes = best.separator.planes_
        for seen in narrower_views(whole, planes, missing, leaf.weights):
            if (seen.values == seen.values[0]).all():
                continue
            attempt = self._try_view(leaf, seen, budget)
            best = attempt if attempt.gain > best.gain * (1.0 + NO_GAIN) else best
        return best

    def _try_view(self, leaf: Node, seen: Seen, budget: FeatureBudget | None) -> Attempt:
        codes, table = self.codes[leaf.rows], Table(seen.values, self.table.columns)
        separator = self._separator(np.unique(codes))
        if budget is None:
            separator.fit(table, codes, sample_weight=leaf.weights)
        else:
            budget.fit(separator, table, codes, leaf.weights)
        values = self.table.values[leaf.rows]
        planes = settled(separator.planes_, values, seen.hidden)
        children = self._children(leaf, planes.branch(values), planes.n_branches)
        gain = information(leaf) - sum(information(child) for child in children)
        return Attempt(planes, children, gain if children else 0.0, separator)

    def _children(self, leaf: Node, branch: Indices, n_branches: int) -> list[Node]:
        """Leaves of a division; none if no row's branch is known."""
        if not (branch >= 0).any():
            return []
        parts = divide(branch, leaf.weights, n_branches)
        return [self._node(leaf.rows[places], weights, leaf) for places, weights in parts]

    def _separator(self, classes: Indices) -> Any:
        """Separator for some classes, with their costs."""
        separator = self._in_time(deepcopy(self.rules.separator))  # not fitted: a clone, but faster
        if not self.rules.charge_costs:
            return separator
        costs = self.costs[np.ix_(classes, classes)]
        inner = "separator__costs" if isinstance(separator, SparseSeparator) else "costs"
        return separator.set_params(**{inner: costs})

    def _in_time(self, separator: Any) -> Any:
        """The separator with the time that is left, if it can be told a limit."""
        left = self.clock.left
        if left is None or not hasattr(separator, "time_limit"):
            return separator
        own = separator.time_limit
        return separator.set_params(time_limit=max(1e-3, left if own is None else min(own, left)))


def information(node: Node) -> float:
    """Bits in the classes of a node's rows.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.growth import Node
    >>> from planetree.tree.separator.separator_growth import information
    >>> information(Node(np.arange(4), np.ones(4), np.array([2.0, 2.0]), 0))
    4.0
    """
    total = node.weight
    return float(total * entr(node.class_weights / total).sum() / np.log(2)) if total > 0 else 0.0


def refuse_too_many_classes(separator: Any, labels: list[Any]) -> None:
    """Raise if a separator is for two classes and there are more."""
    if len(labels) > 2 and not get_tags(separator).classifier_tags.multi_class:
        raise ValueError(
            f"Only binary classification is supported. {type(separator).__name__} separates "
            f"two classes, but y holds {len(labels)}: {labels}. For more than two, use "
            "RobustSeparator."
        )


def report(error: Exception, leaf: Node, is_root: bool) -> None:
    """A separator that refuses all rows was badly chosen; that it fails at a leaf can happen."""
    if is_root and isinstance(error, ValueError):
        raise error
    warnings.warn(
        f"A leaf of weight {leaf.weight:.6g} was not split: {error}",
        ConvergenceWarning,
        stacklevel=5,
    )


def certificates(root: Node, separators: dict[int, Any]) -> list[Certificate]:
    """Certificates of the splits of a tree, in the order of their nodes."""
    fitted = [separators[id(node)] for node in root.preorder() if not node.is_leaf]
    return [getattr(each, "certificate_", Certificate(type(each).__name__)) for each in fitted]
