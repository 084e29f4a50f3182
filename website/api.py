"""A page for each public name: what it is, its mathematics, its parameters, its methods.

The mathematics is the docstring of the module that defines an estimator: the equation stands in the
code once, and the page shows it as it is there.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import planetree

GROUPS = {
    "Trees": "tree",
    "Separators": "separators",
    "Selectors": "feature_selection",
    "Files and reports": ("model_files", "reporting", "environment"),
}
PARTS = {
    "planetree.convert": "Models elsewhere",
    "planetree.plot": "Pictures",
    "planetree.datasets": "Data sets",
    "planetree.distributed": "Tables in parts",
    "planetree.exceptions": "Errors and warnings",
}


@dataclass(frozen=True)
class Entry:
    """A public name with what it stands for."""

    module: str
    name: str

    @property
    def full(self) -> str:
        """The name as a user writes it."""
        return f"{self.module}.{self.name}"

    @property
    def thing(self) -> Any:
        """What the name stands for."""
        return getattr(import_module(self.module), self.name)

    @property
    def summary(self) -> str:
        """First line of its docstring."""
        return (inspect.getdoc(self.thing) or "").split("\n")[0]


def entries() -> dict[str, list[Entry]]:
    """The public names by group, in the order of the reference."""
    found: dict[str, list[Entry]] = {}
    for title, homes in GROUPS.items():
        names = [n for n in planetree.__all__ if planetree._HOMES[n] in homes]
        found[title] = [Entry("planetree", name) for name in names]
    for part, title in PARTS.items():
        found[title] = [Entry(part, name) for name in sorted(import_module(part).__all__)]
    return found


def write_pages(folder: Path) -> None:
    """Write the index of the reference and a page for each name."""
    folder.mkdir(parents=True)
    groups = entries()
    (folder / "index.md").write_text(_index(groups), "utf-8")
    for group in groups.values():
        for entry in group:
            (folder / f"{entry.full}.md").write_text(_page(entry), "utf-8")


def _index(groups: dict[str, list[Entry]]) -> str:
    """The list of all names, each with its first line."""
    lines = ["# API reference", "", "Every public name. Parameters are keyword-only.", ""]
    for title, group in groups.items():
        lines += [f"## {title}", "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| [{_said(e)}]({e.full}.md) | {_cell(e.summary)} |" for e in group]
        lines += ["", "```{toctree}", ":hidden:", ""]
        lines += [f"{e.name} <{e.full}>" for e in group] + ["```", ""]
    return "\n".join(lines)


def _said(entry: Entry) -> str:
    """A name in code type, with its part unless it is of the top."""
    return f"`{entry.full.removeprefix('planetree.')}`"


def _cell(text: str) -> str:
    """Text that fits in a cell of a table."""
    return text.replace("|", "\\|")


def _page(entry: Entry) -> str:
    """Page of a name."""
    thing = entry.thing
    lines = [f"# {entry.name}", ""]
    if inspect.isclass(thing):
        lines += _directive(f"autoclass:: {entry.full}", *_members(thing))
    else:
        lines += _directive(f"autofunction:: {entry.full}")
    if inspect.isclass(thing) and entry.module == "planetree":
        lines += ["## The mathematics", "", _mathematics(sys.modules[thing.__module__]), ""]
    if any(re.search(rf"\b{entry.name}\b", example) for example in _examples()):
        lines += ["## Pictures", "", *_directive(f"minigallery:: {entry.full}")]
    return "\n".join(lines)


@cache
def _examples() -> tuple[str, ...]:
    """Texts of the examples of the gallery."""
    folder = Path(__file__).parents[1] / "examples" / "gallery"
    return tuple(path.read_text("utf-8") for path in sorted(folder.glob("plot_*.py")))


def _directive(first: str, *rest: str) -> list[str]:
    """A directive of reStructuredText within Markdown."""
    return ["```{eval-rst}", f".. {first}", *rest, "```", ""]


def _members(thing: type) -> Iterator[str]:
    """Methods and properties of a class that planetree defines, as options of autodoc."""
    names = [name for name in sorted(dir(thing)) if not name.startswith("_")]
    ours = [name for name in names if _is_ours(inspect.getattr_static(thing, name))]
    if ours:
        yield f"   :members: {', '.join(ours)}"  # named ones are shown wherever they come from


def _is_ours(member: Any) -> bool:
    """Whether a member of a class is documented and defined by planetree."""
    inner = getattr(member, "fget", None) or getattr(member, "__func__", member)
    inner = getattr(inner, "fn", None) or inner
    module = getattr(inner, "__module__", None) or ""
    return module.startswith("planetree") and bool(inspect.getdoc(inner))


def _mathematics(module: ModuleType) -> str:
    r"""Docstring of a module as Markdown: what is indented stands as it is.

    Examples
    --------
    >>> from types import ModuleType
    >>> from website.api import _mathematics
    >>> print(_mathematics(ModuleType("m", "Least squares.\n\n    min |x|\n\nUnique.")))
    Least squares.
    <BLANKLINE>
    ```text
    min |x|
    ```
    <BLANKLINE>
    Unique.
    """
    paragraphs = inspect.cleandoc(module.__doc__ or "").split("\n\n")
    made, block = [], []
    for paragraph in [*paragraphs, ""]:
        if paragraph.startswith("    "):
            block.append(paragraph)
            continue
        if block:
            made.append("```text\n" + inspect.cleandoc("\n" + "\n\n".join(block)) + "\n```")
        block = []
        made.append(re.sub(r"(?<!`)\*(?!`)", r"\\*", paragraph))
    return "\n\n".join(made).strip()
