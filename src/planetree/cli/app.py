"""The command line: one way in, and what every command shares: where it speaks, how it fails."""

import functools
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import IntEnum
from importlib import import_module
from typing import Annotated, Any, get_args

import typer

from planetree.cli.screen import Screen, without_escapes
from planetree.exceptions import ColumnError, MethodError, OutputError, SolverError, TimeLimitError

_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,  # rich takes longer to load than the help to print
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _ExitCode(IntEnum):
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


_EXIT_CODES: dict[_ExitCode, tuple[type[BaseException], ...]] = {  # the first that fits
    _ExitCode.INTERRUPTED: (KeyboardInterrupt,),
    _ExitCode.TIME: (TimeLimitError,),
    _ExitCode.OUTPUT: (OutputError, FileExistsError),
    _ExitCode.USAGE: (ColumnError, MethodError, UsageError),
    _ExitCode.DATA: (ValueError, SolverError, OSError, MemoryError, RecursionError, ImportError),
}

_SHARED = {
    "json": Annotated[bool, "Print JSON, for scripts."],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")],
    "debug": Annotated[bool, "Show the traceback of an error."],
}


def command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a command; it is given a `Screen` to speak to.

    A parameter whose annotation is a dataclass stands for an option for each of its fields; one
    that is annotated with words alone is an option with those words for help.
    """

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]

        @functools.wraps(body)
        def run(*, json: bool, quiet: bool, debug: bool, **given: Any) -> None:
            screen = Screen(json=json, quiet=quiet)
            asked = {each.name: _gathered(each.name, each.annotation, given) for each in own}
            with _failing_in_words(screen, debug):
                body(screen, **asked)

        options = [o for each in own for o in _options(each.name, each.annotation, each.default)]
        options += [o for each, kind in _SHARED.items() for o in _options(each, kind, False)]
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in options}
        del run.__wrapped__
        _app.command(name)(run)
        return body

    return register


def _options(name: str, kind: Any, default: Any) -> list[inspect.Parameter]:
    """The options that a parameter of a command stands for."""
    if is_dataclass(kind):
        return [o for each in fields(kind) for o in _options(each.name, each.type, each.default)]
    value, *said = get_args(kind)
    if isinstance(said[0], str):
        names = [f"--{name}".replace("_", "-")] if value is bool else []  # typer adds --no-name
        kind = Annotated[value, typer.Option(*names, help=said[0])]
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(name, keyword, default=default, annotation=kind)]


def _gathered(name: str, kind: Any, given: dict[str, Any]) -> Any:
    """The value of a parameter, that of a dataclass with the values of its fields."""
    if not is_dataclass(kind):
        return given[name]
    group: Any = kind
    return group(**{each.name: _gathered(each.name, each.type, given) for each in fields(kind)})


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
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code, message = _judged(error)
            screen.fail(message, code)
            raise typer.Exit(code) from None


def _judged(error: BaseException) -> tuple[_ExitCode, str]:
    """Exit code and words for an error."""
    for code, kinds in _EXIT_CODES.items():
        if isinstance(error, kinds):
            return code, _words_of(error)
    name = type(error).__name__
    return (
        _ExitCode.FAULT,
        f"{name}: {_words_of(error)} This is a bug in planetree; --debug shows where.",
    )


def _words_of(error: BaseException) -> str:
    """What an error says, in a line."""
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted; nothing was written."
    if isinstance(error, MemoryError):
        return "The table does not fit in memory. Use fewer rows or columns (--ignore)."
    if isinstance(error, ModuleNotFoundError):
        return f"This needs {error.name}: pip install 'planetree[cli]' or {error.name}."
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    return " ".join(str(error).split()) or type(error).__name__


def _version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        from planetree import __version__

        typer.echo(f"planetree {__version__}")
        raise typer.Exit


@_app.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Readable models from tables: few decisions, few features in each, no accuracy lost.

    Start with: planetree fit TABLE.csv --target COLUMN --model model.json --report report.html
    """


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    commands = import_module("planetree.cli.commands")  # registers them
    modules = [f"{commands.__name__}.{name}" for name in commands.ORDER]
    _app.registered_commands.sort(key=lambda each: modules.index(each.callback.__module__))
    try:
        code = _app(args=arguments, prog_name="planetree", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
        return _ExitCode.DONE
    except (KeyboardInterrupt, typer.Abort):
        _say_error("Interrupted; nothing was written.")
        return _ExitCode.INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _say_error(_usage_of(error))
        return _ExitCode.USAGE
    return code if isinstance(code, int) else _ExitCode.DONE


def _usage_of(error: Exception) -> str:
    """What is wrong with a command line, and where to look."""
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "planetree"
    return f"{message} See {path} --help."


def _say_error(message: str) -> None:
    """Say an error on the error stream, in one line."""
    sys.stderr.write(f"planetree: {without_escapes(message)}\n")
