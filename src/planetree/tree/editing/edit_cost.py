"""What edits cost: the edited tree against the free one, on the training rows and across folds.

The objective is what growing a tree minimizes: the entropy that its leaves leave and the price of
its terms, in nats. For the cross-validated error, the edits are made again on the rows of each fold
(`replanted`), and the free tree is fitted to them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from planetree.arrays import Floats, Indices
from planetree.table import Table
from planetree.table.partitions import deal_folds
from planetree.tree.classifier import least_cost
from planetree.tree.constraints.required_columns import UnreadColumnsError
from planetree.tree.editing.edited_tree import EditNode
from planetree.tree.editing.editing_rows import EditingRows
from planetree.tree.editing.subtrees import replanted
from planetree.tree.graded_tree import recounted
from planetree.tree.impurity import entropy
from planetree.tree.tree import Tree

_N_FOLDS = 5  # a person waits for them: half of what figures are counted on elsewhere


class EditCost(NamedTuple):
    """Figures of the edited tree, and of the one without edits.

    Parameters
    ----------
    objective, free_objective : float
        Entropy that the leaves leave plus the price of the terms, in nats.
    training_error, free_training_error : float
    cross_validated_error, free_cross_validated_error : float
    """

    objective: float
    free_objective: float
    training_error: float
    free_training_error: float
    cross_validated_error: float
    free_cross_validated_error: float

    def __str__(self) -> str:
        lines = [
            f"objective              {self.objective:10.2f} {self.free_objective:10.2f}",
            f"training error         {self.training_error:10.2%} {self.free_training_error:10.2%}",
            f"cross-validated error  {self.cross_validated_error:10.2%} "
            f"{self.free_cross_validated_error:10.2%}",
        ]
        return "\n".join([f"{'':22} {'edited':>10} {'free':>10}", *lines])


def tree_cost(rows: EditingRows, tree: Tree) -> float:
    """Entropy that the leaves of a tree leave of training rows, plus the price of its terms."""
    leaves = recounted(tree, rows.labeled).class_weights[tree.n_branches == 0]
    return float(entropy(leaves).sum()) + rows.grower.pricing.of_term * tree.n_terms


def tree_error(rows: EditingRows, tree: Tree) -> float:
    """Share of the training weight that a tree gets wrong, as `predict` counts."""
    X, codes, weights, *_ = rows.labeled
    return float(weights @ (_answers(rows, tree, X) != codes) / weights.sum())


def _answers(rows: EditingRows, tree: Tree, X: Floats) -> Indices:
    shares = tree.distribution(X, graded=rows.model.grading_ == "soft")
    return least_cost(shares, rows.labeled.costs, rows.labeled.order)


def cross_validated_errors(
    model: Any, table: Table, codes: Indices, weights: Floats, root: EditNode
) -> tuple[float, float]:
    """Error on unseen rows of a model with edits, and of one without.

    Folds whose rows have no tree that reads what is required are skipped; NaN where all are.
    """
    folds, wrong, tried = deal_folds(table.values, codes, _N_FOLDS), np.zeros(2), 0.0
    for fold in range(_N_FOLDS):
        train = folds != fold
        if not train.any() or train.all():
            continue
        try:
            free = clone(model).fit(
                table.take(train), model.classes_[codes[train]], sample_weight=weights[train]
            )
        except UnreadColumnsError:
            continue
        test, labels = table.take(~train), model.classes_[codes[~train]]
        answers = [_edited_answers(model, free, table, codes, weights, train, root)]
        answers.append(free.predict(test))
        wrong += [float(weights[~train] @ (each != labels)) for each in answers]
        tried += float(weights[~train].sum())
    edited, free_error = (wrong / tried if tried else np.full(2, np.nan)).tolist()
    return edited, free_error


def _edited_answers(
    model: Any,
    free: Any,
    table: Table,
    codes: Indices,
    weights: Floats,
    train: Any,
    root: EditNode,
) -> Any:
    """Answers to held-out rows of the edits made again on the others."""
    place = {label: code for code, label in enumerate(free.classes_.tolist())}
    own = np.array([place.get(label, 0) for label in model.classes_.tolist()])
    rows = EditingRows.of(free, table.take(train), own[codes[train]], weights[train])
    relabeled = root.each(lambda node: replace(node, predicted=int(own[node.predicted])))
    tree = rows.finished(replanted(rows, relabeled, rows.whole), rows.whole).tree()
    return free.classes_[_answers(rows, tree, table.values[~train])]
