"""Tables in parts: `planetree fit` of many files or on a cluster, and answers piece by piece.

Memory stays bounded: a part is read, used and forgotten before the next one.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from planetree.cli.app import UsageError
from planetree.cli.commands.show import say_model
from planetree.cli.screen import Screen
from planetree.files import csv_text, write_file

_PIECEWISE = (".parquet", ".pq", ".csv", ".tsv")
_LARGE = 50_000_000  # bytes of a file whose rows are not read at once


def is_in_parts(data: str) -> bool:
    """Whether DATA is a folder, or a pattern that is not itself the name of a file."""
    return os.path.isdir(data) or (glob.has_magic(data) and not os.path.exists(data))


def fit_parts(
    screen: Screen,
    estimator: Any,
    method: str,
    data: str,
    target: str | None,
    weight: str | None,
    cluster: str | None,
) -> Any:
    """Fit a method to a table in parts, and say what was found."""
    from planetree.distributed import open_partitions

    if target is None:
        raise UsageError("Name the column to predict with --target: DATA is a table in parts.")
    if not hasattr(estimator, "_fit_partitions"):
        raise UsageError(
            f"Method {method} needs all rows in memory, but DATA is a table in parts. Use --method "
            "sparse-planes, planes, plane, sparse-plane or quadratic-plane, or join the files."
        )
    with _workers(cluster), screen.progress(f"Learning from {data}"):
        fitted = estimator.fit(open_partitions(data, target, weight))
    say_model(screen, fitted, method)
    reads, size = fitted.n_reads_, fitted.n_bytes_gathered_ / 1e6
    screen.answer["reads"] = reads
    often = "once" if reads == 1 else f"{reads} times"
    screen.say(f"All rows were read {often}; {size:.1f} MB of them came together.")
    screen.note("The error on unseen rows is not estimated for a table in parts.")
    return fitted


def _workers(cluster: str | None) -> AbstractContextManager[Any]:
    """The workers of a cluster; this process if there is none."""
    from planetree.distributed import using

    return nullcontext() if cluster is None else using(cluster)


def refuse_in_parts(*given: Any) -> None:
    """Refuse options that need all rows in memory."""
    if any(each is not None for each in given):
        raise UsageError(
            "A table in parts is fitted without --report, --score-sheet, --test, --group, "
            "--class-weight and --teacher: they need all rows in memory."
        )


def streams(data: str) -> bool:
    """Whether the rows of DATA are answered part by part: many files, or a large one."""
    large = Path(data).suffix.lower() in _PIECEWISE and os.path.isfile(data)
    return is_in_parts(data) or (large and os.path.getsize(data) > _LARGE)


def answer_parts(
    screen: Screen, model: Any, data: str, out: Path | None, probabilities: bool
) -> None:
    """Write the class of each row, part by part."""
    if out is None:
        for text in _answers(model, data, probabilities):
            screen.result(text.rstrip("\n"))
    else:
        with screen.writing(out):
            write_file(out, _answers(model, data, probabilities))


def _answers(model: Any, data: str, probabilities: bool) -> Iterator[str]:
    """Lines of a table of answers, part by part."""
    from planetree.distributed.parts import parts_of

    names = [f"probability of {label}" for label in model.classes_.tolist()]
    yield csv_text([["prediction", *(names if probabilities else [])]])
    known = {column.name for column in model.columns_}
    for part in parts_of(data):
        frame = part.read()
        if not len(frame):
            continue
        rows = frame.select([name for name in frame.column_names if name in known])
        columns = [model.predict(rows).tolist()]
        columns += model.predict_proba(rows).T.tolist() if probabilities else []
        yield csv_text(list(zip(*columns, strict=True)))
