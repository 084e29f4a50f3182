"""`planetree export`: a model as text or bytes that run elsewhere."""

from pathlib import Path
from typing import Annotated, Any

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen, refuse_existing

_FORMATS = ("json", "rules", "sql", "python", "c", "onnx", "network")
_TAKES = {
    "sql": ("name", "table", "dialect", "probabilities", "ask", "checks"),
    "python": ("name", "ask"),
    "c": ("name", "ask"),
    "onnx": ("ask",),
}


@command("export")
def export(
    screen: Screen,
    model: options.ModelFile,
    to: Annotated[str, f"One of {', '.join(_FORMATS)}."],
    out: options.Out = None,
    name: Annotated[options.Value, "Name of the function, or of the SQL column."] = None,
    table: Annotated[options.Value, "Table name, for a complete SQL query."] = None,
    dialect: Annotated[
        options.Value, "SQL dialect: standard, sqlite, duckdb or postgresql."
    ] = None,
    probabilities: Annotated[bool, "Add the probability of each class (SQL)."] = False,
    ask: Annotated[
        float | None, "Answer 'ask a person' above this expected error (SQL, Python, C, ONNX)."
    ] = None,
    checks: Annotated[
        bool, "Write a SQL query that compares a table with the training rows instead."
    ] = False,
    majority: Annotated[bool, "Send missing values where most training rows went."] = False,
    force: options.Force = False,
) -> None:
    """Export as SQL, Python, C, ONNX or rules."""
    if to not in _FORMATS:
        raise UsageError(f"--to must be one of {', '.join(_FORMATS)}, not {to!r}.")
    refuse_existing([out], force)
    fitted = load_model(model)
    wanted: dict[str, Any] = {"name": name, "table": table, "dialect": dialect}
    wanted |= {"probabilities": probabilities or None, "ask": ask, "checks": checks or None}
    content = _exported(fitted, model, to, wanted, majority)
    screen.answer |= {"format": to}
    if out:
        screen.write_file(out, content, force)
    elif isinstance(content, bytes):
        raise UsageError(f"{to} is not text; name a file with --out.")
    else:
        screen.answer["content"] = content
        screen.result(content.rstrip("\n"))


def _exported(
    model: Any, path: Path, to: str, wanted: dict[str, Any], majority: bool
) -> str | bytes:
    """A model in a format, with what was asked of it; refuse what the format cannot follow."""
    given: dict[str, Any] = {key: value for key, value in wanted.items() if value is not None}
    strange = sorted(set(given) - set(_TAKES.get(to, ())))
    if strange:
        raise UsageError(f"--{strange[0]} is not for --to {to}.")
    if to == "json":
        return path.read_text("utf-8")
    if majority and to != "network":
        given["missing"] = "majority"
    from planetree.convert import exported

    if given.pop("checks", False):
        return _checks(model, given)
    return exported(model, to, **given)


def _checks(model: Any, given: dict[str, Any]) -> str:
    """The query that counts what `planetree check` counts."""
    from planetree.convert import to_check_sql

    strange = sorted(set(given) - {"table", "dialect"})
    if strange or "table" not in given:
        why = f"not --{strange[0]}" if strange else "and a --table"
        raise UsageError(f"--checks takes --dialect {why}.")
    return to_check_sql(model, **given)
