"""The rules in words, with what each is worth on the rows shown.

Decisions by one sum or one category are said as an ordered list, in which the first rule that holds
answers (`planetree.convert.to_rules`). Decisions by several scores would be long in that form: they
are said as one rule a leaf, and the scores are numbered once before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from planetree.arrays import Mask
from planetree.convert import RuleList, to_rules
from planetree.reporting.html import MAX_LISTED, Markup, cut_note, dot, raw, section, tag
from planetree.reporting.sections import decisions_of
from planetree.table import Table
from planetree.tree.inspection.rows_in_tree import RowsInTree
from planetree.words import typeset

_MAX_LETTERS = 1500  # about a page
_ORDERED = "The first rule that holds gives the prediction."
_ONE_A_LEAF = "One rule for each leaf, largest first; exactly one of them holds."
_ROUNDED = "Weights are rounded as far as every training row still takes the same path."


class _WordedRule(NamedTuple):
    """A rule in words: its conditions, the code of its class, its rows, and the leaves of these."""

    conditions: Sequence[str]
    code: int
    n_rows: float
    n_right: float
    leaves: Sequence[int]


def rules_section(shown: RowsInTree) -> Markup:
    """The rules as a list."""
    by_scores = _is_by_scores(shown)
    found = rules_shown(shown)
    items = [  # each knows its leaves
        tag("li", _rule_text(shown, rule), data_leaves=" ".join(map(str, rule.leaves)), tabindex=0)
        for rule in found[:MAX_LISTED]
    ]
    lead = _ONE_A_LEAF if by_scores else _ORDERED
    return section(
        "rules",
        "The rules in words",
        *_scores(shown),
        tag("ol", *items),
        cut_note(len(found)),
        lead=" ".join(
            [lead, *_incomplete(shown), *([_ROUNDED] if shown.fitted.is_rounded else [])]
        ),
    )


def rules_shown(shown: RowsInTree) -> list[_WordedRule]:
    """The rules with what each is worth: in order, or of scores one a leaf."""
    return _leaf_rules(shown) if _is_by_scores(shown) else _ordered_rules(shown)


def _is_by_scores(shown: RowsInTree) -> bool:
    return any(words is not None and words.scores for words in shown.words)


def _rule_text(shown: RowsInTree, rule: _WordedRule) -> Markup:
    """A rule with what it is worth on the rows shown."""
    held: list[str] = []
    for condition in rule.conditions:
        held += [" and " if held else "If ", tag("b", tag("bdi", _shortened(typeset(condition))))]
    opening = (*held, ", predict ") if held else ("Otherwise predict ",)
    label = tag("b", dot(rule.code), tag("bdi", shown.classes[rule.code]), class_="label")
    rows = f"{_count(rule.n_rows)} row{'' if rule.n_rows == 1 else 's'}"
    worth = f"{rows}, {_count(rule.n_right)} correct"
    return raw(*opening, label, ". ", tag("span", worth, class_="counts"))


def _shortened(condition: str) -> str:
    """A condition, or its beginning if it is a page long."""
    return condition if len(condition) <= _MAX_LETTERS else condition[:_MAX_LETTERS] + " ..."


def _count(rows: float) -> str:
    """A number of rows, parts of rows included."""
    return f"{rows:,.1f}".removesuffix(".0")


def _incomplete(shown: RowsInTree) -> list[str]:
    """Say how many rows the rules do not speak of."""
    n = int(np.sum(~_complete(shown)))
    rows = f"{n} of {len(shown.rows)} rows lack one and take several paths in part"
    return [f"The rules are for rows with every value known; {rows}."] if n else []


def _complete(shown: RowsInTree) -> Mask:
    """Which rows have every value that some decision reads."""
    missing: Mask = np.isnan(shown.rows[:, shown.tree.features])
    return np.asarray(~missing.any(axis=1))


def _ordered_rules(shown: RowsInTree) -> list[_WordedRule]:
    """Simplified rules in order; the rows of each are those that have every value."""
    rules = _rule_list(shown)
    rows, codes = shown.rows[_complete(shown)], shown.codes[_complete(shown)]
    answered = rules.apply(Table(rows, shown.columns)) if len(rows) else codes
    leaves = shown.tree.apply(rows) if len(rows) else codes
    place = shown.fitted.classes.tolist()
    found = []
    for number, rule in enumerate(rules.rules):
        code, own = place.index(rule.label), codes[answered == number]
        reached = np.unique(leaves[answered == number]).tolist()
        n_right = int(np.sum(own == code))
        found.append(_WordedRule(rules.condition_texts(rule), code, len(own), n_right, reached))
    return found


def _rule_list(shown: RowsInTree) -> RuleList:
    """Rules of the weights as they are said; categories of no branch go where most rows went."""
    model = shown.model.round_weights() if shown.fitted.is_rounded else shown.model
    try:
        return to_rules(model)
    except ValueError:
        return to_rules(model, missing="majority")


def _leaf_rules(shown: RowsInTree) -> list[_WordedRule]:
    """One rule a leaf, those of most rows first."""
    found = [
        _WordedRule(said, int(code), shown.counts[leaf].sum(), shown.counts[leaf, code], [leaf])
        for leaf, said in _leaf_conditions(shown).items()
        for code in [shown.fitted.codes[leaf]]
    ]
    return sorted(found, key=lambda rule: -rule.n_rows)


def _scores(shown: RowsInTree) -> list[Markup]:
    """What the numbers in brackets stand for, for each decision by several scores."""
    found = []
    for place, _, words in decisions_of(shown):
        lines = [tag("p", typeset(line)) for line in words.scores]
        if lines:
            found.append(tag("div", tag("b", f"Decision {place}"), *lines, class_="scores"))
    return found


def _leaf_conditions(shown: RowsInTree) -> dict[int, list[str]]:
    """Conditions of each leaf, from the root."""
    tree, found = shown.tree, {0: list[str]()}
    for place, node, words in decisions_of(shown):
        said, prefix = found.pop(node), f"at decision {place}, " if words.scores else ""
        for condition, child in zip(words.conditions, tree.children_of(node).tolist(), strict=True):
            found[child] = [*said, prefix + condition]
    return found
