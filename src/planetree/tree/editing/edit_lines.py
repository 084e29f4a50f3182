"""Edits of a tree as lines of text: how the command and the page say them, and keep them.

replace 0: age > 50           the decision of node 0; what is below it grows again
replace 0, keep: age > 50     what is below it is kept; `close` makes its branches leaves
split 0: age, dose            a plane over these columns, whose weights the program finds
take 0: 2                     the second of the alternatives that are listed for node 0
close 3      grow 3      lock 3      unlock 3
relabel 3: yes
forbid: age, dose             and `forbid 3: age` for node 3 and below
"""

from __future__ import annotations

import re
from typing import Any

from planetree.exceptions import MethodError
from planetree.tree.editing.alternatives import Alternative
from planetree.tree.editing.tree_editor import TreeEditor

_EDIT = re.compile(r"(\w+)\s*(\d+)?\s*(?:,\s*(\w+))?\s*(?::\s*(.+))?$", re.DOTALL)
_OF_NODES = ("close", "grow", "lock", "unlock")
_HOW = (
    "Say 'replace 0: age > 50', 'split 0: age, dose', 'take 0: 2', 'close 3', 'grow 3', 'lock 3', "
    "'relabel 3: yes' or 'forbid: age'."
)


def apply_edit(editor: TreeEditor, text: str) -> None:
    """Make an edit that is said in a line."""
    found = _EDIT.match(text.strip())
    if found is None:
        raise MethodError(f"{text!r} is not an edit. {_HOW}")
    what, number, below, argument = found.groups()
    node = None if number is None else int(number)
    if what == "forbid" and argument:
        editor.forbid(_columns(editor, argument), node)
        return
    if node is None:
        raise MethodError(f"{text!r} names no node. {_HOW}")
    if what in _OF_NODES and argument is None:
        getattr(editor, what)(node)
    elif what == "replace" and argument:
        editor.replace(node, argument.strip(), below=below or "grow")
    elif what == "split" and argument:
        editor.replace(node, _columns(editor, argument), below=below or "grow")
    elif what == "take" and argument and argument.strip().isdigit():
        editor.replace(node, _listed(editor, node, int(argument)), below=below or "grow")
    elif what == "relabel" and argument:
        editor.relabel(node, _label(editor, argument.strip()))
    else:
        raise MethodError(f"{text!r} is not an edit. {_HOW}")


def _columns(editor: TreeEditor, text: str) -> list[str]:
    """Names of columns in a list; a name may hold commas."""
    names = {column.name for column in editor.model_.columns_}
    return [text.strip()] if text.strip() in names else [each.strip() for each in text.split(",")]


def _label(editor: TreeEditor, text: str) -> Any:
    """The class that a text names."""
    return {str(label): label for label in editor.model_.classes_.tolist()}.get(text, text)


def _listed(editor: TreeEditor, node: int, place: int) -> Alternative:
    """The alternative of a node at a place of its list, counting from 1."""
    found = editor.alternatives(node)
    if not 1 <= place <= len(found):
        raise MethodError(
            f"Node {node} has {len(found)} alternatives, so there is no number {place}."
        )
    return found[place - 1]
