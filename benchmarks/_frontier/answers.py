"""Answers that are kept: one file a method, set and fold, so that a run goes on where it stopped.

What is kept is what a method said of each row, not what that is worth: measures may change without
another fit. Ours are kept under a digest of the library's sources, peers' under their names.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

import numpy as np

import planetree
from benchmarks._frontier.data import CACHE, GROUPS, Examples
from benchmarks._frontier.methods import METHODS, Answer


def answers(method: str, each: Examples) -> list[Answer]:
    """Answers of a method in all folds of a set, computed where they are not kept."""
    found = []
    for number, learned, unseen in each.folds():
        path = _path(method, each.group, each.name, number)
        if not path.exists():
            X = each.X
            answer = METHODS[method].answer(X.iloc[learned], each.y[learned], X.iloc[unseen])
            _keep(path, answer)
        found.append(_read(path))
    return found


def are_kept(method: str, group: str, name: str) -> bool:
    """Whether a method has answered all folds of a set."""
    numbers = range(GROUPS[group].n_folds)
    return all(_path(method, group, name, number).exists() for number in numbers)


def _path(method: str, group: str, name: str, number: int) -> Path:
    home = CACHE / "answers" / method.replace(" ", "_")
    return (home / digest() if METHODS[method].ours else home) / group / name / f"{number}.npz"


def _keep(path: Path, answer: Answer) -> None:
    """Write whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.npz")
    np.savez_compressed(part, **answer._asdict())
    part.rename(path)


def _read(path: Path) -> Answer:
    with np.load(path) as kept:
        return Answer(*(kept[field] for field in Answer._fields))


@cache
def digest() -> str:
    """Of the library's Python sources and its compiled core."""
    home, mixed = Path(planetree.__file__).parent, hashlib.sha256()
    for path in sorted([*home.rglob("*.py"), *home.parents[1].glob("cpp/**/*.[ch]pp")]):
        mixed.update(path.read_bytes())
    return mixed.hexdigest()[:12]
