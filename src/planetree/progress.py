"""How far a long run is: a bar by rich if it is installed, else a plain line that is overwritten.

Nothing is shown before a second has passed, and nothing at all where standard error is no terminal
unless `verbose` asks for it: then a plain line every few seconds. Callbacks that scikit-learn's
protocol sets on an estimator (from version 1.9 on) are told of every step, and may stop the run.

A fit to a table in parts opens one display for all it reads (`reading_display`): engines tell it of
every part, and programs of what they know so far.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TextIO

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:

    class CallbackSupport:  # type: ignore[no-redef]
        """Stands in for what scikit-learn has from version 1.9 on."""

    def with_callbacks(method: Any) -> Any:
        """Leave a method as it is."""
        return method


class _Update(Protocol):
    def __call__(self, done: int, note: str = "") -> None: ...


_Display = tuple[_Update, Callable[[], None]]  # what shows progress, and what ends it

_PATIENCE = 1.0  # seconds before anything is shown, so that a short run says nothing
_ON_TERMINAL, _IN_FILE = 0.1, 5.0  # seconds between two updates: what eyes, and what a log can bear


@contextmanager
def show_progress(
    title: str,
    total: int | None = None,
    verbose: int = 0,
    stream: TextIO | None = None,
    *,
    at_once: bool = False,
) -> Iterator[_Update]:
    """Show how far a run is while the context lasts.

    Parameters
    ----------
    title : str
    total : int, optional
        How many steps there are, if that is known.
    verbose : int
        0 shows progress only on a terminal, 1 everywhere, -1 nowhere.
    stream : text file, optional
        By default standard error.
    at_once : bool
        Whether the title is shown before the first step is done.

    Yields
    ------
    callable
        To be called with the number of steps done and, optionally, a short note.

    Examples
    --------
    >>> import io
    >>> from planetree.progress import show_progress
    >>> with show_progress("search", 2, stream=io.StringIO()) as update:
    ...     update(1, "fitness 0.5")
    """
    stream = sys.stderr if stream is None else stream
    terminal = bool(getattr(stream, "isatty", bool)())
    if verbose < 0 or (verbose == 0 and not terminal):
        yield lambda done, note="": None
        return
    show, finish = _opened(title, total, stream, terminal)
    try:
        if at_once:
            show(0)
        yield _at_intervals(show, _ON_TERMINAL if terminal else _IN_FILE)
    finally:
        finish()


def _at_intervals(show: _Update, seconds: float) -> _Update:
    """The same, but for calls that come too early or too soon after another."""
    due = time.monotonic() + _PATIENCE

    def update(done: int, note: str = "") -> None:
        nonlocal due
        if time.monotonic() < due:
            return
        show(done, note)
        due = time.monotonic() + seconds

    return update


def _opened(title: str, total: int | None, stream: TextIO, terminal: bool) -> _Display:
    if terminal:
        try:
            return _bar(title, total, stream)
        except ImportError:
            pass
    return _line(title, total, stream, terminal)


def _bar(title: str, total: int | None, stream: TextIO) -> _Display:
    """A bar by rich, which appears with the first update and vanishes at the end."""
    from rich import progress as rich
    from rich.console import Console

    text = rich.TextColumn("{task.description}", markup=False)
    look = [rich.SpinnerColumn(), text, rich.TimeElapsedColumn()]
    if total is not None:
        look = [text, rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeRemainingColumn()]
    bar = rich.Progress(*look, console=Console(file=stream), transient=True)
    task = bar.add_task(title, total=total)

    def show(done: int, note: str = "") -> None:
        bar.start()
        bar.update(task, completed=done, description=f"{title}: {note}" if note else title)

    return show, bar.stop


def _line(title: str, total: int | None, stream: TextIO, terminal: bool) -> _Display:
    """A line of text, written over the one before it where the stream is a terminal."""
    width = 0

    def show(done: int, note: str = "") -> None:
        nonlocal width
        steps = [f"{done} of {total}"] if total is not None else []
        text = f"{title}: {', '.join([*steps, *[note][: bool(note)]])}".removesuffix(": ")
        if terminal:
            stream.write("\r" + text.ljust(width))
            width = len(text)
        else:
            stream.write(text + "\n")
        stream.flush()

    def finish() -> None:
        if width:
            stream.write("\r" + " " * width + "\r")
            stream.flush()

    return show, finish


@contextmanager
def tell_callbacks(estimator: Any, task: str, total: int) -> Iterator[Callable[[], bool] | None]:
    """Tell the callbacks of an estimator of its fit, and of each step of it.

    Yields
    ------
    callable or None
        To be called after each step; it says whether a callback asks to stop. None if there is no
        callback.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield None
        return
    whole = estimator._init_callback_context(max_subtasks=total)
    whole.call_on_fit_task_begin(estimator=estimator)

    def step() -> bool:
        part = whole.subcontext(task_name=task).call_on_fit_task_begin(estimator=estimator)
        return bool(part.call_on_fit_task_end(estimator=estimator))

    yield step
    whole.call_on_fit_task_end(estimator=estimator)


class _Reading:
    """Passes so far, and the last that was told."""

    def __init__(self, show: Callable[..., None]) -> None:
        self._show, self._n_passes, self._parts, self._note = show, 0, "", ""

    def begin(self) -> None:
        """A pass begins."""
        self._n_passes += 1

    def part(self, done: int, total: int) -> None:
        """So many parts of the pass are done."""
        self._parts = f"pass {self._n_passes}, {done} of {total} parts"
        self._update()

    def tell(self, note: str) -> None:
        """What is known now."""
        self._note = note
        self._update()

    def _update(self) -> None:
        self._show(self._n_passes, "; ".join(filter(None, [self._parts, self._note])))


_READING: ContextVar[_Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading_display() -> Iterator[None]:
    """Show what is read while the context lasts; the outermost one does."""
    if _READING.get() is not None:
        yield
        return
    with show_progress("Reading parts") as show:
        token = _READING.set(_Reading(show))
        try:
            yield
        finally:
            _READING.reset(token)


def pass_display(n_items: int) -> Callable[[int], None]:
    """What is to be told how many parts of a new pass are done."""
    display = _READING.get()
    if display is None:
        return lambda done: None
    display.begin()
    return lambda done: display.part(done, n_items)


def tell_reader(note: str) -> None:
    """Show a note beside what is read from now on."""
    display = _READING.get()
    if display is not None:
        display.tell(note)
