"""A tree that an expert questions and changes, without losing what is proved of it.

Each edit makes a new fitted model; those before it never change. It changes the subtree at one node
and nothing else: decisions, thresholds, spreads and probabilities of all other nodes keep every
bit. Within the subtree, what the program finds is found, rounded and graded as in `fit`; what a
person gives in full, a plane or a cut, stays exactly as given, and only how sure it is is fitted.

- nodes are numbered as in `model_.tree_`: the root is 0, a node comes before its children;
- a decision that a person chose has a certificate that begins 'set by hand'; where a program found
  its weights, what is proved of them follows;
- an edit that cannot be made raises, and nothing changes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from planetree.parameters import check_argument, choice, count, number
from planetree.table import Table, read_labels, read_rows, read_weights
from planetree.tree.editing.alternatives import (
    Alternative,
    NearEqualTree,
    Unseen,
    decision_words,
    find_alternatives,
    is_present,
    new_alternative,
    searched_cost,
)
from planetree.tree.editing.edit_cost import (
    EditCost,
    cross_validated_errors,
    tree_cost,
    tree_error,
)
from planetree.tree.editing.edited_tree import EditNode, nested
from planetree.tree.editing.editing_rows import EditingRows, TreePart
from planetree.tree.editing.subtrees import below_decision, decided, grown_around_locks
from planetree.tree.editing.tree_stability import Stability, stability
from planetree.tree.editing.typed_decision import column_set
from planetree.tree.plane.plane_tree import PlaneTreeClassifier
from planetree.tree.score_sheet.sheet_search import SheetRows
from planetree.tree.text import count_text
from planetree.tree.tree import refuse_products

_BELOW = {
    "grow": "what is below it was grown again",
    "keep": "what is below it was kept",
    "close": "its branches are leaves",
}


class _State(NamedTuple):
    root: EditNode
    model: PlaneTreeClassifier
    sentence: str


class TreeEditor:
    """Questions and changes a fitted tree; `model_` is the model after the last edit.

    Parameters
    ----------
    model : PlaneTreeClassifier
        Fitted.
    X, y, sample_weight
        The rows that it was fitted to.

    Attributes
    ----------
    model_ : PlaneTreeClassifier
        It predicts, explains, exports and saves like any other. Its `edits_` say what was edited,
        `certificates_` which decisions were set by hand, `locked_` which nodes are locked, in
        model files too; `path_` is that of the first model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import PlaneTreeClassifier, TreeEditor
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    >>> model = editor.replace(0, "petal length (cm) > 2.5")
    >>> model.certificates_[0].kind
    'set by hand'
    >>> editor.history
    ['Node 0: petal length (cm) > 2.5; what is below it was grown again.']
    >>> editor.undo() is editor.model_
    True
    """

    def __init__(
        self, model: PlaneTreeClassifier, X: Any, y: Any, sample_weight: Any = None
    ) -> None:
        if not isinstance(model, PlaneTreeClassifier):
            raise TypeError(
                f"TreeEditor edits a PlaneTreeClassifier, but model is a {type(model).__name__}."
            )
        check_is_fitted(model, "tree_")
        refuse_products(model.tree_, type(model).__name__, "editing")
        cells = read_rows(model, X, missing=True)
        codes = read_labels(model, y, len(cells))
        weights = read_weights(sample_weight, len(cells))
        self._table = Table(cells[weights > 0], model.columns_)
        self._codes, self._weights = codes[weights > 0], weights[weights > 0]
        self._rows = EditingRows.of(model, self._table, self._codes, self._weights)
        self._refuse_other_rows(model)
        locked = np.isin(np.arange(model.tree_.n_nodes), getattr(model, "locked_", [])).tolist()
        root = nested(model.tree_, model.rounded_tree_, model.certificates_, locked=locked)
        self._states, self._at = [_State(root, model, "")], 0

    def _refuse_other_rows(self, model: PlaneTreeClassifier) -> None:
        """Raise unless the rows weigh what those of the model did."""
        _, codes, weights, *_ = self._rows.labeled
        found = np.bincount(codes, weights, len(model.classes_))
        had = model.tree_.class_weights[0]
        if not np.allclose(found, had, rtol=1e-6, atol=1e-6) and not self._rows.monotonic.holds:
            raise ValueError(
                "X, y and sample_weight are not the rows that the model was fitted to: classes "
                f"{model.classes_.tolist()} weigh {found.round(3).tolist()}, but weighed "
                f"{had.round(3).tolist()}. Pass the training rows, or fit a model to these."
            )

    @property
    def model_(self) -> PlaneTreeClassifier:
        """The model after the last edit."""
        return self._state.model

    @property
    def history(self) -> list[str]:
        """A sentence for each edit that holds."""
        return [state.sentence for state in self._states[1 : self._at + 1]]

    @property
    def _state(self) -> _State:
        return self._states[self._at]

    def undo(self) -> PlaneTreeClassifier:
        """Go back to the model before the last edit."""
        if self._at == 0:
            raise ValueError("There is no edit to undo.")
        self._at -= 1
        return self.model_

    def redo(self) -> PlaneTreeClassifier:
        """Make the edit again that was undone last."""
        if self._at + 1 == len(self._states):
            raise ValueError("There is no edit to redo.")
        self._at += 1
        return self.model_

    def alternatives(self, node: int = 0, n: int = 10, validation: Any = None) -> list[Alternative]:
        """The best other decisions of a node, the cheapest first.

        Parameters
        ----------
        node : int
        n : int
            The most that are listed.
        validation : pair of X and y, optional
            Held-out rows: those that reach the node tell `unseen_error`.
        """
        check_argument("n", n, count(1))
        here, part, present = self._node(node), self._part(node), self.present(node)
        unseen = None if validation is None else self._unseen(node, *validation)
        found = find_alternatives(self._rows, part, node, n + 2, unseen)
        others = [each for each in found if not is_present(self._rows, part, each, here)][:n]
        return [replace(each, difference=each.cost - present.cost) for each in others]

    def present(self, node: int = 0, validation: Any = None) -> Alternative:
        """The present decision of a node, with the figures that `alternatives` have."""
        here, part = self._node(node), self._part(node)
        unseen = None if validation is None else self._unseen(node, *validation)
        searched = searched_cost(self._rows, part, here)
        found = new_alternative(self._rows, part, node, None, here.split, unseen, searched)
        return replace(found, difference=0.0)

    def replace(self, node: int, decision: Any, below: str = "grow") -> PlaneTreeClassifier:
        """Give a node another decision.

        Parameters
        ----------
        node : int
        decision : Alternative, text, columns, weights or categories
            One of `alternatives`; typed, as ``"age > 50"``, ``"2 age - 0.5 dose > 1"`` or ``"color
            is red or blue"``; a column or a list of columns, whose weights the program finds; a
            dict of weights, or a pair of such a dict and a threshold; a dict of one column and a
            list of its categories.
        below : {"grow", "keep", "close"}
            What is below it: grown again, kept, or two leaves.
        """
        check_argument("below", below, choice(*_BELOW))
        old, part = self._editable(node, keeps_locks=below == "keep"), self._part(node)
        draft = decided(self._rows, part, decision, node)
        draft = below_decision(self._rows, part, draft, old, below)
        draft = replace(draft, forbidden=old.forbidden)
        return self._put(
            node, draft, part, lambda new: f"Node {node}: {self._words(new)}; {_BELOW[below]}."
        )

    def split_on(self, columns: Any, node: int = 0) -> PlaneTreeClassifier:
        """Let the decision of a node, the root by default, read these columns; grow the rest."""
        return self.replace(node, sorted(column_set(columns, self.model_.columns_)))

    def close(self, node: int) -> PlaneTreeClassifier:
        """Make a node a leaf."""
        old, part = self._editable(node), self._part(node)
        if old.is_leaf:
            raise ValueError(f"Node {node} is a leaf already.")
        draft = EditNode(is_set=True, forbidden=old.forbidden)
        return self._put(node, draft, part, lambda new: f"Node {node}: closed, a leaf now.")

    def grow(self, node: int = 0) -> PlaneTreeClassifier:
        """Grow the tree again from a node down; what is locked, and the way there, stay."""
        old, part = self._editable(node, keeps_locks=True), self._part(node)
        draft = replace(grown_around_locks(self._rows, old, part), forbidden=old.forbidden)
        return self._put(
            node, draft, part, lambda new: f"Node {node}: grown again, {self._words(new)}."
        )

    def forbid(self, columns: Any, node: int | None = None) -> PlaneTreeClassifier:
        """Let no decision from a node down, the root by default, read some columns.

        Decisions that read one are grown again. One that a person set, or that is locked, is not
        taken away: the edit is refused.
        """
        place = 0 if node is None else node
        barred = column_set(columns, self.model_.columns_)
        here = self._editable(place, keeps_locks=True)
        root = self._root.with_node(place, replace(here, forbidden=here.forbidden | barred))
        reading = self._topmost_reading(root, place, barred)
        for at in reversed(reading):  # from the last on, so that numbers hold
            part = self._rows.part(root, at)
            draft = replace(self._rows.grown(part), forbidden=root.at(at).forbidden)
            root = root.with_node(at, self._rows.finished(draft, part))
        names = ", ".join(self.model_.columns_[j].name for j in sorted(barred))
        where = "" if node is None else f" from node {node} down"
        return self._keep(root, f"Forbidden{where}: {names}.")

    def _topmost_reading(self, root: EditNode, place: int, barred: frozenset[int]) -> list[int]:
        """Nodes that read a column, below none that does; raises where one must stay."""
        found, number = [], place
        end = place + root.at(place).n_nodes
        while number < end:
            node = root.at(number)
            if node.split is None or not barred & set(node.split.features.tolist()):
                number += 1
                continue
            for each in node.preorder():
                if each.locked or (each.is_set and barred & each.features):
                    raise ValueError(
                        f"Node {number} reads a forbidden column, and it or a node below it is "
                        "locked or set by hand. Undo that, or replace its decision first."
                    )
            found.append(number)
            number += node.n_nodes
        return found

    def lock(self, node: int) -> PlaneTreeClassifier:
        """Keep a node, and all below it, as it is when others are grown again."""
        self._node(node)
        return self._set_lock(node, True, f"Node {node}: locked.")

    def unlock(self, node: int) -> PlaneTreeClassifier:
        """Take back a lock."""
        if not self._node(node).locked:
            raise ValueError(f"Node {node} is not locked.")
        return self._set_lock(node, False, f"Node {node}: unlocked.")

    def _set_lock(self, node: int, locked: bool, sentence: str) -> PlaneTreeClassifier:
        here = replace(self._node(node), locked=locked)
        return self._keep(self._root.with_node(node, here), sentence)

    def relabel(self, node: int, label: Any) -> PlaneTreeClassifier:
        """Give a leaf another class; the sentence in `history` tells what that costs.

        Its probabilities change as little as makes the class the cheapest answer there.
        """
        here, part = self._editable(node), self._part(node)
        if not here.is_leaf:
            raise ValueError(f"Node {node} has a decision. Close it first, or relabel its leaves.")
        (code,) = read_labels(self.model_, [label], 1).tolist()
        draft = EditNode(predicted=code, is_set=True, has_label=True, forbidden=here.forbidden)
        more = here.counts[here.predicted] - here.counts[code]
        named = f"Node {node}: labeled {self.model_.classes_[code]}"
        cost = f"{'-' if more < 0 else '+'}{count_text(abs(more))} training rows wrong"
        return self._put(node, draft, part, lambda new: f"{named}; {cost}.")

    def cost(self) -> EditCost:
        """What the edits cost against a free model: objective, training and unseen error.

        Folds whose rows have no tree that reads all required columns are skipped; the unseen errors
        are NaN if all are.
        """
        first = self._states[0].model
        if getattr(first, "edits_", []):
            first = clone(first).fit(self._table, first.classes_[self._codes], self._weights)
        tree = self.model_.tree_
        errors = cross_validated_errors(
            self.model_, self._table, self._codes, self._weights, self._root
        )
        return EditCost(
            tree_cost(self._rows, tree),
            tree_cost(self._rows, first.tree_),
            tree_error(self._rows, tree),
            tree_error(self._rows, first.tree_),
            *errors,
        )

    def near_equal(self, within: float = 0.05, n: int = 5) -> list[NearEqualTree]:
        """Trees that differ in one decision, and what grows below it, and cost little more.

        Parameters
        ----------
        within : float
            By what share of the present cost others may cost more: entropy and price together.
        n : int
            Alternatives that are tried at each node.
        """
        check_argument("within", within, number(0))
        cost, found = tree_cost(self._rows, self.model_.tree_), []
        for node, split in enumerate(self.model_.tree_.splits):
            for alternative in self.alternatives(node, n) if split is not None else []:
                tree = self._tree_with(node, alternative)
                other = tree_cost(self._rows, tree)
                if other <= (1 + within) * cost:
                    error = tree_error(self._rows, tree)
                    ratio = other / cost if cost > 0 else 1.0
                    found.append(
                        NearEqualTree(node, alternative, other, ratio, error, tree.n_terms)
                    )
        return sorted(found, key=lambda each: (each.cost, each.node))

    def _tree_with(self, node: int, alternative: Alternative) -> Any:
        old, part = self._node(node), self._part(node)
        draft = decided(self._rows, part, alternative, node)
        draft = below_decision(self._rows, part, draft, old, "grow")
        return self._root.with_node(node, self._rows.finished(draft, part)).tree()

    def stability(self, n: int = 50, random_state: Any = 0) -> Stability:
        """How often columns and decisions return in free trees of resampled rows.

        Resamples that have no tree that reads all required columns are skipped and not counted.

        Parameters
        ----------
        n : int
            How many resamples.
        random_state : int
        """
        check_argument("n", n, count(1))
        return stability(self.model_, self._table, self._codes, self._weights, n, random_state)

    @property
    def _root(self) -> EditNode:
        return self._state.root

    def _node(self, node: int) -> EditNode:
        check_argument("node", node, count(0, self.model_.tree_.n_nodes - 1))
        return self._root.at(int(node))

    def _part(self, node: int) -> TreePart:
        return self._rows.part(self._root, int(node))

    def _editable(self, node: int, *, keeps_locks: bool = False) -> EditNode:
        """A node that may be edited; raises where it, or one that would go, is locked."""
        here = self._node(node)
        above = [each for each, _ in self._root.way(int(node))]
        if any(each.locked for each in above):
            raise ValueError(f"Node {node} is locked, or below a node that is. Unlock it first.")
        if not keeps_locks and any(each.locked for each in here.preorder()):
            raise ValueError(
                f"A node below node {node} is locked and would be lost. Unlock it first."
            )
        return here

    def _unseen(self, node: int, X: Any, y: Any) -> Unseen:
        cells = read_rows(self.model_, X, missing=True)
        codes = read_labels(self.model_, y, len(cells))
        for visit in self.model_.tree_.visits(cells):
            if visit.node == node:
                return Unseen(cells[visit.rows], codes[visit.rows], visit.shares)
        return Unseen(cells[:0], codes[:0], np.empty(0))

    def _words(self, node: EditNode) -> str:
        return decision_words(self.model_, node.rounded)

    def _put(
        self, node: int, draft: EditNode, part: TreePart, sentence: Callable[[EditNode], str]
    ) -> PlaneTreeClassifier:
        """Finish a subtree, put it in its place, and keep the new model."""
        new = self._rows.finished(draft, part)
        return self._keep(self._root.with_node(node, new), sentence(new))

    def _keep(self, root: EditNode, sentence: str) -> PlaneTreeClassifier:
        """A new model of a tree, after which nothing can be redone."""
        model = copy.copy(self.model_)
        model.tree_ = root.tree()
        model.rounded_tree_ = model.tree_ if self._rows.is_graded else root.tree(rounded=True)
        nodes = [node for node in root.preorder() if node.split is not None]
        model.certificates_ = [node.certificate for node in nodes if node.certificate is not None]
        model.edits_ = [*getattr(model, "edits_", []), sentence]
        model.locked_ = np.flatnonzero([node.locked for node in root.preorder()])
        model.__dict__.pop("validation_", None)  # figures of another tree
        model.fidelity_ = None if model.fidelity_ is None else float("nan")
        read = np.union1d(model.tree_.features, model.path_[-1].tree.features)
        rows = self._rows
        model._sheet_rows = SheetRows.kept(rows.rows, rows.labeled.weights, read, rows.monotonic)
        self._states = [*self._states[: self._at + 1], _State(root, model, sentence)]
        self._at += 1
        return model
