"""What every command shares: where it speaks, how it fails, and the options for both."""

import functools
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Annotated, Any

import typer

from planetree.cli.screen import Screen
from planetree.exceptions import ColumnError, OutputError, SolverError

__all__ = ["ExitCode", "TimeLimitError", "UsageError", "command", "say_error"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    FAULT = 1
    USAGE = 2
    DATA = 3
    OUTPUT = 4
    TIME = 5
    INTERRUPTED = 130


class UsageError(ValueError):
    """What was asked for on the command line cannot be."""


class TimeLimitError(RuntimeError):
    """The time limit is over."""


EXIT_CODES: list[tuple[type[BaseException], ExitCode]] = [
    (KeyboardInterrupt, ExitCode.INTERRUPTED),
    (TimeLimitError, ExitCode.TIME),
    (OutputError, ExitCode.OUTPUT),
    (FileExistsError, ExitCode.OUTPUT),
    (ColumnError, ExitCode.USAGE),
    (UsageError, ExitCode.USAGE),
    (ValueError, ExitCode.DATA),
    (SolverError, ExitCode.DATA),
    (OSError, ExitCode.DATA),
    (MemoryError, ExitCode.DATA),
    (RecursionError, ExitCode.DATA),
    (ImportError, ExitCode.DATA),
]

SHARED = {
    "json": Annotated[bool, typer.Option("--json", help="Answer in JSON, for machines.")],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone.")],
    "debug": Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")],
}


def command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a command; it is given a `Screen` to speak to."""

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(body)
        def run(*, json: bool, quiet: bool, debug: bool, **given: Any) -> None:
            screen = Screen(json=json, quiet=quiet)
            with failing_in_words(screen, debug):
                body(screen, **given)

        own = list(inspect.signature(body).parameters.values())[1:]
        shared = [
            inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
            for each, kind in SHARED.items()
        ]
        own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in [*own, *shared]}
        del run.__wrapped__
        app.command(name)(run)
        return body

    return register


@contextmanager
def failing_in_words(screen: Screen, debug: bool) -> Iterator[None]:
    """Say an error in words and exit with its code; say warnings as notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("once", UserWarning)
        warnings.showwarning = lambda message, *_: screen.note(str(message))
        try:
            yield
            screen.close()
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code, message = judged(error)
            screen.fail(message, code)
            raise typer.Exit(code) from None


def judged(error: BaseException) -> tuple[ExitCode, str]:
    """Exit code and words for an error."""
    for kind, code in EXIT_CODES:
        if isinstance(error, kind):
            return code, words_of(error)
    name = type(error).__name__
    return ExitCode.FAULT, f"{name}: {words_of(error)} This is a fault; --debug shows where."


def words_of(error: BaseException) -> str:
    """What an error says, in a line."""
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted; nothing was written."
    if isinstance(error, MemoryError):
        return "The table does not fit in memory. Take fewer rows or columns (--ignore)."
    if isinstance(error, ModuleNotFoundError):
        return f"This needs {error.name}: pip install 'planetree[cli]' or {error.name}."
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    return " ".join(str(error).split()) or type(error).__name__


def say_error(message: str) -> None:
    """Say an error on the error stream, in one line."""
    sys.stderr.write(f"planetree: {message}\n")
