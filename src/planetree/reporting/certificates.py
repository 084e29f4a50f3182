"""What is proved of each decision: its value, the bound that no other can pass, and their gap."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from planetree.planes import Planes, Split
from planetree.tree.inspection.rows_in_tree import Shown

__all__ = ["Proof", "proofs"]

EXACT = 1e-6  # a gap below this is rounding

BY_ENUMERATION = "Best of all cuts on one column: every one was tried."
PAIR = "The best pair of planes that a search found; better ones are not ruled out."
BY_GAIN = "Largest gain ratio of all columns' best cuts (C4.5): every one was tried."
NOT_KEPT = "The model keeps no certificate of this decision."
PROVED = "Proved: no other weights on its terms have a better value."
BEST_FOUND = "The best found; the bound leaves room for a better one."
VERDICTS = {
    "time_limit": "The best found within the time limit.",
    "early_stopping": "Stopped early, on the tuning rows, by choice.",
    "stationary": "No step improves it; better ones elsewhere are not ruled out.",
}


class Proof(NamedTuple):
    """What is known of a decision; figures are NaN where there is no program."""

    verdict: str
    objective: float = math.nan
    bound: float = math.nan
    gap: float = math.nan

    @property
    def proved(self) -> bool:
        """Whether nothing better exists."""
        return self.verdict in (PROVED, BY_ENUMERATION)


def proofs(shown: Shown) -> dict[int, Proof]:
    """Proof of each decision of a model, by the number of its node."""
    model, tree = shown.model, shown.tree
    inner = np.flatnonzero(tree.n_branches).tolist()
    if hasattr(model, "status_") and hasattr(model, "gap_"):
        return dict.fromkeys(
            inner, judged(model.status_, model.objective_, model.bound_, model.gap_)
        )
    known = getattr(model, "certificates_", None)
    if hasattr(model, "unpruned_tree_") and known is not None:
        by_split = {
            key(model.unpruned_tree_.splits[each.node]): judged(
                each.status, each.objective, each.bound, each.gap
            )
            for each in known
        }
        return {node: by_split.get(key(tree.splits[node]), Proof(NOT_KEPT)) for node in inner}
    if known is not None and len(known) == len(inner):
        splits = (tree.splits[node] for node in inner)
        return dict(zip(inner, map(of_figures, known, splits), strict=True))
    return dict.fromkeys(inner, Proof(BY_GAIN if hasattr(model, "criterion") else NOT_KEPT))


def of_figures(figures: tuple[float, float, float] | None, split: Split | None) -> Proof:
    """Proof of a decision of the readable tree."""
    if figures is not None:
        return judged("", *figures)
    is_pair = isinstance(split, Planes) and len(split.offsets) > 1
    return Proof(PAIR if is_pair else BY_ENUMERATION)


def judged(status: Any, objective: Any, bound: Any, gap: Any) -> Proof:
    """Figures with what they say in words."""
    figures = [float(each) for each in (objective, bound, gap)]
    if np.isfinite(figures[2]) and figures[2] <= EXACT:
        return Proof(PROVED, *figures)
    return Proof(VERDICTS.get(str(status), BEST_FOUND), *figures)


def key(split: Split | None) -> bytes:
    """What tells the planes of a split from others."""
    assert isinstance(split, Planes)
    parts = (split.weights, split.offsets, split.columns, split.categories)
    return b"".join(part.tobytes() for part in parts)
