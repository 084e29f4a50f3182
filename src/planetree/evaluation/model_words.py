"""A fitted model in words, with its size: what is printed of it, and what its file says of it."""

from __future__ import annotations

from typing import Any

from planetree.evaluation.validation import size_of


def words_of(model: Any) -> dict[str, Any]:
    """Method, text, classes, columns and size of a fitted model, as JSON knows them.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.evaluation.model_words import words_of
    >>> words_of(RobustSeparator().fit([[0.0], [1.0]], ["a", "b"]))["classes"]
    ['a', 'b']
    """
    return {
        "method": type(model).__name__,
        "text": _text_of(model),
        "classes": [str(label) for label in getattr(model, "classes_", ())],
        "columns": [column.name for column in model.columns_],
        "size": size_of(model)._asdict(),
    }


def _text_of(model: Any) -> str:
    """A fitted model in words, with its edits; of one that has none, the columns it reads."""
    if hasattr(model, "to_text"):
        edits = [f"  {each}" for each in getattr(model, "edits_", ())]
        return "\n".join(
            [str(model.to_text()), *(["", "Edited by hand:", *edits] if edits else [])]
        )
    chosen = [
        column.name for column, on in zip(model.columns_, model.get_support(), strict=True) if on
    ]
    return "Compares rows by these columns:\n" + "\n".join(f"  {name}" for name in chosen)
