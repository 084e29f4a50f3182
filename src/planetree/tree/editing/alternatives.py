"""Other decisions that a node could make, each with what it leaves and costs.

The best cut of each column, the divisions of categories, planes of one to k terms, planes without
each of the columns of the best one, and pairs of planes; of those that read the same columns in the
same way the cheapest is kept. All are judged alike, the present one too: by the entropy that their
two branches leave, the price of their terms, and the weight of the rows that the branches get wrong
as leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED
from planetree.planes import Planes, Split
from planetree.separators.sparse.feature_search import TimeIsUpError
from planetree.tree.classifier import least_cost
from planetree.tree.editing.edited_tree import BY_HAND, EditNode
from planetree.tree.editing.editing_rows import EditingRows, TreePart
from planetree.tree.growth import fill_missing
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate
from planetree.tree.plane.class_planes import further_weights
from planetree.tree.plane.plane_growth import PlaneGrower
from planetree.tree.plane.plane_search import digest
from planetree.tree.text import count_text
from planetree.tree.tree import Tree
from planetree.words import wording_of


@dataclass(frozen=True, eq=False)
class Alternative:
    """A decision that a node could make.

    Parameters
    ----------
    node : int
    words : str
        What holds of the rows that take its second branch; of planes for classes, their scores.
    split : Planes or Categories
        The decision, in the units of the table.
    entropy : float
        What its branches leave, in nats times weight.
    price : float
        What its terms cost, in nats.
    errors : float
        Training weight that its branches get wrong as leaves.
    difference : float
        Entropy and price, less those of the present decision: below 0 it is cheaper.
    unseen_error : float
        Share of the held-out rows of the node that its branches get wrong; NaN without such rows.
    """

    node: int
    words: str
    split: Split | None
    entropy: float
    price: float
    errors: float
    difference: float = nan
    unseen_error: float = nan
    candidate: Candidate | None = field(default=None, repr=False)
    rows: bytes = field(default=b"", repr=False)

    @property
    def cost(self) -> float:
        """Entropy and price together."""
        return self.entropy + self.price

    def __str__(self) -> str:
        unseen = "" if np.isnan(self.unseen_error) else f", {self.unseen_error:.1%} wrong unseen"
        return (
            f"{self.words}: {self.cost:.1f} nats ({self.entropy:.1f} left, {self.price:.1f} for "
            f"terms, {signed_text(self.difference)}), {count_text(self.errors)} wrong{unseen}"
        )


class NearEqualTree(NamedTuple):
    """A tree that differs from the present one in one decision and what grows below it.

    Parameters
    ----------
    node : int
    alternative : Alternative
        The decision in the place of the present one; `replace` takes it.
    cost : float
        Entropy that the tree leaves plus the price of its terms, in nats.
    ratio : float
        The same, as a multiple of that of the present tree.
    training_error : float
    n_terms : int
    """

    node: int
    alternative: Alternative
    cost: float
    ratio: float
    training_error: float
    n_terms: int


def signed_text(difference: float) -> str:
    """A difference in nats with its sign; one that rounds to nothing is not below it."""
    return f"{round(difference, 1) + 0.0:+.1f}"


@dataclass(frozen=True, eq=False)
class Unseen:
    """Held-out rows that reach a node: cells, class codes, and shares."""

    X: Floats
    codes: Indices
    shares: Floats

    def error(self, stump: Tree, rows: EditingRows) -> float:
        """Share of the rows that a decision between leaves gets wrong."""
        if not len(self.codes):
            return nan
        found = least_cost(
            stump.distribution(self.X, graded=False), rows.labeled.costs, rows.labeled.order
        )
        return float(self.shares @ (found != self.codes) / self.shares.sum())


def decision_words(model: Any, split: Split | None) -> str:
    """What holds of the rows that take the second branch of a decision, or which scores it has."""
    if split is None:
        return "no decision"
    words = wording_of(model).decision(split)
    if isinstance(split, Planes) and split.rule == "argmax":
        return f"the largest of {', '.join(words.scores)}"
    return " and ".join([*words.scores, words.conditions[1]])


def new_alternative(
    rows: EditingRows,
    part: TreePart,
    node: int,
    candidate: Candidate | None,
    split: Split | None,
    unseen: Unseen | None,
    searched: float = 0.0,
) -> Alternative:
    """A decision, in the units of the table, with its figures; None is a leaf."""
    stump = rows.stump(split, part)
    leaves = stump.class_weights[stump.n_branches == 0]
    terms = 0 if split is None else split.n_terms
    price = rows.grower.pricing.of_term * terms
    return Alternative(
        node,
        decision_words(rows.model, split),
        split,
        float(entropy(leaves).sum()),
        float(price + (candidate.searched if candidate else searched)),
        float(stump.errors[stump.n_branches == 0].sum()),
        unseen_error=nan if unseen is None else unseen.error(stump, rows),
        candidate=candidate,
        rows=digest(part.at, part.weights),
    )


def searched_cost(rows: EditingRows, part: TreePart, node: EditNode) -> float:
    """Nats for what the search for a decision chose from beside its terms, as growing counts them.

    A plane of a program, and a decision that a person gave, were not searched for.
    """
    split, certificate = node.split, node.certificate
    if split is None or certificate is None or certificate.kind == BY_HAND:
        return 0.0
    if isinstance(split, Planes) and split.rule == "argmax":
        return further_weights(split) * rows.grower.searcher.weight_price
    if isinstance(split, Planes) and len(split.offsets) > 1:
        return 2 * float(np.log(rows.grower.rows.weights.sum()))
    if "program" in certificate.kind:
        return 0.0
    cut = float(np.log(part.weights.sum()))
    if isinstance(split, Planes):
        return cut
    present = np.unique(rows.labeled.X[part.at, split.column])
    n_present = int(np.count_nonzero(~np.isnan(present)))
    return cut + max(0, n_present - 1) * float(np.log(2))


def find_alternatives(
    rows: EditingRows, part: TreePart, node: int, n: int, unseen: Unseen | None = None
) -> list[Alternative]:
    """The cheapest decisions of a part, the best first."""
    grower = rows.part_grower(part)
    best: dict[tuple[Any, ...], Candidate] = {}
    try:
        for candidate in _candidates(grower):
            key = _kind(candidate.split)
            if key not in best or grower.paid(candidate) < grower.paid(best[key]):
                best[key] = candidate
    except TimeIsUpError:
        pass
    cheapest = sorted(best.values(), key=grower.paid)[:n]
    searcher, found = replace(grower.searcher, clock=UNLIMITED), []
    for candidate in cheapest:
        settled = searcher.settle(grower.rows, candidate)
        split = rows.rounded(rows.rows.split(settled.split), part)
        found.append(new_alternative(rows, part, node, settled, split, unseen))
    return sorted(found, key=lambda each: each.cost)


def _kind(split: Split) -> tuple[Any, ...]:
    rule = split.rule if isinstance(split, Planes) else "categories"
    return rule, *split.features.tolist()


def _candidates(grower: PlaneGrower) -> Iterator[Candidate]:
    """Decisions of all kinds; planes also without each column of the best one."""
    searcher, rows, allowed = grower.searcher, grower.rows, grower.usable
    if len(np.unique(rows.codes)) < 2:
        return
    yield from searcher.divisions(rows, allowed)
    if not allowed.any():
        return
    yield from searcher.cuts(rows, allowed, most=len(allowed))
    found = list(_planes(grower))
    yield from found
    best = min(found, key=grower.paid, default=None)
    for column in [] if best is None else best.split.features.tolist():
        yield from _planes(grower, without=column)
    yield from searcher.pairs(
        rows, allowed, searcher.few_terms, 2 * float(np.log(rows.weights.sum()))
    )


def _planes(grower: PlaneGrower, without: int = -1) -> Iterator[Candidate]:
    searcher, rows = grower.searcher, grower.rows
    allowed = grower.usable & (searcher.columns != without)
    if not allowed.any():
        return
    filled = fill_missing(rows.E, rows.weights)
    cuts = list(searcher.cuts(rows, allowed))
    for sides in searcher.groupings(rows, filled, cuts, allowed):
        way = np.bincount(rows.codes[sides], minlength=searcher.n_classes) > 0
        for each in searcher.planes(rows, filled, sides, allowed, searcher.max_terms):
            yield each._replace(way=way)


def is_present(rows: EditingRows, part: TreePart, found: Alternative, node: EditNode) -> bool:
    """Whether an alternative is the decision of a node, but for its threshold."""
    if node.rounded is None or found.split is None or node.split is None:
        return False
    if _same_weights(found.split, node.rounded):
        return True
    X = rows.labeled.X[part.at]
    branch, present = found.split.branch(X), node.split.branch(X)
    turned = np.where(present < 0, present, 1 - present)
    return bool(np.array_equal(branch, present) or np.array_equal(branch, turned))


def _same_weights(one: Split, other: Split) -> bool:
    """Whether two decisions differ in their thresholds only."""
    if not (isinstance(one, Planes) and isinstance(other, Planes)) or one.rule != other.rule:
        return False
    terms = np.array_equal(one.columns, other.columns) and np.array_equal(
        one.categories, other.categories
    )
    return bool(terms and np.array_equal(one.weights, other.weights) and one.n_terms > 1)
