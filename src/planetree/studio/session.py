"""What the page can ask for: each action changes the project, or answers from it.

A session has one table open, as a person has one on the desk. Pages that show it agree, since they
hear of each change. Two workers compute: `desk` what is looked at, `bench` what takes long; an
action that takes long returns at once, and its end is a change like any other.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from planetree.exceptions import FileError
from planetree.studio.events import Events
from planetree.studio.project import (
    Project,
    load_project,
    project_folder,
    remove_unfinished,
    save_project,
)
from planetree.studio.recipe import Recipe, recipe_of
from planetree.studio.reproduction import (
    command_lines,
    drawing_code,
    further_commands,
    python_code,
)
from planetree.studio.security import confined
from planetree.studio.tables_folder import TablesFolder
from planetree.studio.workers import CanceledError, TaskError, Worker

_HOW_READ = ("delimiter", "encoding", "decimal", "sheet", "header", "missing", "dates")


class Session:
    """The state of a studio.

    Parameters
    ----------
    folder : Path
        Where tables are, and the only place where anything is read or written.
    first : str, optional
        Table to open at the start.
    warm : bool
        Whether workers are started before they are needed.
    """

    def __init__(self, folder: Path, first: str | None = None, *, warm: bool = True) -> None:
        self.tables: TablesFolder = TablesFolder(folder)
        self.events: Events = Events()
        self.folder: Path = self.tables.root
        self.desk: Worker = Worker(self.folder)
        self.bench: Worker = Worker(self.folder)
        self.project: Project | None = None
        self.revision: int = 0
        self.work: dict[str, Any] | None = None
        self._turn = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._first, self._is_warm = first, warm
        self._warming: list[asyncio.Task[None]] = []
        self.notice: str = ""

    async def start(self) -> None:
        """Start the workers, and open the first table once they run."""
        if self._is_warm:
            await self.desk.start()
            self._warming = [asyncio.create_task(_quietly(self.bench.call("warm", {})))]
        if self._first is not None:
            self._running = asyncio.create_task(self._open_first(self._first))

    async def _open_first(self, file: str) -> None:
        try:
            await self.open(file)
        except (TaskError, OSError, ValueError) as error:
            self.notice = str(error)
            self._told()

    async def close(self) -> None:
        """End the workers, and let pages go."""
        self.events.close()
        await asyncio.gather(self.desk.close(), self.bench.close())

    # What a page sees

    def state(self) -> dict[str, Any]:
        """Everything that pages show, but for what they ask the desk for."""
        project = self.project
        data = None if project is None else project.to_data()
        if project is not None and data is not None:
            data["stale"] = project.is_stale
            data["code"] = self._code(project)
        return {
            "revision": self.revision,
            "folder": str(self.folder),
            "work": self.work,
            "notice": self.notice,
            "project": data,
        }

    def _code(self, project: Project) -> dict[str, str]:
        """The commands and the Python of what was clicked."""
        recipe = project.recipe
        if project.fitted is not None and not project.is_stale:
            recipe = recipe_of(project.fitted["recipe"])
        sample = project.survey.get("sample")
        drawing = "" if sample is None else drawing_code(recipe.file, sample)
        recipe = recipe if sample is None else replace(recipe, file=sample["file"])
        made = recipe, project.terms, project.edits
        more = further_commands(recipe, project.comparison, project.score)
        first = drawing and shlex.join(["python", "-c", drawing.replace("\n", "; ")])
        commands = filter(None, [first, command_lines(*made), more])
        code = filter(None, [drawing, python_code(*made)])
        return {"command": "\n".join(commands), "python": "\n\n".join(code)}

    def files(self) -> list[str]:
        """Tables of the folder, by name."""
        return self.tables.names()

    # Changes

    def _changed(self, project: Project | None) -> None:
        """Keep a project, and tell every page."""
        if project is not None:
            save_project(self._table(project.recipe), project)
        self.project = project
        self._told()

    def _told(self) -> None:
        self.revision += 1
        self.events.tell("state", {"revision": self.revision})

    def _table(self, recipe: Recipe) -> Path:
        return confined(self.folder, recipe.file)

    def _open_project(self) -> Project:
        if self.project is None:
            raise TaskError("Open a table first.")
        return self.project

    def _fitted(self) -> Project:
        project = self._open_project()
        if project.fitted is None:
            raise TaskError("Fit a model first.")
        return project

    async def open(self, file: str, **how: Any) -> None:
        """Open a table, as it was left if it was open before; `how` says how it is read."""
        async with self._turn:
            self.cancel()
            self.notice = ""
            path = confined(self.folder, file)
            if not path.is_file():
                raise FileError(f"There is no file {file!r} in {self.folder}.")
            remove_unfinished(path)
            name = path.relative_to(self.folder).as_posix()
            known = None if how else await asyncio.to_thread(load_project, path)
            if known is not None:
                self._changed(known)
                return
            recipe = recipe_of({"file": name, **how})
            survey = await self.desk.call("survey", {"recipe": recipe.to_data()})
            target = recipe.target or survey["target"]
            self._changed(Project(replace(recipe, target=target), survey))

    async def example(self, name: str) -> None:
        """Write one of the example tables to the folder, and open it."""
        if not re.fullmatch(r"[\w.-]+", name):
            raise TaskError(f"There is no example {name!r}.")
        text = await self.desk.call("example", {"name": name})
        await self.open(await asyncio.to_thread(self.tables.keep, f"{name}.csv", text.encode()))

    async def reread(self, **how: Any) -> None:
        """Read the table in another way; what was chosen for columns that are still there stays."""
        async with self._turn:
            project = self._open_project()
            recipe = recipe_of({**project.recipe.to_data(), **how})
            survey = await self.desk.call("survey", {"recipe": recipe.to_data()})
            names = {each["name"] for each in survey["columns"]}
            self._changed(replace(project, recipe=_only_known(recipe, names), survey=survey))

    async def choose(self, **changes: Any) -> None:
        """Change the recipe: roles of columns, the goal."""
        if {*changes} & {"file", *_HOW_READ, "categorical", "numeric"}:
            raise TaskError("How the table is read is changed by `reread`.")
        async with self._turn:
            project = self._open_project()
            recipe = recipe_of({**project.recipe.to_data(), **changes})
            if recipe.test is not None:
                confined(self.folder, recipe.test)
            self._changed(replace(project, recipe=recipe))

    async def columns(self) -> Any:
        """Columns with histograms by class, what is missing, and what looks wrong."""
        project = self._open_project()
        found = await self.desk.call("columns", {"recipe": project.recipe.to_data()})
        if self._is_warm:  # only now, so that nobody waits for it
            self._warming.append(asyncio.create_task(_quietly(self.desk.call("warm", {}))))
        return found

    async def size(self, terms: int | None) -> None:
        """Take another tree of the path; edits go."""
        async with self._turn:
            project = self._fitted()
            self._changed(project.at_model(terms=terms, edits=(), undone=()))

    async def edit(self, line: str) -> None:
        """Edit the tree."""
        async with self._turn:
            project = self._fitted()
            edits = (*project.edits, line)
            await self._asked("edited", edits=list(edits))
            self._changed(project.at_model(edits=edits, undone=()))

    async def undo(self) -> None:
        """Take the last edit back."""
        async with self._turn:
            project = self._fitted()
            if not project.edits:
                raise TaskError("There is no edit to undo.")
            *edits, last = project.edits
            undone = (last, *project.undone)
            self._changed(project.at_model(edits=tuple(edits), undone=undone))

    async def redo(self) -> None:
        """Make an edit again that was undone."""
        async with self._turn:
            project = self._fitted()
            if not project.undone:
                raise TaskError("There is no edit to redo.")
            last, *undone = project.undone
            edits = (*project.edits, last)
            self._changed(project.at_model(edits=edits, undone=tuple(undone)))

    async def _asked(self, task: str, **arguments: Any) -> Any:
        """Ask the desk of the present model."""
        project = self._fitted()
        assert project.fitted is not None
        about = {
            "recipe": project.fitted["recipe"],
            "terms": project.terms,
            "edits": list(project.edits),
        }
        return await self.desk.call(task, {**about, **arguments})

    async def model(self) -> Any:
        """The present model as the drawing reads it, with its figures."""
        return await self._asked("model")

    async def alternatives(self, node: int) -> Any:
        """The other decisions of a node, and the certificate of the present one."""
        return await self._asked("alternatives", node=node)

    async def rows(self, **chosen: Any) -> Any:
        """Rows of the table, filtered."""
        return await self._asked("rows", chosen=chosen)

    async def row(self, number: int, **limits: Any) -> Any:
        """Why a row gets its class, and what would change it."""
        return await self._asked("row", number=number, limits=limits)

    async def groups(self, column: str) -> Any:
        """Errors by the values of a column."""
        return await self._asked("groups", column=column)

    async def sheet(self) -> Any:
        """The score sheet."""
        return await self._asked("sheet")

    async def exported(self, to: str, dialect: str | None = None) -> Any:
        """The model in a format, as text; of SQL also what a database makes of some rows."""
        return await self._asked("exported", to=to, dialect=dialect)

    async def content(self, to: str, dialect: str | None = None) -> str:
        """The model in a format, as the bytes of a file in base64."""
        found: str = await self._asked("content", to=to, dialect=dialect)
        return found

    async def report(self) -> str:
        """The report of the present model, as HTML."""
        found: str = await self._asked("report")
        return found

    async def score(self, file: str, **asked: Any) -> None:
        """Compare a new file with the training rows."""
        async with self._turn:
            confined(self.folder, file)
            found = await self._asked("score", file=file, asked=asked)
            self._changed(replace(self._fitted(), score=found))

    async def predictions(self) -> Path:
        """The new file with a class for each row, as a file beside the project."""
        project = self._fitted()
        if project.score is None:
            raise TaskError("Drop a new file first.")
        name: str = await self._asked("predictions", score=project.score)
        return project_folder(self._table(project.recipe)) / name

    # Long work

    def begin(self, name: str, body: Callable[[], Awaitable[None]]) -> None:
        """Start long work, if there is none."""
        if self.work is not None:
            raise TaskError(f"Wait for the end of {self.work['name']!r}, or cancel it.")
        self.work = {"name": name, "progress": None, "error": None}
        self._told()
        self._running = asyncio.create_task(self._run(name, body))

    async def _run(self, name: str, body: Callable[[], Awaitable[None]]) -> None:
        error, table = None, self._table(self._open_project().recipe)
        try:
            await body()
        except CanceledError:
            remove_unfinished(table)
        except (TaskError, OSError, ValueError) as failure:
            error = str(failure)
            remove_unfinished(table)
        self.work = None
        if error:
            self.events.tell("failed", {"name": name, "error": error})
        self._told()
        if self._is_warm:
            await _quietly(self.bench.call("warm", {}))

    def _progress(self, content: Any) -> None:
        if self.work is not None:
            self.work["progress"] = content
            self.events.tell("progress", {"name": self.work["name"], **content})

    def cancel(self) -> None:
        """End the long work."""
        if self.work is not None:
            self.bench.cancel()

    def fit(self) -> None:
        """Fit a model by the recipe."""
        project = self._open_project()
        if project.recipe.target is None:
            raise TaskError("Choose the column to predict first.")

        async def body() -> None:
            recipe = project.recipe
            found = await self.bench.call("fit", {"recipe": recipe.to_data()}, self._fit_progress)
            self._keep_fitted(recipe, found)

        self.begin("fit", body)

    def _fit_progress(self, content: Any) -> None:
        """The model is shown as soon as it is there; its figures on unseen rows follow."""
        if "fitted" in content and self.project is not None:
            self._keep_fitted(self.project.recipe, content["fitted"])
        else:
            self._progress(content)

    def _keep_fitted(self, recipe: Recipe, found: dict[str, Any]) -> None:
        project = self.project
        if project is None or project.recipe.file != recipe.file:
            return
        fitted = {"key": recipe.key, "recipe": recipe.to_data(), **found}
        same = project.fitted is not None and project.fitted["model"] == found["model"]
        if same:
            self._changed(replace(project, fitted=fitted))
        else:
            new = project.at_model(fitted=fitted, terms=None, edits=(), undone=())
            self._changed(new)

    def cost(self) -> None:
        """Count what the edits cost."""
        project = self._fitted()
        assert project.fitted is not None
        about = {"recipe": project.fitted["recipe"], "terms": project.terms}

        async def body() -> None:
            arguments = {**about, "edits": list(project.edits)}
            found = await self.bench.call("cost", arguments, self._progress)
            if self.project is not None and self.project.edits == project.edits:
                self._changed(replace(self.project, cost=found))

        self.begin("cost", body)

    def compare(self, methods: list[str], time_limit: float = 60.0) -> None:
        """Compare methods on the same folds."""
        recipe = self._open_project().recipe

        async def body() -> None:
            asked = {"methods": methods, "time_limit": time_limit}
            arguments = {"recipe": recipe.to_data(), **asked}

            def told(content: Any) -> None:  # points are shown as they come
                if "records" in content:
                    self._keep_found("comparison", recipe, {**content, **asked})
                else:
                    self._progress(content)

            found = await self.bench.call("compare", arguments, told)
            self._keep_found("comparison", recipe, {**found, **asked})

        self.begin("compare", body)

    def search(self, evaluations: int = 2000) -> None:
        """Search for columns with SET-GEN, from where it was left."""
        recipe = self._open_project().recipe

        async def body() -> None:
            arguments = {"recipe": recipe.to_data(), "evaluations": evaluations}

            def told(content: Any) -> None:  # what is found is kept, so that a pause shows it
                self._progress(content)
                self._keep_found("search", recipe, content["search"])

            found = await self.bench.call("search", arguments, told)
            self._keep_found("search", recipe, found)

        self.begin("search", body)

    def _keep_found(self, name: str, recipe: Recipe, found: dict[str, Any]) -> None:
        if self.project is not None and self.project.recipe.file == recipe.file:
            kept: dict[str, Any] = {name: {**found, "recipe": recipe.to_data()}}
            self._changed(replace(self.project, **kept))


async def _quietly(call: Awaitable[Any]) -> None:
    """Wait for something whose failure nobody needs to hear of."""
    with suppress(TaskError):
        await call


def _only_known(recipe: Recipe, names: set[str]) -> Recipe:
    """A recipe without the columns that are not there any more."""
    lists: dict[str, Any] = {
        name: tuple(each for each in getattr(recipe, name) if each in names)
        for name in (
            "categorical",
            "numeric",
            "ignore",
            "required",
            "forbidden",
            "increasing",
            "decreasing",
        )
    }
    own = {name: getattr(recipe, name) for name in ("target", "weight", "group")}
    kept: dict[str, Any] = {name: each if each in names else None for name, each in own.items()}
    costs = {name: cost for name, cost in recipe.feature_costs.items() if name in names}
    return replace(recipe, **lists, **kept, feature_costs=costs)
