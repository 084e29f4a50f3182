"""A fitted tree with all rows of a table in parts counted in its nodes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats
from planetree.distributed import Partitions
from planetree.distributed.engines import current_engine
from planetree.distributed.parts import FramePart, Part
from planetree.distributed.survey import counted_rows
from planetree.grading import improved_leaves
from planetree.planes import Planes
from planetree.progress import reading_display
from planetree.table import read_rows
from planetree.table.labels import read_classes
from planetree.table.training import codes_among
from planetree.tree.classifier import least_cost
from planetree.tree.graded_tree import laplace_tree
from planetree.tree.partitioned.finishing import AllRows
from planetree.tree.partitioned.reader import RowReader
from planetree.tree.tree import Tree

_OF_OTHER_ROWS = ("_grown", "unpruned_tree_", "validation_")


@dataclass(frozen=True, eq=False)
class _ModelPart:
    """A part that gives its rows as a model reads them."""

    source: Part
    model: Any
    target: Any
    weight: Any

    def with_rows(self, rows: Any) -> _ModelPart:
        """The same with its rows at hand."""
        return replace(self, source=FramePart(self.source.name, rows))

    def rows(self) -> tuple[Floats, NDArray[np.int32], Floats]:
        """Cells, class codes and weights of the rows that count."""
        X, labels, weights = counted_rows(self.source, self.target, self.weight)
        if len(labels) == 0:
            width = len(self.model.columns_)
            return np.empty((0, width)), np.empty(0, dtype=np.int32), weights
        found = read_classes(labels)
        codes = codes_among(found.labels, self.model.classes_)[found.codes].astype(np.int32)
        return np.ascontiguousarray(read_rows(self.model, X, missing=True)), codes, weights


@reading_display()
def recounted_model(model: Any, partitions: Partitions) -> Any:
    """A copy of a fitted tree whose nodes count all rows of a table in parts."""
    if not isinstance(partitions, Partitions):
        raise TypeError(
            "recount needs a table in parts: planetree.distributed.open_partitions(source, "
            f"target=...), but it was given a {type(partitions).__name__}."
        )
    own = copy.copy(model)
    own.__dict__ = {k: v for k, v in vars(model).items() if k not in _OF_OTHER_ROWS}
    parts = [
        _ModelPart(part, own, partitions.target, partitions.weight) for part in partitions.parts
    ]
    reader = RowReader(current_engine(), parts, 0, 0)
    other = copy.copy(own)
    other.tree_ = _recounted(model, AllRows(reader, len(model.classes_)))
    if hasattr(other, "rounded_tree_"):
        other.rounded_tree_ = other.tree_
    return other


def _recounted(model: Any, all_rows: AllRows) -> Tree:
    tree, costs, order = model.tree_, model._mistake_costs(), model._class_order()
    counts = all_rows.counts(tree)
    predicted = np.where(counts.any(axis=1), least_cost(counts, costs, order), tree.predicted)
    was_smoothed = tree.leaf_probabilities is not None
    none: Any = None  # errors are counted again
    tree = replace(
        tree, class_weights=counts, weights=counts.sum(axis=1), predicted=predicted, errors=none,
        leaf_probabilities=None,
    )  # fmt: skip
    if not was_smoothed:
        return tree
    spreads = [each.spread if isinstance(each, Planes) else 0.0 for each in tree.splits]
    if not any(spreads):
        return laplace_tree(tree)
    ones, zeros = np.ones(tree.n_nodes), np.zeros(tree.n_nodes)
    expected = partial(all_rows.expected(tree), np.array(spreads), ones, zeros)
    leaves = improved_leaves(tree, expected)
    predicted = least_cost(leaves, costs, order)
    return replace(tree, predicted=predicted, leaf_probabilities=leaves, errors=none)
