"""`planetree explain`: the way of a row, how near each surface is, and what would change it."""

from __future__ import annotations

from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen


@command("explain")
def explain(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", "-r", min=0, help="Row number, counting from 0.")],
    file: options.TableFile,
) -> None:
    """Explain why a row gets its class."""
    fitted = load_model(model)
    frame, _ = file.rows_for(screen, fitted, data)
    if row >= len(frame):
        raise UsageError(
            f"{data} has {len(frame)} rows, so --row must be from 0 to {len(frame) - 1}."
        )
    from planetree.tree.inspection.explanation_text import explanation_data, explanation_text

    why = explanation_data(fitted, frame, row)
    text = explanation_text(why, f"Row {row} of {data}")
    screen.answer |= {key: why[key] for key in why if key not in ("missing", "is_hard")}
    screen.result(text)
