"""A piece of work in the studio: what the page shows again after it was closed, or killed.

It is one JSON file in a folder beside the table, `TABLE.planetree`, which is written whole or not
at all after each step. Beside it stands the fitted model, as a model file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planetree.files import write_file
from planetree.studio.recipe import Recipe, recipe_of

_FORMAT = 1
_FILE = "project.json"
PREDICTIONS_FILE = "predictions.csv"


@dataclass(frozen=True)
class Project:
    """What was decided, and what was found.

    Parameters
    ----------
    recipe : Recipe
        As the page has it now.
    survey : dict
        What was read of the table: columns, first rows, notes.
    fitted : dict, optional
        The fitted model: its recipe, its sizes with their figures.
    terms : int, optional
        Size that the slider is at; None for the tree that `fit` keeps.
    edits, undone : tuple of str
        Lines that were edited, and those that were undone, the last one first.
    cost : dict, optional
        What the edits cost.
    comparison, search, score : dict, optional
        What was found of other methods, by SET-GEN, and of a new file.
    """

    recipe: Recipe
    survey: Mapping[str, Any]
    fitted: Mapping[str, Any] | None = None
    terms: int | None = None
    edits: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    cost: Mapping[str, Any] | None = None
    comparison: Mapping[str, Any] | None = None
    search: Mapping[str, Any] | None = None
    score: Mapping[str, Any] | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the model is one of another recipe."""
        return self.fitted is not None and self.fitted["key"] != self.recipe.key

    def to_data(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        return {**self.__dict__, "recipe": self.recipe.to_data()}

    def at_model(self, **changes: Any) -> Project:
        """The same with another model: what was found of the one before goes."""
        gone: dict[str, Any] = {"cost": None, "score": None}
        return replace(self, **{**gone, **changes})


def project_folder(table: Path) -> Path:
    """Where the project of a table is."""
    return table.with_name(table.name + ".planetree")


def save_project(table: Path, project: Project) -> None:
    """Write the project of a table."""
    folder = project_folder(table)
    folder.mkdir(exist_ok=True)
    data = {"format": _FORMAT, "bytes": table.stat().st_size, **project.to_data()}
    write_file(folder / _FILE, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def remove_unfinished(table: Path) -> None:
    """Remove files beside a project that a process was writing when it was ended."""
    for part in project_folder(table).glob(".*.part"):
        part.unlink(missing_ok=True)


def load_project(table: Path) -> Project | None:
    """The project of a table; None if there is none, or it is of another version or other bytes."""
    try:
        data = json.loads((project_folder(table) / _FILE).read_text("utf-8"))
        if data.pop("format") != _FORMAT or data.pop("bytes") != table.stat().st_size:
            return None
        lines = {name: tuple(data.pop(name)) for name in ("edits", "undone")}
        return Project(**{**data, **lines, "recipe": recipe_of(data["recipe"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None
