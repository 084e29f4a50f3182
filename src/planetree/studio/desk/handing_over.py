"""The model in other formats: as text, as a file, and tried in a database on some rows."""

from __future__ import annotations

import base64
import importlib.util
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from planetree.convert import exported
from planetree.evaluation.methods import method_named
from planetree.evaluation.validation import fit_in_time, of_size
from planetree.model_files import save
from planetree.reporting import report
from planetree.studio.desk.table_rows import cell_text
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe, recipe_of
from planetree.table import Table
from planetree.words import printable

_TRIED = 8  # rows that a database answers
_TABLE = "rows"
_ENGINES = {"standard": "sqlite3", "sqlite": "sqlite3", "duckdb": "duckdb"}


def content_of(
    desk: Desk,
    recipe: dict[str, Any],
    terms: int | None,
    edits: list[str],
    to: str,
    dialect: str | None,
) -> str:
    """The model in a format, as the bytes of a file in base64."""
    model = desk.model(recipe_of(recipe), terms, edits)
    return base64.b64encode(_content(model, to, dialect)).decode()


def _content(model: Any, to: str, dialect: str | None) -> bytes:
    if to == "json":
        with tempfile.TemporaryDirectory() as folder:
            save(model, Path(folder) / "model.json")
            return (Path(folder) / "model.json").read_bytes()
    options = {"table": _TABLE, "dialect": dialect or "standard"} if to == "sql" else {}
    if to == "sql" and hasattr(model, "predict_proba"):
        options["probabilities"] = True  # type: ignore[assignment]
    found = exported(model, to, **options)
    return found if isinstance(found, bytes) else found.encode()


def exported_text(
    desk: Desk,
    recipe: dict[str, Any],
    terms: int | None,
    edits: list[str],
    to: str,
    dialect: str | None,
) -> dict[str, Any]:
    """The model in a format, as text; of SQL also what a database makes of some rows."""
    asked = recipe_of(recipe)
    model = desk.model(asked, terms, edits)
    content = _content(model, to, dialect)
    found: dict[str, Any] = {"to": to, "dialect": dialect, "bytes": len(content)}
    if to != "onnx":
        found["text"] = content.decode()
    if to == "sql":
        found["tried"] = _tried(model, desk.training(asked).table, content.decode(), dialect)
    return found


def _tried(model: Any, table: Table, sql: str, dialect: str | None) -> dict[str, Any]:
    """Answers of a database beside those of the model, for rows from the whole table."""
    engine = _ENGINES.get(dialect or "standard", "")
    if not engine or importlib.util.find_spec(engine) is None:
        return {"rows": [], "note": f"No embedded database here speaks {dialect}."}
    own = table.select([column.name for column in model.columns_])
    by_class = np.argsort(model.predict(own), kind="stable")  # so that every class is tried
    chosen = by_class[np.unique(np.linspace(0, len(by_class) - 1, _TRIED).astype(np.intp))]
    some = own.take(chosen)
    answers = [str(each) for each in model.predict(some).tolist()]
    try:
        given = _run_sql(engine, sql, some)
    except Exception as error:  # of whichever database it is
        return {"rows": [], "note": f"The test failed: {error}"}
    rows = [
        {
            "number": int(chosen[i]),
            "sql": str(given[i]),
            "model": answers[i],
            "same": str(given[i]) == answers[i],
        }
        for i in range(len(chosen))
    ]
    return {"rows": rows, "engine": engine.removesuffix("3"), "note": ""}


def _run_sql(engine: str, sql: str, rows: Table) -> list[Any]:
    """The predictions that a query gives in a new database."""
    names = [column.name for column in rows.columns]
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    if engine == "duckdb":
        import duckdb

        connection: Any = duckdb.connect()
        kinds = ["DOUBLE" if column.categories is None else "VARCHAR" for column in rows.columns]
        declared = ", ".join(
            f"{name} {kind}" for name, kind in zip(quoted.split(", "), kinds, strict=True)
        )
    else:
        connection, declared = sqlite3.connect(":memory:"), quoted
    connection.execute(f"CREATE TABLE {_TABLE} ({declared})")
    marks = ", ".join("?" * len(names))
    for i in range(len(rows.values)):
        cells = [_cell(rows, i, j) for j in range(len(names))]
        connection.execute(f"INSERT INTO {_TABLE} VALUES ({marks})", cells)
    cursor = connection.execute(sql.rstrip().rstrip(";"))
    place = [each[0] for each in cursor.description].index("prediction")
    return [row[place] for row in cursor.fetchall()]


def _cell(rows: Table, i: int, j: int) -> Any:
    """A cell as a database stores it."""
    if rows.columns[j].categories is not None:
        return cell_text(rows, i, j)
    return None if np.isnan(rows.values[i, j]) else float(rows.values[i, j])


def sheet_shown(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str]
) -> dict[str, Any]:
    """The score sheet: questions with their points, and the table of totals."""
    asked = recipe_of(recipe)
    if edits:
        raise ValueError("A score sheet is for the tree of the slider. Undo the edits first.")
    sheet = of_size(_fitted_again(desk, asked), terms).to_score_sheet()
    names = [printable(sheet.classes_[code]) for code in sheet.shown_classes()]
    return {
        "text": sheet.to_text(),
        "classes": names,
        "sheets": [
            {
                "questions": [[words, f"{points:+d}"] for points, words in sheet.questions(i)],
                "table": [[row.label, *sheet.cells(row)] for row in each.table()],
                "missing": sheet.missing_words(i),
                "proof": sheet.proof_words(i),
            }
            for i, each in enumerate(sheet.sheets_)
        ],
    }


def _fitted_again(desk: Desk, recipe: Recipe) -> Any:
    """The model with the rows that it was fitted to, which its file does not hold."""
    data = desk.training(recipe)
    return desk.again(
        recipe,
        lambda: fit_in_time(
            method_named(recipe.method).make(
                recipe.settings(data.labels)._replace(missing=data.missing)
            ),
            data,
            None,
        ),
    )


def report_page(desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str]) -> str:
    """The report of the model, as `planetree fit --report` writes it."""
    asked = recipe_of(recipe)
    model, data = desk.model(asked, terms, edits), desk.training(asked)
    table = data.table.select([column.name for column in model.columns_])
    unseen = None if edits else desk.unseen(asked, terms)
    title = f"{asked.target} · {desk.rows_path(asked.file).name}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        report(model, table, data.labels, path, title=title, unseen=unseen, groups=data.groups)
        return path.read_text("utf-8")
