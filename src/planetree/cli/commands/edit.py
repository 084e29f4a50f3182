"""`planetree alternatives` and `planetree edit`: other decisions of a node, and changes by hand.

Edits are lines such as 'replace 0: age > 50'; `planetree.tree.editing.edit_lines` lists them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import percent

if TYPE_CHECKING:
    from planetree.tree import Alternative, TreeEditor


def _open_editor(
    screen: Screen,
    path: Path,
    data: str,
    target: str | None,
    weight: str | None,
    file: options.TableFile,
) -> TreeEditor:
    """A tree of a model file with the rows that it was fitted to."""
    from planetree.tree import PlaneTreeClassifier, TreeEditor

    model = load_model(path)
    if not isinstance(model, PlaneTreeClassifier):
        raise UsageError(
            f"{path} holds a {type(model).__name__}. Edits are for a PlaneTreeClassifier, which "
            "`planetree fit` makes by default."
        )
    rows = file.labeled_rows_for(screen, model, data, target, every=True)
    weights = None if weight is None else rows.column(weight, data).to_numpy()
    return TreeEditor(model, rows.frame, rows.labels, weights)


@command("alternatives")
def alternatives(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    *,
    target: options.Target = None,
    node: Annotated[int, typer.Option(min=0, help="Which node; the root is 0.")] = 0,
    n: Annotated[int, typer.Option("--number", "-n", min=1, help="How many to list at most.")] = 10,
    validation: Annotated[options.Value, "A table of held-out rows to judge by."] = None,
    sample_weight: options.SampleWeight = None,
    file: options.TableFile,
) -> None:
    """List the best other decisions of a node.

    For each, prints the remaining entropy, the price, and the errors.
    """
    editor = _open_editor(screen, model, data, target, sample_weight, file)
    held = None
    if validation is not None:
        held = file.labeled_rows_for(screen, editor.model_, validation, target, every=True)[:2]
    with screen.progress("Searching"):
        present = editor.present(node, held)
        found = editor.alternatives(node, n, held)
    screen.answer |= {"node": node, "present": _as_data(present)}
    screen.answer["alternatives"] = [_as_data(each) for each in found]
    unseen = held is not None
    head = ["decision", "nats", "left", "price", "difference", "wrong"]
    rows = [_row(each, unseen) for each in [present, *found]]
    rows[0][0] = f"{rows[0][0]} (present)"
    screen.table([*head, "wrong, unseen"] if unseen else head, rows)


def _row(each: Alternative, unseen: bool) -> list[Any]:
    from planetree.tree.editing.alternatives import signed_text
    from planetree.tree.text import count_text

    numbers = [f"{v:.1f}" for v in (each.cost, each.entropy, each.price)]
    row = [each.words, *numbers, signed_text(each.difference), count_text(each.errors)]
    return [*row, percent(each.unseen_error)] if unseen else row


def _as_data(each: Alternative) -> dict[str, Any]:
    """A decision with its figures, for machines."""
    return {
        "decision": each.words,
        "entropy": each.entropy,
        "price": each.price,
        "difference": each.difference,
        "errors": each.errors,
        "unseen_error": each.unseen_error,
    }


@command("edit")
def edit(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    edits: Annotated[
        list[str], typer.Option("--do", help="An edit, such as 'replace 0: age > 50'; repeatable.")
    ],
    *,
    target: options.Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the edited model.")],
    cost: Annotated[
        bool, "Print what the edits cost compared with the model without edits."
    ] = False,
    sample_weight: options.SampleWeight = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Change decisions of a tree by hand, and write the new model."""
    refuse_existing([out], force)

    from planetree.model_files import save
    from planetree.tree.editing.edit_lines import apply_edit

    editor = _open_editor(screen, model, data, target, sample_weight, file)
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
    with screen.writing(out):
        save(editor.model_, out, force=force)
