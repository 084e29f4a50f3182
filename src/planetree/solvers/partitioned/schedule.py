"""Programs over rows in parts, side by side: whatever they ask of all rows is read once.

A program is a generator. It yields the `Pass` that it needs next, and is sent what the parts gave.
Programs that wait for rows at the same time share a read: every part is read once, and each
program has its own view of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple


class Pass(NamedTuple):
    """Work on each part.

    Parameters
    ----------
    work : function of rows, or of what was kept of them, and `given`
    given : tuple
    over : object, optional
        What an earlier pass kept; None for all rows.
    keep : bool
        Whether results stay where they are, for later passes over them.
    """

    work: Callable[..., Any]
    given: tuple[Any, ...] = ()
    over: Any = None
    keep: bool = False


Program = Generator[Pass, Any, Any]


class _Kept(NamedTuple):
    """What a pass of one program kept, part by part."""

    items: list[Any]
    key: Any


def run_together(
    engine: Any,
    parts: Sequence[Any],
    programs: Mapping[Any, Program],
    prepare: Callable[[Any], Any] | None = None,
    views: Mapping[Any, Callable[[Any], Any]] | None = None,
) -> tuple[dict[Any, Any], int]:
    """Results of programs, and how often all rows were read for them.

    Parameters
    ----------
    engine : object with `run` and `keep`
    parts : sequence of objects with `rows`
    programs : mapping of generators
    prepare : function of the rows of a part, optional
        Makes once of them what all views are taken from.
    views : mapping of functions of what `prepare` gives, optional
        Rows as each program sees them.
    """
    results: dict[Any, Any] = {}
    waiting: dict[Any, Pass] = {}

    def advance(key: Any, found: Any) -> None:
        try:
            asked = programs[key].send(found)
            while asked.over is not None:
                asked = programs[key].send(_on_kept(engine, asked))
            waiting[key] = asked
        except StopIteration as end:
            results[key] = end.value
            if getattr(end.value, "status", None) == "interrupted":  # Ctrl-C is meant for all
                raise KeyboardInterrupt from None

    n_reads = 0
    try:
        for key in programs:
            advance(key, None)
        while waiting:
            asked, waiting = waiting, {}
            found = _read(engine, parts, asked, prepare, views or {})
            n_reads += 1
            for key in asked:
                advance(key, found[key])
    except KeyboardInterrupt:
        results.update({key: _stopped(programs[key]) for key in programs if key not in results})
    return results, n_reads


def _stopped(program: Program) -> Any:
    """What a program has when it is interrupted; raises if that is nothing."""
    try:
        program.throw(KeyboardInterrupt())
    except StopIteration as end:
        return end.value
    raise KeyboardInterrupt


def _read(
    engine: Any,
    parts: Sequence[Any],
    asked: Mapping[Any, Pass],
    prepare: Callable[[Any], Any] | None,
    views: Mapping[Any, Callable[[Any], Any]],
) -> dict[Any, Any]:
    """What the passes of several programs give in one read."""
    tasks = {key: (views.get(key), each.work, each.given) for key, each in asked.items()}
    if not any(each.keep for each in asked.values()):
        found = engine.run(_visit, parts, prepare, tasks)
        return {key: [each[key] for each in found] for key in asked}
    kept = engine.keep(_visit, parts, prepare, tasks)
    return {
        key: _Kept(kept, key) if each.keep else engine.run(_own, kept, key)
        for key, each in asked.items()
    }


def _visit(
    part: Any, prepare: Callable[[Any], Any] | None, tasks: dict[Any, Any]
) -> dict[Any, Any]:
    """Read a part once, and do what each program asks of it."""
    rows = part.rows() if prepare is None else prepare(part.rows())
    return {
        key: work(rows if view is None else view(rows), *given)
        for key, (view, work, given) in tasks.items()
    }


def _own(found: dict[Any, Any], key: Any) -> Any:
    return found[key]


def _on_kept(engine: Any, asked: Pass) -> Any:
    items, key = asked.over
    if asked.keep:
        return _Kept(engine.keep(_kept_again, items, key, asked.work, asked.given), key)
    return engine.run(_visit_kept, items, key, asked.work, asked.given)


def _visit_kept(found: dict[Any, Any], key: Any, work: Callable[..., Any], given: Any) -> Any:
    return work(found[key], *given)


def _kept_again(found: dict[Any, Any], key: Any, work: Callable[..., Any], given: Any) -> Any:
    return {key: work(found[key], *given)}
