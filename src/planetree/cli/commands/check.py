"""`planetree check`: whether new rows are like those of training, and how a model does on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen
from planetree.evaluation.figure_words import percent

if TYPE_CHECKING:
    from planetree.evaluation.model_check import ModelCheck

_FOUND = 6  # exit code: something differs from training


@command("check")
def check(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    *,
    target: options.Target = None,
    group: Annotated[options.Value, "Report errors by this column."] = None,
    file: options.TableFile,
) -> None:
    """Compare new rows with the training rows.

    The exit code is 6 if they differ.
    """
    if group is not None and target is None:
        raise UsageError("--group reports errors, so it needs --target.")

    from planetree.evaluation.model_check import check_model

    fitted = load_model(model)
    if target is None:
        checked = check_model(fitted, file.rows_for(screen, fitted, data)[0])
    else:
        rows = file.labeled_rows_for(screen, fitted, data, target)
        groups = None if group is None else rows.column(group, data).to_numpy()
        checked = check_model(fitted, rows.frame, rows.labels, groups)
    screen.note(*checked.notes)
    screen.answer |= _as_data(checked)
    _say(screen, checked)
    if checked.findings:
        screen.close()
        raise typer.Exit(_FOUND)


def _as_data(checked: ModelCheck) -> dict[str, Any]:
    """What was found, for machines."""
    return {
        "rows": checked.n_rows,
        "error": checked.error,
        "findings": checked.findings,
        "columns": [each._asdict() for each in checked.columns],
        "leaves": [each._asdict() | {"answer": str(each.answer)} for each in checked.leaves],
        "leaf_shares_probability": checked.p_leaves,
        "groups": [each._asdict() for each in checked.groups],
    }


def _say(screen: Screen, checked: ModelCheck) -> None:
    """What was found, in tables and sentences."""
    screen.table(
        ["column", "out of range", "new categories", "missing", "in training"],
        [
            [
                each.column,
                each.n_outside,
                len(each.new_categories),
                percent(each.missing),
                percent(each.missing_before),
            ]
            for each in checked.columns
        ],
    )
    screen.say()
    known = checked.error is not None
    head = ["leaf", "answer", "rows", "share", "in training"]
    head += ["wrong", "in training"] if known else []
    rows = []
    for leaf in checked.leaves:
        row = [leaf.leaf, leaf.answer, leaf.n_rows, percent(leaf.share), percent(leaf.share_before)]
        wrong = "" if leaf.error is None else percent(leaf.error)
        rows.append([*row, wrong, percent(leaf.error_before)] if known else row)
    screen.table(head, rows, left=2)
    if checked.groups:
        screen.say()
        screen.table(
            ["group", "rows", "wrong"],
            [[each.group, each.n_rows, percent(each.error)] for each in checked.groups],
        )
    screen.say()
    said = [f"- {finding}" for finding in checked.findings]
    fine = ["The rows look like the training rows."]
    screen.result("\n".join(["Look at:", *said] if said else fine))
