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
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.planes import Planes
from planetree.separators import SparseSeparator
from planetree.table import Table
from planetree.tree.growth import Grower, Node, fill_missing
from planetree.tree.impurity import entropy
from planetree.tree.separator.leaf_separation import FeatureBudget, hidden_columns, planes_for_tree

NO_GAIN = 1e-9  # bits a row: what rounding can make of a split that tells nothing
_ROWS_A_TERM = 4  # twice as many as planes can divide at will


class SplitRules(NamedTuple):
    """How a tree is grown; the names are those of `SeparatorTreeClassifier`."""

    separator: Any
    max_splits: int = 0
    min_samples_split: float | None = None
    min_impurity: float = 0.0
    max_features_total: int | None = None
    charge_costs: bool = False


class _Attempt(NamedTuple):
    """What a separator made of a leaf: planes, what they divide it into, and the bits they gain."""

    split: Planes
    children: list[Node]
    gain: float
    separator: Any


@dataclass(eq=False, kw_only=True)
class SeparatorGrower(Grower[Node]):
    """Grows trees whose decisions a separator makes.

    Parameters
    ----------
    rules : SplitRules
    """

    rules: SplitRules
    _root: Node | None = field(default=None, init=False)
    _budget: FeatureBudget | None = field(default=None, init=False)
    _attempts: dict[int, _Attempt | Exception | None] = field(default_factory=dict, init=False)

    def grow(self, rows: Indices, n_jobs: int | None = None) -> Node:
        """Root of a tree of some rows."""
        rules, most = self.rules, self.rules.max_features_total
        self._budget = None
        if most is not None:
            self._budget = FeatureBudget(most, rules.separator, self.table.columns)
        n_workers = 1 if self._budget is not None else effective_n_jobs(n_jobs)
        self.n_ahead: int = min(n_workers, rules.max_splits) - 1
        self._root = root = self.make_node(rows, self.weights[rows])
        self._attempts = {}
        for node in islice(self.best_first(root), rules.max_splits):
            if self._budget is not None and node.split is not None:
                self._budget.spend(node.split.features)
        return root

    def bound(self, node: Node) -> float | None:
        """Minus the information of a leaf that is large and impure enough to be split."""
        large = node.weight >= (self.rules.min_samples_split or 0.0) and len(node.rows) > 1
        least = max(self.rules.min_impurity, NO_GAIN)
        return -information(node) if large and information(node) > least * node.weight else None

    def priority(self, node: Node, candidate: _Attempt) -> float:
        """Minus the information of the leaf, whatever its decision gains."""
        return -information(node)

    def seek(self, node: Node, ahead: list[Node]) -> _Attempt | None:
        """What a separator makes of a leaf; those next in line are asked at the same time."""
        if id(node) not in self._attempts:
            new = [node, *(each for each in ahead if id(each) not in self._attempts)]
            self._attempts.update(zip(map(id, new), self._attempt_all(new), strict=True))
        attempt = self._attempts.pop(id(node))
        if isinstance(attempt, Exception):
            report_failure(attempt, node, is_root=node is self._root)
            return None
        if attempt is None:
            return None
        root, n_terms = node is self._root, attempt.split.n_terms
        return attempt if is_large_enough(self.rules, node.weight, n_terms, is_root=root) else None

    def _attempt_all(self, leaves: list[Node]) -> list[_Attempt | Exception | None]:
        if len(leaves) == 1:
            return [self._attempt(leaves[0])]
        calls = (delayed(self._attempt)(leaf) for leaf in leaves)
        made: list[Any] = Parallel(n_jobs=len(leaves), prefer="threads")(calls)
        return made

    def splitter(self, leaf: Node) -> Planes | None:
        """Planes of the separator for a leaf of another grower; None where it fails."""
        if self._root is None:  # the first leaf that is asked for
            self._root = leaf
        attempt = self.seek(leaf, [])
        return None if attempt is None else attempt.split

    def _attempt(self, leaf: Node) -> _Attempt | Exception | None:
        """Best of what the separator makes of a leaf; None if nothing gains."""
        values = self.table.values[leaf.rows]
        filled = fill_missing(values, leaf.weights, self.table.columns)
        if (filled == filled[0]).all():
            return None
        try:
            best = self._try(leaf, filled)
            if filled is not values:
                best = self._try_narrower(leaf, filled, best)
        except (SolverError, TimeoutError, ValueError) as error:
            return error
        return best if best.gain > NO_GAIN * leaf.weight else None

    def _try_narrower(self, leaf: Node, filled: Floats, best: _Attempt) -> _Attempt:
        """Best attempt with all or with fewer columns, for a leaf with missing values."""
        missing = np.isnan(self.table.values[leaf.rows])
        planes = best.separator.planes_
        for hidden in hidden_columns(filled, planes, missing, leaf.weights):
            seen = filled.copy()
            seen[:, hidden] = 0.0
            if (seen == seen[0]).all():
                continue
            attempt = self._try(leaf, seen, hidden)
            best = attempt if attempt.gain > best.gain * (1.0 + NO_GAIN) else best
        return best

    def _try(self, leaf: Node, seen: Floats, hidden: Indices | tuple[()] = ()) -> _Attempt:
        """What the separator makes of a leaf; of one class against the rest, the best."""
        codes = self.codes[leaf.rows]
        classes = np.unique(codes)
        if len(classes) <= 2 or takes_many_classes(self.rules.separator):
            return self._divide(leaf, seen, hidden, codes)
        sides = ((codes == c).astype(codes.dtype) for c in classes)
        attempts = [self._divide(leaf, seen, hidden, side) for side in sides]
        return max(attempts, key=lambda each: each.gain)

    def _divide(
        self, leaf: Node, seen: Floats, hidden: Indices | tuple[()], codes: Indices
    ) -> _Attempt:
        """What the separator makes of a leaf whose rows have these classes."""
        table, separator = Table(seen, self.table.columns), self._separator(leaf, codes)
        if self._budget is None:
            separator.fit(table, codes, sample_weight=leaf.weights)
        else:
            self._budget.fit(separator, table, codes, leaf.weights)
        planes = planes_for_tree(separator.planes_, self.table.values[leaf.rows], hidden)
        children = self.children(leaf, planes)
        gain = information(leaf) - sum(map(information, children)) if children else 0.0
        return _Attempt(planes, children, gain, separator)

    def _separator(self, leaf: Node, codes: Indices) -> Any:
        """Separator for some classes, with their costs; none where one stands against the rest."""
        classes = np.unique(self.codes[leaf.rows])
        against_rest = len(np.unique(codes)) < len(classes)
        costs = None if against_rest else self.costs[np.ix_(classes, classes)]
        return leaf_separator(self.rules, self.clock, costs)


def leaf_separator(rules: SplitRules, clock: Clock, costs: Floats | None) -> Any:
    """Separator for a leaf, with the time that is left and, if it charges them, its costs."""
    separator = deepcopy(rules.separator)  # not fitted: a clone, but faster
    left = clock.left
    if left is not None and hasattr(separator, "time_limit"):
        own = separator.time_limit
        separator.set_params(time_limit=max(1e-3, left if own is None else min(own, left)))
    if not rules.charge_costs or costs is None:
        return separator
    inner = "separator__costs" if isinstance(separator, SparseSeparator) else "costs"
    return separator.set_params(**{inner: costs})


def is_large_enough(rules: SplitRules, weight: float, n_terms: int, *, is_root: bool) -> bool:
    """Whether planes of so many terms, found from so few rows, mean anything."""
    given = is_root or rules.min_samples_split is not None
    return given or weight >= _ROWS_A_TERM * (n_terms + 1)


def information(node: Node) -> float:
    """Bits in the classes of a node's rows."""
    return float(entropy(node.class_weights)) / np.log(2)


def certificates(root: Node) -> list[Certificate]:
    """Certificates of the decisions below a root that a separator made, in preorder."""
    made = [node.candidate.separator for node in root.preorder() if not node.is_leaf]
    return [getattr(each, "certificate_", Certificate(type(each).__name__)) for each in made]


def check_separator(estimator: Any, separator: Any) -> None:
    """Raise unless an estimator was given a separator to split leaves with."""
    is_separator = hasattr(separator, "fit") and not isinstance(separator, type)
    if not is_separator or get_tags(separator).estimator_type != "classifier":
        raise ValueError(
            f"The 'separator' parameter of {type(estimator).__name__} must be a separator or None. "
            f"Got {separator!r} instead."
        )


def takes_many_classes(separator: Any) -> bool:
    """Whether a separator takes more than two classes at once."""
    return bool(get_tags(separator).classifier_tags.multi_class)


def report_failure(error: Exception, leaf: Node, is_root: bool) -> None:
    """A separator that refuses all rows was badly chosen; that it fails at a leaf can happen."""
    if is_root and isinstance(error, ValueError):
        raise error
    warnings.warn(
        f"A leaf of weight {leaf.weight:.6g} was not split: {error}",
        ConvergenceWarning,
        stacklevel=7,
    )
