"""A long search on disk, so that it can be taken up where it was left.

A search depends on its seed and on the outcomes of subsets alone, so these are all that is stored,
with a digest of the training data and with the settings, as JSON. A file is replaced whole: it is
either the old one or the new one, whenever the process is killed.

- a file of other data, other settings or another version is refused, and left as it is;
- so is one whose content is not that of its digest.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from planetree.exceptions import CheckpointError
from planetree.feature_selection.genetic.genetic_search import Outcome
from planetree.files import write_file
from planetree.table import Training

_FORMAT = 2
_SECONDS = 2.0  # between two writes


def digest_of(training: Training, *more: Any) -> str:
    """A digest of the rows, classes and weights of training, and of what else counts."""
    digest = hashlib.sha256()
    for array in (training.table.values, training.codes, training.weights):
        digest.update(repr((array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr((training.table.columns, more)).encode())
    return digest.hexdigest()


def _digest_of_content(content: dict[str, Any]) -> str:
    """A digest of what a file holds, however it is laid out."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class Checkpoint:
    """The file of one search.

    Parameters
    ----------
    path : str or path
    data : str
        Digest of the training data.
    settings : dict
        What else the search depends on, by name; values as JSON has them.
    """

    def __init__(self, path: Any, data: str, settings: dict[str, Any]) -> None:
        self.path: Path = Path(path)
        self._head = {
            "format": _FORMAT,
            "planetree": version("planetree"),
            "data": data,
            "settings": json.loads(json.dumps(settings, default=float)),  # numbers of numpy
        }
        self._last = time.monotonic()

    def load(self) -> tuple[int | None, list[Outcome]]:
        """Seed and outcomes of the search so far; none if there is no file yet."""
        if not self.path.exists():
            return None, []
        try:
            found = json.loads(self.path.read_text("utf-8"))
            digest = found.pop("digest")
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._refused(f"it cannot be read as one ({error})") from error
        self._check(found)
        if digest != _digest_of_content(found):
            raise self._refused("it has been changed or damaged since it was written")
        return found["seed"], [Outcome(*pair) for pair in found["outcomes"]]

    def save(self, seed: int, outcomes: Sequence[Outcome]) -> None:
        """Replace the file."""
        content = json.loads(json.dumps({**self._head, "seed": seed, "outcomes": outcomes}))
        try:
            write_file(self.path, json.dumps({**content, "digest": _digest_of_content(content)}))
        except OSError as error:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} cannot be written: {error}. Give a file in a "
                "folder that exists and that you may write to."
            ) from error
        self._last = time.monotonic()

    @property
    def is_due(self) -> bool:
        """Whether the last write is some seconds ago."""
        return time.monotonic() - self._last > _SECONDS

    def _check(self, found: dict[str, Any]) -> None:
        for key, what in (("format", "format"), ("planetree", "planetree version")):
            if found.get(key) != self._head[key]:
                raise self._refused(f"it is of {what} {found.get(key)}, not {self._head[key]}")
        if found.get("data") != self._head["data"]:
            raise self._refused("it belongs to other training data")
        other, settings = found.get("settings"), self._head["settings"]
        if not isinstance(other, dict):
            raise self._refused("it has no settings")
        for name, value in settings.items():
            if other.get(name) != value:
                raise self._refused(f"{name} was {other.get(name)!r}, and now is {value!r}")

    def _refused(self, why: str) -> CheckpointError:
        return CheckpointError(
            f"The search cannot resume from the checkpoint {str(self.path)!r}: {why}. The "
            "file is unchanged. Give another path, or remove the file to start over."
        )


def classifier_settings(tree: Any) -> str:
    """A classifier with all its parameters."""
    params = {name: repr(value) for name, value in sorted(tree.get_params().items())}
    return f"{type(tree).__name__} {params}"
