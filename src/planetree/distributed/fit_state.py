"""Results of passes kept in a file, so that a fit that was cut off goes on from there.

Fits to tables in parts are deterministic: they ask for the same passes in the same order. So it is
enough to keep what each pass gave. A second call is told what is kept, reads nothing for it, and
goes on where the first one ended. What workers kept is made again when a pass asks for it.

The file is a line that says what it is, and then a record for each pass: its length, its digest,
and its content. A record that was cut off while it was written is dropped.

- a record is of one table and one fit: that of another is an error;
- loading runs no code: of pickled classes only arrays and the results of passes are taken.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from planetree.distributed.parts import first_source

_SCHEMA = 1
_DIGEST = 16  # bytes
_NUMPY = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"),
    ("numpy.core.numeric", "_frombuffer"),
}
_COLUMNS = {("planetree.table.table", "Column")}


class _Record(NamedTuple):
    """What a pass was, and what it gave."""

    work: str
    items: str
    given: str
    found: list[Any]


class _Later:
    """One of the results that a pass keeps where they are; made when one is asked for."""

    def __init__(self, batch: _Batch, place: int) -> None:
        self.batch, self.place = batch, place

    @property
    def real(self) -> Any:
        """What the engine has of it."""
        return self.batch.real[self.place]


class _Batch:
    """Results of one pass that are kept."""

    def __init__(self, engine: Any, work: Callable[..., Any], items: Any, given: Any) -> None:
        self._ask = engine, work, items, given
        self._real: list[Any] | None = None
        self.name = f"{work.__qualname__} of {_names(items)}"

    @property
    def real(self) -> list[Any]:
        """What the engine has of them."""
        if self._real is None:
            engine, work, items, given = self._ask
            self._real = list(engine.keep(work, _real(items), *given))
        return self._real


class RecordingEngine:
    """An engine that keeps the results of its passes in a file, and takes those that are there.

    Parameters
    ----------
    engine : Engine
    path : path
    """

    def __init__(self, engine: Any, path: Any) -> None:
        self.engine, self._path = engine, Path(path)
        self._file = _opened(self._path)
        self._records: list[tuple[int, _Record]] = list(_records(self._file, self._path))
        self._place, self._is_whole = 0, True

    def keep(self, work: Callable[..., Any], items: Sequence[Any], *given: Any) -> list[Any]:
        """Results for a later run; nothing is done before."""
        batch = _Batch(self.engine, work, items, given)
        return [_Later(batch, place) for place in range(len(items))]

    def run(self, work: Callable[..., Any], items: Sequence[Any], *given: Any) -> list[Any]:
        """Results of `work(item, *given)`, in order: those that are kept, or new ones."""
        asked = _Record(work.__qualname__, _names(items), _digest(pickle.dumps(given)), [])
        known = self._known(asked)
        if known is not None:
            return known
        try:
            found = self.engine.run(work, _real(items), *given)
        except BaseException:
            self._is_whole = False
            raise
        self._write(asked._replace(found=found))
        return found

    def close(self, *, remove: bool) -> None:
        """End the file; remove it when all is done, unless a pass was interrupted."""
        self._file.close()
        if remove and self._is_whole:
            self._path.unlink(missing_ok=True)

    def _known(self, asked: _Record) -> list[Any] | None:
        if self._place >= len(self._records):
            return None
        start, record = self._records[self._place]
        if (record.work, record.items) != (asked.work, asked.items):
            raise ValueError(
                f"{self._path} is the state of another fit, or of a table that has changed since. "
                "Delete it, or name another file."
            )
        if record.given != asked.given:  # from here on it is another way
            self._file.truncate(start)
            self._records = self._records[: self._place]
            return None
        self._place += 1
        return record.found

    def _write(self, record: _Record) -> None:
        content = pickle.dumps(tuple(record), protocol=5)
        self._file.seek(0, os.SEEK_END)
        start = self._file.tell()
        head = len(content).to_bytes(8, "little")
        self._file.write(head + bytes.fromhex(_digest(content)) + content)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._records.append((start, record._replace(found=[])))
        self._place += 1


def _opened(path: Path) -> BinaryIO:
    """The file of a state; a new one if there is none."""
    if not path.exists():
        with open(path, "xb") as new:
            new.write(json.dumps({"format": "planetree state", "schema": _SCHEMA}).encode() + b"\n")
    file = open(path, "r+b")  # noqa: SIM115 - it stays open while the fit lasts
    try:
        about = json.loads(file.readline(200))
        if about["format"] != "planetree state" or about["schema"] != _SCHEMA:
            raise KeyError
    except (ValueError, KeyError, TypeError) as error:
        file.close()
        raise ValueError(
            f"{path} is not a fit state that this version can read. Name another file."
        ) from error
    return file


def _records(file: BinaryIO, path: Path) -> Any:
    """Records with where each begins; what was cut off is dropped."""
    while True:
        start = file.tell()
        size = int.from_bytes(file.read(8), "little")
        digest, content = file.read(_DIGEST), file.read(size)
        if not size or len(content) < size or _digest(content) != digest.hex():
            file.truncate(start)
            return
        try:
            yield start, _Record(*_Results(io.BytesIO(content)).load())
        except (pickle.UnpicklingError, TypeError) as error:
            raise ValueError(f"{path} has contents that no fit has written: {error}") from error


class _Results(pickle.Unpickler):
    """Reads arrays, and the tuples that passes of this library give; nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of a result, if it is one."""
        if (module, name) in _NUMPY | _COLUMNS:
            return super().find_class(module, name)
        if module.startswith("planetree."):
            found = super().find_class(module, name)
            if isinstance(found, type) and issubclass(found, tuple):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no result of a pass")


def _real(items: Sequence[Any]) -> list[Any]:
    return [item.real if isinstance(item, _Later) else item for item in items]


def _names(items: Sequence[Any]) -> str:
    """What parts, or results that were kept, are called; files with their state."""
    names = [_name(item) for item in items]
    return _digest(json.dumps(names).encode())


def _name(item: Any) -> str:
    if isinstance(item, _Later):
        return f"{item.batch.name}, {item.place}"
    name = getattr(item, "name", None) or getattr(item, "source", item).name
    return f"{name}: {getattr(first_source(item), 'piece', '')!r}"


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST).hexdigest()
