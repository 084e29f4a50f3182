"""`planetree edit`: change a tree, one decision at a time, and keep what was changed.

replace 0: age > 50           the decision of node 0; what is below it grows again
replace 0, keep: age > 50     what is below it is kept; `close` makes its branches leaves
split 0: age, dose            a plane over these columns, whose weights the program finds
close 3      grow 3      lock 3      unlock 3
relabel 3: yes
forbid: age, dose             and `forbid 3: age` for node 3 and below
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.alternatives import SampleWeight, open_editor
from planetree.cli.screen import Screen, refuse_existing

if TYPE_CHECKING:
    from planetree.tree import TreeEditor

_EDIT = re.compile(r"(\w+)\s*(\d+)?\s*(?:,\s*(\w+))?\s*(?::\s*(.+))?$", re.DOTALL)
_OF_NODES = ("close", "grow", "lock", "unlock")
_HOW = "Say 'replace 0: age > 50', 'split 0: age, dose', 'close 3', 'grow 3', 'relabel 3: yes' or "
_HOW += "'forbid: age'."


@command("edit")
def edit(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    edits: Annotated[
        list[str],
        typer.Option("--do", help="An edit, such as 'replace 0: age > 50'; may be repeated."),
    ],
    *,
    target: options.Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the edited model.")],
    cost: Annotated[
        bool, typer.Option("--cost", help="Say what the edits cost against the free model.")
    ] = False,
    sample_weight: SampleWeight = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Change decisions of a tree by hand, and write the new model."""
    refuse_existing([out], force)
    editor = open_editor(screen, model, data, target, sample_weight, file)
    with screen.progress("Editing"):
        for each in edits:
            _apply(editor, each)

    from planetree.model_files import save

    screen.answer |= {"edits": editor.history, "tree": editor.model_.to_text()}
    screen.result("\n".join([*editor.history, "", editor.model_.to_text()]))
    if cost:
        with screen.progress("Counting"):
            found = editor.cost()
        screen.answer["cost"] = found._asdict()
        screen.result(f"\n{found}")
    save(editor.model_, out, force=force)
    screen.written(out)


def _apply(editor: TreeEditor, text: str) -> None:
    """Make an edit that is said in a line."""
    found = _EDIT.match(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no edit. {_HOW}")
    what, number, below, argument = found.groups()
    node = None if number is None else int(number)
    if what == "forbid" and argument:
        editor.forbid(_columns(editor, argument), node)
        return
    if node is None:
        raise UsageError(f"{text!r} names no node. {_HOW}")
    if what in _OF_NODES and argument is None:
        getattr(editor, what)(node)
    elif what == "replace" and argument:
        editor.replace(node, argument.strip(), below=below or "grow")
    elif what == "split" and argument:
        editor.replace(node, _columns(editor, argument), below=below or "grow")
    elif what == "relabel" and argument:
        editor.relabel(node, _label(editor, argument.strip()))
    else:
        raise UsageError(f"{text!r} is no edit. {_HOW}")


def _columns(editor: TreeEditor, text: str) -> list[str]:
    """Names of columns in a list; a name may hold commas."""
    names = {column.name for column in editor.model_.columns_}
    return [text.strip()] if text.strip() in names else [each.strip() for each in text.split(",")]


def _label(editor: TreeEditor, text: str) -> Any:
    """The class that a text names."""
    return {str(label): label for label in editor.model_.classes_.tolist()}.get(text, text)
