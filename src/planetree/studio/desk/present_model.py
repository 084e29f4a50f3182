"""The model that the page shows: its drawing, its rules, its proofs; its decisions questioned."""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.evaluation.figure_words import percent
from planetree.evaluation.validation import size_of
from planetree.reporting.payload import payload
from planetree.reporting.probabilities import row_probabilities, threshold_counts
from planetree.reporting.rules import rules_shown
from planetree.reporting.sections import decisions_of, verdict
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import recipe_of
from planetree.tree import PlaneTreeClassifier
from planetree.tree.inspection.rows_in_tree import RowsInTree, rows_in_tree
from planetree.words import typeset

_MOST_RULES = 200


def model_shown(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str]
) -> dict[str, Any]:
    """The model as the drawing reads it, with its rules and certificates."""
    asked = recipe_of(recipe)
    model, data = desk.model(asked, terms, edits), desk.training(asked)
    table = data.table.select([column.name for column in model.columns_])
    shown = rows_in_tree(model, table, data.labels)
    answers = shown.fitted.answers(shown.rows)
    n_right = int(np.sum(answers == shown.codes))
    counts = threshold_counts(row_probabilities(shown, None))
    return {
        "drawing": payload(shown, answers, counts),
        "size": size_of(model)._asdict(),
        "text": model.to_text() if hasattr(model, "to_text") else "",
        "columns": len(model.columns_),
        "names": [column.name for column in model.columns_],
        "right": f"{percent(n_right / len(answers))}",
        "rows": len(answers),
        "rules": _rules(shown),
        "certificates": _certificates(shown),
        "editable": isinstance(model, PlaneTreeClassifier),
        "history": list(getattr(model, "edits_", [])),
    }


def _rules(shown: RowsInTree) -> list[dict[str, Any]]:
    """The rules in order, with what each is worth on the training rows."""
    return [
        {
            "conditions": [typeset(each) for each in rule.conditions],
            "code": rule.code,
            "rows": rule.n_rows,
            "right": rule.n_right,
            "leaves": list(rule.leaves),
        }
        for rule in rules_shown(shown)[:_MOST_RULES]
    ]


def _certificates(shown: RowsInTree) -> list[dict[str, Any]]:
    """What is proved of each decision."""
    pairs = zip(decisions_of(shown), shown.fitted.certificates, strict=True)
    return [
        {
            "node": node,
            "place": place,
            "words": typeset(" ".join(words.lines[:6])),
            "proved": found.is_proved,
            "verdict": verdict(shown, node),
            "value": found.objective,
            "bound": found.bound,
            "gap": found.gap,
        }
        for (place, node, words), found in pairs
    ]


def alternatives_of(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str], node: int
) -> dict[str, Any]:
    """The best other decisions of a node, with what each leaves and costs."""
    editor = desk.editor(recipe_of(recipe), terms, edits)
    found = [editor.present(node), *editor.alternatives(node)]
    locked = f"Node {node}: locked." in editor.history
    return {
        "node": node,
        "locked": locked,
        "alternatives": [
            {
                "words": typeset(each.words),
                "typed": each.words,
                "nats": f"{each.cost:.1f}",
                "left": f"{each.entropy:.1f}",
                "price": f"{each.price:.1f}",
                "difference": f"{each.difference:+.1f}",
                "wrong": f"{each.errors:.1f}".removesuffix(".0"),  # shares of rows
            }
            for each in found
        ],
    }


def edited(desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str]) -> list[str]:
    """What was edited, in sentences; raises where an edit cannot be made."""
    return desk.editor(recipe_of(recipe), terms, edits).history


def edit_cost(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str]
) -> dict[str, Any]:
    """What the edits cost against the model without them."""
    desk.tell({"stage": "Making the edits again on the rows of each fold"})
    found = desk.editor(recipe_of(recipe), terms, edits).cost()
    return {"text": str(found), **found._asdict()}
