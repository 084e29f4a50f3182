"""`planetree edit`: change a tree, one decision at a time, and keep what was changed.

Edits are lines such as 'replace 0: age > 50'; `planetree.tree.editing.edit_lines` lists them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.commands.alternatives import SampleWeight, open_editor
from planetree.cli.screen import Screen, refuse_existing


@command("edit")
def edit(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    edits: Annotated[
        list[str],
        typer.Option("--do", help="An edit, such as 'replace 0: age > 50'; repeatable."),
    ],
    *,
    target: options.Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the edited model.")],
    cost: Annotated[
        bool,
        typer.Option(
            "--cost", help="Print what the edits cost compared with the model without edits."
        ),
    ] = False,
    sample_weight: SampleWeight = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Change decisions of a tree by hand, and write the new model."""
    refuse_existing([out], force)

    from planetree.model_files import save
    from planetree.tree.editing.edit_lines import apply_edit

    editor = open_editor(screen, model, data, target, sample_weight, file)
    with screen.progress("Editing"):
        for each in edits:
            apply_edit(editor, each)
    screen.answer |= {"edits": editor.history, "tree": editor.model_.to_text()}
    screen.result("\n".join([*editor.history, "", editor.model_.to_text()]))
    if cost:
        with screen.progress("Counting"):
            found = editor.cost()
        screen.answer["cost"] = found._asdict()
        screen.result(f"\n{found}")
    save(editor.model_, out, force=force)
    screen.written(out)
