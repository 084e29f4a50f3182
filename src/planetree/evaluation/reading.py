"""Rows to learn from, and what was understood of them."""

from __future__ import annotations

from typing import Any

from planetree.cli.screen import Screen
from planetree.table_files import Examples, Reading, read_examples

__all__ = ["read_and_say", "table_of"]


def read_and_say(
    screen: Screen, data: str, target: str | None, sample_weight: str | None, reading: Reading
) -> Examples:
    """Read the rows of a file, and say what was understood."""
    with screen.progress(f"Reading {data}"):
        examples = read_examples(data, target, sample_weight=sample_weight, reading=reading)
    for note in examples.notes:
        screen.note(note)
    kinds, counts, gaps = examples.kinds(), examples.class_counts(), examples.n_missing()
    n_rows = len(examples.labels)
    screen.answer["data"] = {
        "file": data,
        "rows": n_rows,
        "target": examples.target,
        "classes": counts,
        "columns": kinds,
        "missing": gaps,
        "left_out": examples.left_out,
    }
    numbers = [name for name, kind in kinds.items() if kind == "numbers"]
    others = [f"{name} ({kind})" for name, kind in kinds.items() if kind != "numbers"]
    shares = [f"{name} {count} ({count / n_rows:.0%})" for name, count in counts.items()]
    missing = [f"{name} {count} ({count / n_rows:.0%})" for name, count in gaps.items()]
    left_out = [f"{name} ({why})" for name, why in examples.left_out.items()]
    screen.say(f"{data}: {n_rows} rows, {len(kinds)} columns to learn {examples.target!r} from.")
    for what, names in (
        ("classes", shares),
        ("numbers", numbers),
        ("categories", others),
        ("missing cells", missing),
        ("left out", left_out),
    ):
        if names:
            screen.say(f"  {what + ':':<15}{some(names)}")
    return examples


def some(names: list[str], limit: int = 6) -> str:
    """Names in a line, at most `limit` of them."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def table_of(examples: Examples) -> Any:
    """Columns as a `Table`, from which folds are taken fast."""
    from planetree.table import Table

    return Table.read(examples.frame)
