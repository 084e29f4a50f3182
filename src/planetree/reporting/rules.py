"""The rules in words: for each leaf what must hold, what follows, and how often that is right."""

from __future__ import annotations

import numpy as np

from planetree.reporting.html import Markup, raw, tag
from planetree.reporting.sections import MAX_LISTED, cut_note, section
from planetree.tree.shown import Shown

__all__ = ["rules_section"]

ROUNDED = "Weights have as few digits as send every training row the same way."


def rules_section(shown: Shown) -> Markup:
    """One rule a leaf, those of most rows first."""
    found = sorted(conditions(shown).items(), key=lambda rule: -shown.counts[rule[0]].sum())
    items = [tag("li", rule_text(shown, leaf, said)) for leaf, said in found[:MAX_LISTED]]
    return section(
        "rules",
        "The rules in words",
        *scores(shown),
        tag("ol", *items, class_="rules"),
        cut_note(len(found)),
        lead="One rule for each leaf, those of most rows first. A row with every value known meets "
        "the conditions of exactly one." + (f" {ROUNDED}" if shown.is_rounded else ""),
    )


def rule_text(shown: Shown, leaf: int, said: list[str]) -> Markup:
    """A rule with what it is worth on the rows shown."""
    code, counts = shown.fitted.codes[leaf], shown.counts[leaf]
    dot = tag("i", class_="dot", style=f"background:var(--class-{code % 10})")
    held: list[str] = []
    for condition in said:
        held += [" and " if held else "If ", tag("b", condition)]
    opening = (*held, ", it is ") if held else ("It is ",)
    worth = f"{count(counts.sum())} rows, {count(counts[code])} of them so"
    label = tag("b", dot, shown.classes[code], class_="label")
    return raw(*opening, label, ". ", tag("span", worth, class_="counts"))


def count(rows: float) -> str:
    """A number of rows, parts of rows included."""
    return f"{rows:,.1f}".removesuffix(".0")


def scores(shown: Shown) -> list[Markup]:
    """What the numbers in brackets stand for, for each decision by several scores."""
    found = []
    for place, node in enumerate(np.flatnonzero(shown.tree.n_branches).tolist(), 1):
        words = shown.words[node]
        if words is not None and words.scores:
            lines = (tag("p", line) for line in words.scores)
            found.append(tag("div", tag("b", f"Decision {place}"), *lines, class_="scores"))
    return found


def conditions(shown: Shown) -> dict[int, list[str]]:
    """Conditions of each leaf, from the root."""
    tree, found = shown.tree, {0: list[str]()}
    for place, node in enumerate(np.flatnonzero(tree.n_branches).tolist(), 1):
        words = shown.words[node]
        assert words is not None
        said, prefix = found.pop(node), f"at decision {place}, " if words.scores else ""
        for condition, child in zip(words.conditions, tree.children_of(node).tolist(), strict=True):
            found[child] = [*said, prefix + condition]
    return found
