"""The table, the model and the editor of a recipe: read once, and again after a worker was ended.

Only the last table and the last model are kept. A file as it was read is kept beside the rows to
learn from only while it is small; of a large one a sample of its rows stands for it (`large`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from planetree.arrays import Floats
from planetree.studio.project import project_folder
from planetree.studio.recipe import Recipe
from planetree.studio.security import confined
from planetree.table_files import DataFile, labels_for, read_file, read_rows_for

if TYPE_CHECKING:
    from planetree.evaluation.reading import TrainingTable
    from planetree.studio.desk.large import WholeTable
    from planetree.tree import TreeEditor

MODEL_FILE = "model.json"
_SMALL = 64 << 20  # bytes of a file that is kept beside the rows to learn from


class Desk:
    """What a worker has before it.

    Parameters
    ----------
    folder : Path
        Where tables are.
    tell : callable
        Told how far a task is.
    """

    def __init__(self, folder: Path, tell: Callable[[Any], None]) -> None:
        self.folder: Path = folder
        self.tell = tell
        self._kept: dict[str, tuple[Any, Any]] = {}
        self._editor: tuple[Any, TreeEditor, list[str]] | None = None

    def path(self, name: str) -> Path:
        """Path of a file of the folder."""
        return confined(self.folder, name)

    def place(self, recipe: Recipe, name: str) -> Path:
        """Path of a file beside the project of a recipe."""
        folder = project_folder(self.path(recipe.file))
        folder.mkdir(exist_ok=True)
        return folder / name

    def rows_path(self, name: str) -> Path:
        """The file whose rows are worked with: a sample of a large one."""
        from planetree.studio.desk.large import is_large, sample_of

        path = self.path(name)
        return sample_of(path) if is_large(path) else path

    def whole(self, recipe: Recipe) -> WholeTable | None:
        """What all rows of a large file are; None of one that is held whole."""
        from planetree.studio.desk.large import is_large, whole_table

        path = self.path(recipe.file)
        if not is_large(path):
            return None
        reading = recipe.reading()._replace(target=recipe.target, ignore=())
        key = path, path.stat().st_mtime_ns, reading
        return self._once("whole", key, lambda: whole_table(path, reading, recipe.categorical))

    def _once(self, what: str, key: Any, make: Callable[[], Any]) -> Any:
        """The last thing of a kind, if it is that of the key; else a new one in its place."""
        if what not in self._kept or self._kept[what][0] != key:
            self._kept.pop(what, None)
            self._kept[what] = key, make()
        return self._kept[what][1]

    def file(self, recipe: Recipe) -> DataFile:
        """The file of a recipe."""
        path = self.rows_path(recipe.file)
        reading = recipe.reading()._replace(target=recipe.target)
        key = path, path.stat().st_mtime_ns if path.is_file() else 0, reading._replace(ignore=())
        return self._once("file", key, lambda: read_file(path, reading, recipe.categorical))

    def training(self, recipe: Recipe) -> TrainingTable:
        """The rows to learn from."""
        from planetree.evaluation.reading import read_training_table

        def make() -> TrainingTable:
            file = self.file(recipe)
            if file.frame.nbytes > _SMALL:
                del self._kept["file"]
            return read_training_table(
                self.rows_path(recipe.file),
                recipe.target,
                sample_weight=recipe.weight,
                group=recipe.group,
                reading=recipe.reading(),
                file=file,
            )

        data = recipe.reading(), recipe.target, recipe.weight, recipe.group
        path = self.rows_path(recipe.file)
        return self._once("table", (path, path.stat().st_mtime_ns, data), make)

    def fitted(self, recipe: Recipe) -> Any:
        """The model that was fitted last."""
        path = self.place(recipe, MODEL_FILE)
        from planetree.model_files import load

        if not path.is_file():
            raise ValueError("The model is not there any more. Fit it again.")
        return self._once("model", (path, path.stat().st_mtime_ns), lambda: load(path))

    def again(self, recipe: Recipe, make: Callable[[], Any]) -> Any:
        """What is made of the rows of a recipe once more, kept while the model's file is."""
        path = self.place(recipe, MODEL_FILE)
        return self._once("again", (path, path.stat().st_mtime_ns), make)

    def unseen(self, recipe: Recipe, terms: int | None) -> Floats | None:
        """Probabilities of the rows by models of a size that have not seen them, if kept."""
        path = self.place(recipe, "unseen.npz")
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as kept:
            name = f"terms {terms}"
            return kept[name] if name in kept.files else None

    def model(self, recipe: Recipe, terms: int | None, edits: Sequence[str]) -> Any:
        """The model that the page shows."""
        from planetree.evaluation.validation import of_size

        if edits:
            return self.editor(recipe, terms, edits).model_
        return of_size(self.fitted(recipe), terms)

    def editor(self, recipe: Recipe, terms: int | None, edits: Sequence[str]) -> TreeEditor:
        """The editor after some edits: those that it has made already are not made again."""
        from planetree.evaluation.validation import of_size
        from planetree.tree import PlaneTreeClassifier, TreeEditor
        from planetree.tree.editing.edit_lines import apply_edit

        model, data = self.fitted(recipe), self.training(recipe)
        if not isinstance(model, PlaneTreeClassifier):
            raise ValueError(f"Edits are for the readable tree, not for {type(model).__name__}.")
        key = self._kept["model"][0], self._kept["table"][0], terms
        if self._editor is None or self._editor[0] != key:
            rows = data.table, data.labels, data.weights
            self._editor = key, TreeEditor(of_size(model, terms), *rows), []
        _, editor, done = self._editor
        pairs = zip(done, edits, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        for _ in done[same:]:
            editor.undo()
        del done[same:]
        for line in edits[same:]:
            apply_edit(editor, line)
            done.append(line)
        return editor

    def new_rows(
        self, model: Any, recipe: Recipe, path: Path, renamed: dict[str, str], keep: bool = False
    ) -> tuple[Any, DataFile]:
        """Rows of another file for a model, and the whole file."""
        from planetree.table import columns_read

        reading = recipe.reading()._replace(
            target=recipe.target, renamed=renamed, keep=keep, ignore=(), numbers=()
        )
        return read_rows_for(model, path, reading, columns_read(model))

    def labeled_rows(
        self, model: Any, recipe: Recipe, name: str, renamed: dict[str, str]
    ) -> tuple[Any, Any]:
        """Rows of another file that have a class, and their classes."""
        frame, file = self.new_rows(model, recipe, self.rows_path(name), renamed)
        labels, known = labels_for(model, file, recipe.target, name)
        return frame.filter(known), labels
