"""The command line: the commands put together, and one way in."""

import sys
from typing import Annotated

import typer

from planetree.cli.command import ExitCode, app, say_error
from planetree.cli.commands import (  # noqa: F401
    compare,
    explain,
    export,
    fit,
    predict,
    report,
    select,
    show,
)

_ORDER = [
    "fit",
    "compare",
    "select",
    "rank",
    "show",
    "predict",
    "explain",
    "export",
    "report",
    "datasets",
    "demo",
]
app.registered_commands.sort(key=lambda each: _ORDER.index(str(each.name)))

__all__ = ["run"]


def _version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        from planetree import __version__

        typer.echo(f"planetree {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Readable models from tables: few decisions, few features in each, no accuracy lost.

    Begin with: planetree fit TABLE.csv --target COLUMN --model model.json --report report.html
    """


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = app(args=arguments, prog_name="planetree", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
        return ExitCode.DONE
    except (KeyboardInterrupt, typer.Abort):
        say_error("Interrupted; nothing was written.")
        return ExitCode.INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        say_error(_usage_of(error))
        return ExitCode.USAGE
    return code if isinstance(code, int) else ExitCode.DONE


def _usage_of(error: Exception) -> str:
    """What is wrong with a command line, and where to look."""
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "planetree"
    return f"{message} See {path} --help."
