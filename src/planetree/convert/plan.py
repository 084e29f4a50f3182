"""What every export is made from: the tree of a model as formulas, and what missing values do.

The formula of a branch is a list of alternatives, and an alternative a list of tests that all hold
(`planetree.planes`): of a row that is known, the formula of exactly one branch holds.

fractions   a row takes every branch of a decision that it does not answer, in part: as the model
majority    it takes the branch with the most training weight
refuse      the model gives no answer for such a row, nor does the export
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from planetree.planes import Among, Categories, Pattern, Split
from planetree.tree import FittedTree, fitted_tree

__all__ = ["HIGHEST_STAND_IN", "LOWEST_STAND_IN", "Decision", "Formula", "Plan", "plan_of"]

Formula = tuple[Pattern, ...]

# The numbers that round to -999 in 32 bits.
LOWEST_STAND_IN, HIGHEST_STAND_IN = -999.0 - 2.0**-15, -999.0 + 2.0**-15


class Decision(NamedTuple):
    """What must be known of a row, and the formula of each branch.

    `strays` are the categories of a tested column that belong to no branch, as if missing.
    """

    columns: tuple[int, ...]
    branches: tuple[Formula, ...]
    strays: Among | None = None


def _decision_of(split: Split) -> Decision:
    """Say a split as formulas."""
    formulas = tuple(split.side(branch).patterns() for branch in range(split.n_branches))
    strays = split.side(-1) if isinstance(split, Categories) else None
    return Decision(
        tuple(split.features.tolist()), formulas, strays if strays and strays.codes else None
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """A fitted tree, the decision of each node, None at a leaf, and the rule for missing values."""

    fitted: FittedTree
    decisions: tuple[Decision | None, ...]
    missing: str

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that some decision reads."""
        return tuple(sorted({j for each in self.decisions if each for j in each.columns}))

    @cached_property
    def strays(self) -> tuple[Among, ...]:
        """By column, the categories that belong to no branch of some decision."""
        found: dict[int, set[int]] = {}
        for each in self.decisions:
            if each is not None and each.strays is not None:
                found.setdefault(each.strays.column, set()).update(each.strays.codes)
        return tuple(Among(column, tuple(sorted(codes))) for column, codes in found.items())

    @cached_property
    def labels(self) -> list[Any]:
        """Labels of the classes as Python values."""
        return self.fitted.classes.tolist()

    @cached_property
    def uniform(self) -> bool:
        """Whether all errors cost the same, so that the class with the largest share wins."""
        costs = self.fitted.costs
        return bool(np.array_equal(costs, 1.0 - np.eye(len(costs))))

    @cached_property
    def sizes(self) -> list[int]:
        """How many nodes each node has at or below it."""
        tree = self.fitted.tree
        sizes = [1] * tree.n_nodes
        for node in reversed(range(tree.n_nodes)):
            sizes[node] += sum(sizes[child] for child in tree.children_of(node).tolist())
        return sizes

    def label(self, node: int) -> Any:
        """Label that a leaf answers with."""
        return self.labels[self.fitted.codes[node]]

    def children(self, node: int) -> list[int]:
        """Children of a node in the order of its branches."""
        return self.fitted.tree.children_of(node).tolist()

    def heaviest(self, node: int) -> int:
        """Branch of a node with the most training weight, the first of equals."""
        return int(np.argmax(self.fitted.tree.parts(node)))

    def asked(self, node: int) -> list[int]:
        """Branches of a node in the order in which to ask: the largest subtree last, unasked.

        A branch that no known row takes is left out. Where missing values take the heaviest branch,
        that one is first, unless it is last.
        """
        decision = self.decisions[node]
        assert decision is not None
        children = self.children(node)
        taken = [b for b, formula in enumerate(decision.branches) if formula]
        last = max(taken, key=lambda b: (self.sizes[children[b]], -b))
        heaviest = self.heaviest(node)
        others = sorted((b for b in taken if b != last), key=lambda b: b != heaviest)
        if self.missing == "majority" and heaviest not in taken:
            others.insert(0, heaviest)
        return [*others, last]


def plan_of(model: Any, missing: str | None = None) -> Plan:
    """Read a model, and settle what missing values do.

    Parameters
    ----------
    model : fitted separator or tree
    missing : {"majority"}, optional
        By default as the model does.
    """
    fitted = fitted_tree(model)
    if missing not in (None, "majority"):
        raise ValueError(f"missing must be 'majority' or None, but it is {missing!r}.")
    if missing == "majority" and not fitted.missing:
        raise ValueError(
            f"missing='majority' needs a model that takes missing values, but {fitted.owner} does "
            "not: it knows no branch that most rows take. Leave missing=None."
        )
    _refuse_odd_labels(fitted)
    decisions = tuple(None if s is None else _decision_of(s) for s in fitted.tree.splits)
    return Plan(fitted, decisions, missing or ("fractions" if fitted.missing else "refuse"))


def _refuse_odd_labels(fitted: FittedTree) -> None:
    """Raise unless labels and categories are text, numbers or booleans, which every target has."""
    named: dict[str, list[Any]] = {"y": fitted.classes.tolist()}
    named |= {repr(column.name): list(column.categories or ()) for column in fitted.columns}
    for name, labels in named.items():
        odd = [each for each in labels if not isinstance(each, (str, bool, int, float))]
        if odd:
            raise ValueError(
                f"{name} holds {odd[0]!r}, of type {type(odd[0]).__name__}, which cannot be said "
                "elsewhere. Make such labels text before you fit."
            )
