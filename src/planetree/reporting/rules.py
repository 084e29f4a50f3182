"""The rules in words: for each leaf what must hold, what follows, and how often that is right."""

from __future__ import annotations

from planetree.reporting.html import Markup, raw, tag
from planetree.reporting.sections import MAX_LISTED, cut_note, section
from planetree.tree.shown import Shown

__all__ = ["rules_section"]


def rules_section(shown: Shown) -> Markup:
    """One rule a leaf, those of most rows first."""
    found = sorted(conditions(shown).items(), key=lambda rule: -shown.counts[rule[0]].sum())
    items = [tag("li", rule_text(shown, leaf, said)) for leaf, said in found[:MAX_LISTED]]
    return section(
        "rules",
        "The rules in words",
        tag("ol", *items, class_="rules"),
        cut_note(len(found)),
        lead="One rule for each leaf, those of most rows first. A row with every value known meets "
        "the conditions of exactly one.",
    )


def rule_text(shown: Shown, leaf: int, said: list[str]) -> Markup:
    """A rule with what it is worth on the rows shown."""
    code, counts = shown.fitted.codes[leaf], shown.counts[leaf]
    dot = tag("i", class_="dot", style=f"background:var(--class-{code % 10})")
    held: list[str] = []
    for condition in said:
        held += [" and " if held else "If ", tag("b", condition)]
    opening = (*held, ", it is ") if held else ("It is ",)
    worth = (
        f"{counts.sum():.6g} rows, {counts[code]:.6g} of them so"
        if counts.sum()
        else "no row shown"
    )
    label = tag("b", dot, shown.classes[code], class_="label")
    return raw(*opening, label, ". ", tag("span", worth, class_="counts"))


def conditions(shown: Shown) -> dict[int, list[str]]:
    """Conditions of each leaf, from the root."""
    tree, found = shown.tree, {0: list[str]()}
    for node in range(tree.n_nodes):
        words = shown.words[node]
        if words is None:
            continue
        said = found.pop(node)
        for way, child in zip(words.ways, tree.children_of(node).tolist(), strict=True):
            found[child] = [*said, f"{' '.join(words.lines)} {way}"]
    return found
