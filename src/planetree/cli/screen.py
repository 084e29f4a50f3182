"""What a command says: to a person at a terminal, to a pipe, or as JSON to a machine.

    result   what was asked for               standard output
    said     what is good to know beside it   standard output, unless --quiet
    notes    what a reader should beware of   standard error, unless --quiet
    --json   one object, with the notes       standard output, and nothing else

A terminal gets color and lines of its width; a pipe gets neither.
"""

import itertools
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from planetree.exceptions import OutputError

# Control characters but tab and line feed, and those that change the direction of text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_UNLIMITED = 10_000  # letters: a table of a pipe is never wrapped


class Screen:
    """Where a command speaks."""

    def __init__(self, json: bool = False, quiet: bool = False) -> None:
        self.json: bool = json
        self.quiet: bool = quiet
        self.notes: list[str] = []
        self.answer: dict[str, Any] = {}

    def say(self, text: str = "") -> None:
        """Say what is good to know beside the result."""
        if not (self.json or self.quiet):
            self.write(text)

    def result(self, text: str) -> None:
        """Say what was asked for."""
        if not self.json:
            self.write(text)

    def note(self, *texts: str) -> None:
        """Say what a reader should beware of, once."""
        for text in texts:
            if text in self.notes:
                continue
            self.notes.append(text)
            if not (self.json or self.quiet):
                sys.stdout.flush()
                sys.stderr.write(f"Note: {without_escapes(text)}\n")

    def write_file(self, path: Path, content: str | bytes, force: bool) -> None:
        """Write a file whole or not at all, and say so."""
        from planetree.files import write_file

        with self.writing(path):
            write_file(path, content, force=force)

    @contextmanager
    def writing(self, path: Path) -> Iterator[None]:
        """Say that a file was written, or why it cannot be."""
        try:
            yield
        except FileExistsError:
            raise OutputError(f"{path} exists; use --force to overwrite it.") from None
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error
        self.answer.setdefault("written", []).append(str(path))
        self.say(f"Wrote {path}.")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Any]], left: int = 1) -> None:
        """Print rows in columns, the first `left` of them to the left and the others to the right.

        Where a terminal is too narrow for that, each row is a paragraph.
        """
        if self.json:
            return
        lines = _in_columns(head, rows, left)
        if max(map(len, lines)) > _terminal_width():
            for first, *rest in rows:
                said = ", ".join(f"{n} {c}" for n, c in zip(head[1:], rest, strict=True) if c != "")
                self.write(f"{first}\n  {said}")
            return
        self.write("\n".join(lines))

    def write(self, text: str) -> None:
        """Write lines to standard output, _folded at a terminal so that they keep their indent."""
        width = _terminal_width()
        if sys.stdout.isatty():
            text = without_escapes(text)
        if "utf" not in (sys.stdout.encoding or "").lower():
            text = text.replace("≤", "<=").replace("≥", ">=")
        text = "\n".join(_folded(line, width) for line in text.split("\n"))
        with _standard_output():
            sys.stdout.write(text + "\n")

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
        """Show how far a work is, at a terminal; gives a function to be called at each step."""
        from planetree.progress import show_progress

        silent = -1 if self.json or self.quiet else 0
        done = itertools.count(1)
        with show_progress(without_escapes(what), total, silent, at_once=True) as update:
            yield lambda: update(next(done))

    def close(self) -> None:
        """Say the answer as JSON if that was asked for."""
        if self.json:
            from planetree.files import plain

            said = {**self.answer, "notes": self.notes} if self.notes else self.answer
            text = json.dumps(plain(said), ensure_ascii=False, indent=2)
            with _standard_output():
                sys.stdout.write(without_escapes(text) + "\n")
        with _standard_output():
            sys.stdout.flush()

    def fail(self, message: str, code: int) -> None:
        """Say an error: in a line, and for machines also as JSON."""
        with suppress(OutputError), _standard_output():
            sys.stdout.flush()
        sys.stderr.write(f"planetree: {without_escapes(message)}\n")
        if self.json:
            with suppress(OutputError), _standard_output():
                sys.stdout.write(json.dumps({"error": message, "exit_code": int(code)}) + "\n")
                sys.stdout.flush()


def refuse_existing(paths: Iterable[Path | None], force: bool) -> None:
    """Raise before any work if a file would be replaced unasked or has no folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planetree.cli.screen import refuse_existing
    >>> refuse_existing([None, Path("no/such/folder/model.json")], force=False)
    Traceback (most recent call last):
    planetree.exceptions.OutputError: Cannot write model.json: there is no folder no/such/folder.
    """
    for path in filter(None, paths):
        if path.is_dir():
            raise OutputError(f"{path} is a folder; give the name of a file.")
        if path.exists() and not force:
            raise OutputError(f"{path} exists; use --force to overwrite it.")
        if not path.parent.is_dir():
            raise OutputError(f"Cannot write {path.name}: there is no folder {path.parent}.")


@contextmanager
def _standard_output() -> Iterator[None]:
    """Say that standard output cannot be written; the end of a pipe is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        words = f"Standard output cannot be written: {error.strerror or error}."
        raise OutputError(words) from error


def without_escapes(text: str) -> str:
    r"""Text whose characters a terminal would obey, or turn round, are written as JSON has them.

    Examples
    --------
    >>> from planetree.cli.screen import without_escapes
    >>> without_escapes("\x1b[2Jred\n")
    '\\u001b[2Jred\n'
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _terminal_width() -> int:
    """Columns of the terminal; a pipe has no end."""
    return max(20, get_terminal_size().columns) if sys.stdout.isatty() else sys.maxsize


def _in_columns(head: Sequence[str], rows: Sequence[Sequence[Any]], left: int) -> list[str]:
    """Lines of a table as wide as it needs to be."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    for place, name in enumerate(head):
        table.add_column(Text(name), justify="left" if place < left else "right")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console = Console(file=sys.stdout, width=_UNLIMITED, color_system=None)
    with _standard_output(), console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def _folded(line: str, width: int) -> str:
    """A line in lines of some width, the later ones of an indented or a long rule below it."""
    if len(line) <= width:
        return line
    bare = line.lstrip(" |")
    indent = line[: len(line) - len(bare)]
    hangs = indent or bare.startswith(("if ", "otherwise"))
    return textwrap.fill(
        bare,
        width,
        initial_indent=indent,
        subsequent_indent=indent + "    " if hangs else "",
        break_on_hyphens=False,
        break_long_words=False,
    )
