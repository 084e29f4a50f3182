"""The words of a model that stand beside it in its file, so that reading them takes no model.

    {"format": "planetree", ..., "model": MODEL, "words": {"of": DIGEST, "text": ..., ...}}

DIGEST is the SHA-256 of MODEL as JSON with sorted keys. Words are given only for the model that
they were written with, and only by the version of planetree that wrote them: after an edit by hand,
and in files of other versions, there are none, and the model must be loaded. `load` refuses a file
whose words are not those of its model.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from planetree import __version__

_MAX_BYTES = 32 * 2**20  # as `load` has it
_KINDS = {"of": str, "method": str, "text": str, "classes": list, "columns": list, "size": dict}


def model_digest(model: Any) -> str:
    """SHA-256 of what a file says of a model.

    Examples
    --------
    >>> from planetree.saved_words import model_digest
    >>> model_digest({"a": 1, "b": 2.0}) == model_digest({"b": 2.0, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(model, sort_keys=True).encode()).hexdigest()


def read_words(path: Path) -> dict[str, Any] | None:
    """Words of the model in a file; None where the file must be loaded to know them."""
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    try:
        said = json.loads(data) if len(data) <= _MAX_BYTES else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("planetree") != __version__:
        return None
    words = said.get("words")
    if not isinstance(words, dict) or words.keys() != _KINDS.keys():
        return None
    if not all(isinstance(words[key], kind) for key, kind in _KINDS.items()):
        return None
    return words if words["of"] == model_digest(said.get("model")) else None
