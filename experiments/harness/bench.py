"""Cells with checkpoints, and folds that are the same for all methods.

A cell is one call of a function with plain arguments, such as (set, method, repeat). Its result is
kept on disk as soon as it is there, so an interrupted run goes on where it stopped, and experiments
that ask for the same cell share it. A cell is computed again when its function or anything in the
library has changed. The seconds of the processor that it took are kept beside it.
"""

import hashlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from joblib import Memory, Parallel, delayed
from joblib import hash as hash_of
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

import planetree
from planetree import _core

CHECKPOINTS = Path(os.environ.get("PLANETREE_CHECKPOINTS", ".experiments"))

Choice = TypeVar("Choice")
Splits = Iterable[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Bench:
    """How much of an experiment is run, on how many processes, and where its cells are kept."""

    quick: bool = False
    jobs: int = 1
    checkpoints: Path = CHECKPOINTS
    seconds: dict[str, float] = field(default_factory=dict)  # of the processor, by cell

    def pick(self, full: Choice, quick: Choice) -> Choice:
        """The one for a whole run or the one for a quick run."""
        return quick if self.quick else full

    def cells(self, function: Callable[..., Any], cases: Iterable[dict[str, Any]]) -> pd.DataFrame:
        """Frame of the cases, each beside the row or the rows that the function returns for it."""
        cases = list(cases)
        kept = self.checkpoints / library_digest()
        calls = (delayed(computed)(function, case, kept) for case in cases)
        results = Parallel(self.jobs, return_as="generator")(calls)
        rows: list[dict[str, Any]] = []
        start = time.monotonic()
        for done, (case, (result, key, seconds)) in enumerate(zip(cases, results, strict=True), 1):
            self.seconds[key] = seconds
            found = result if isinstance(result, list) else [result]
            rows += [case | row for row in found]
            progress(function, case, done, len(cases), time.monotonic() - start)
        return pd.DataFrame(rows)


def computed(
    function: Callable[..., Any], case: dict[str, Any], folder: Path
) -> tuple[Any, str, float]:
    """What a cell has, its key, and the seconds that it took when it was computed."""
    known: list[Any] = []  # what joblib tells of a result that is on disk

    def is_known(metadata: Any) -> bool:
        known.append(metadata)
        return True

    key = hash_of((function.__module__, function.__qualname__, case))
    note = folder / "seconds" / key
    cell = Memory(folder, verbose=0).cache(function, cache_validation_callback=is_known)
    start = time.process_time()
    result = cell(**case)
    if not known:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"{time.process_time() - start:.6f}")
    return result, key, float(note.read_text())


@cache
def library_digest() -> str:
    """A name for the state that the library is in."""
    sources = sorted(Path(planetree.__file__).parent.rglob("*.py"))
    digest = hashlib.sha256()
    for path in (*sources, Path(_core.__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def progress(
    function: Callable[..., Any], case: dict[str, Any], done: int, total: int, spent: float
) -> None:
    """A line for each finished cell, on the side of the results."""
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    what = ", ".join(str(value) for value in case.values())
    print(f"{name}: {done} of {total}, {spent:.0f} s ({what})", file=sys.stderr, flush=True)


def grid(**choices: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination, the last name changing fastest."""
    cases: list[dict[str, Any]] = [{}]
    for name, values in choices.items():
        values = list(values)
        cases = [case | {name: value} for case in cases for value in values]
    return cases


def folds(y: np.ndarray, n_folds: int, repeat: int) -> Splits:
    """Division into stratified folds: the same for everyone who names the same repeat."""
    spread = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(spread.split(np.zeros(len(y)), y))


def two_thirds(y: np.ndarray, n_splits: int) -> Splits:
    """Random 67 to 33 splits: the same for everyone."""
    spread = StratifiedShuffleSplit(n_splits, test_size=0.33, random_state=0)
    return spread.split(np.zeros(len(y)), y)


def scores(
    make: Callable[[], Any],
    X: Any,
    y: np.ndarray,
    splits: Splits,
    count: Callable[[Any], dict[str, Any]] = lambda model: {},
) -> list[dict[str, Any]]:
    """A row a fold: its test rows, errors in percent, seconds of training, and counts."""
    found = []
    for fold, (train, test) in enumerate(splits):
        start = time.process_time()
        model = make().fit(rows(X, train), y[train])
        seconds = time.process_time() - start
        found.append(
            {
                "fold": fold,
                "rows": len(test),
                "training_rows": len(train),
                "error": error(model, rows(X, test), y[test]),
                "training_error": error(model, rows(X, train), y[train]),
                "seconds": round(seconds, 4),
            }
            | count(model)
        )
    return found


def rows(X: Any, chosen: np.ndarray) -> Any:
    """Rows of a frame or an array."""
    return X.iloc[chosen] if isinstance(X, pd.DataFrame) else X[chosen]


def error(model: Any, X: Any, y: np.ndarray) -> float:
    """Percentage of rows that a model gets wrong."""
    return round(100.0 * float(np.mean(model.predict(X) != y)), 4)
