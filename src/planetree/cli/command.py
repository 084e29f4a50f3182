"""What every command shares: where it speaks, how it fails, and the options for both."""

import functools
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Annotated, Any

import typer

from planetree.cli.screen import Screen
from planetree.exceptions import ColumnError, MethodError, OutputError, SolverError, TimeLimitError

__all__ = ["ExitCode", "UsageError", "app", "command", "say_error"]

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


_EXIT_CODES: list[tuple[type[BaseException], ExitCode]] = [
    (KeyboardInterrupt, ExitCode.INTERRUPTED),
    (TimeLimitError, ExitCode.TIME),
    (OutputError, ExitCode.OUTPUT),
    (FileExistsError, ExitCode.OUTPUT),
    (ColumnError, ExitCode.USAGE),
    (MethodError, ExitCode.USAGE),
    (UsageError, ExitCode.USAGE),
    (ValueError, ExitCode.DATA),
    (SolverError, ExitCode.DATA),
    (OSError, ExitCode.DATA),
    (MemoryError, ExitCode.DATA),
    (RecursionError, ExitCode.DATA),
    (ImportError, ExitCode.DATA),
]

_SHARED = {
    "json": Annotated[bool, typer.Option("--json", help="Answer in JSON, for machines.")],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone.")],
    "debug": Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")],
}


def command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a command; it is given a `Screen` to speak to.

    A parameter whose annotation is a dataclass stands for an option for each of its fields.
    """

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
        kinds = {each.name: each.annotation for each in own}
        groups: dict[str, Any] = {n: kind for n, kind in kinds.items() if is_dataclass(kind)}

        @functools.wraps(body)
        def run(*, json: bool, quiet: bool, debug: bool, **given: Any) -> None:
            screen = Screen(json=json, quiet=quiet)
            for group, kind in groups.items():
                given[group] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
            with _failing_in_words(screen, debug):
                body(screen, **given)

        options = [option for each in own for option in _options_of(each)]
        options += [_option(each, kind, False) for each, kind in _SHARED.items()]
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in options}
        del run.__wrapped__
        app.command(name)(run)
        return body

    return register


def _options_of(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The options that a parameter of a command stands for."""
    kind = parameter.annotation
    if not is_dataclass(kind):
        return [_option(parameter.name, kind, parameter.default)]
    return [_option(each.name, each.type, each.default) for each in fields(kind)]


def _option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


@contextmanager
def _failing_in_words(screen: Screen, debug: bool) -> Iterator[None]:
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
            code, message = _judged(error)
            screen.fail(message, code)
            raise typer.Exit(code) from None


def _judged(error: BaseException) -> tuple[ExitCode, str]:
    """Exit code and words for an error."""
    for kind, code in _EXIT_CODES:
        if isinstance(error, kind):
            return code, _words_of(error)
    name = type(error).__name__
    return ExitCode.FAULT, f"{name}: {_words_of(error)} This is a fault; --debug shows where."


def _words_of(error: BaseException) -> str:
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
