"""Save and load: the document around a model, its versions, and the file it is in."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from planetree import __version__
from planetree.exceptions import ModelFileError
from planetree.files import write_file
from planetree.model_files.reading import Reader, keys, refuse_value
from planetree.model_files.upgrades import KNOWN, VERSION, added_since, upgrade
from planetree.model_files.writing import write_model
from planetree.table import Table

__all__ = ["load", "save"]

_FORMAT = "planetree"
_MAX_BYTES = 32 * 2**20  # read in less than 1 GB of memory, whatever they say
_BYTES_A_PART = 16  # an object or list takes 72 bytes of memory, other values 12 a byte at most

_Document = dict[str, Any]


def save(model: Any, path: Any, *, force: bool = True) -> None:
    """Save a fitted model as JSON that `load` gives back bit for bit.

    The file holds data, not code: see `docs/model_files.md` for what stands in it. It is written
    beside its place and moved there, so that no half of it is ever seen.

    Parameters
    ----------
    model : fitted estimator of planetree
    path : path
    force : bool
        Whether a file that is there already is replaced.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import planetree
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = planetree.RobustSeparator().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     planetree.save(model, Path(folder) / "model.json")
    ...     planetree.load(Path(folder) / "model.json").predict([[2.5]]).item()
    'b'
    """
    check_is_fitted(model)
    said = {"format": _FORMAT, "version": VERSION, "planetree": __version__}
    text = json.dumps({**said, "model": write_model(model)}, separators=(",", ":"), allow_nan=False)
    _read_text(text)  # what cannot be read back is not written
    write_file(path, text + "\n", force=force)


def load(path: Any, *, max_bytes: int = _MAX_BYTES) -> Any:
    """Load a model that `save` wrote; anything else is a `ModelFileError` that says why.

    Every name, number, shape and index is checked, and no code is run.

    Parameters
    ----------
    path : path
    max_bytes : int
        The largest file to read; reading takes up to 20 times as much memory.

    Returns
    -------
    fitted estimator
    """
    with open(path, "rb") as file:
        data = file.read(max_bytes + 1)
    try:
        if len(data) > max_bytes:
            raise ModelFileError(
                f"is larger than {max_bytes} bytes. Pass max_bytes=... if you trust it."
            )
        return _read_text(_decode(data), max_parts=max_bytes // _BYTES_A_PART)
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path).name}: {error}") from error.__cause__


def _decode(data: bytes) -> str:
    """Text of a file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"is no text in UTF-8: {error}.") from error


def _read_text(text: str, max_parts: int = _MAX_BYTES // _BYTES_A_PART) -> Any:
    """Model that a JSON text says, if that has no more than so many objects and lists."""
    if text.count("{") + text.count("[") > max_parts:
        raise ModelFileError(f"has more than {max_parts} objects and lists.")
    try:
        said = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_refuse_constant)
        _check_document(said)
        added = added_since(said["version"])
        upgrade(said)
        model = Reader(2**20 + 16 * len(text), added).model(said["model"], "model")
    except ModelFileError:
        raise
    except RecursionError as error:
        raise ModelFileError("is nested too deeply.") from error
    except ValueError as error:  # of the JSON, or of a number of thousands of digits
        raise ModelFileError(f"is not valid JSON: {error}") from error
    _probe(model)
    return model


def _without_twins(pairs: list[tuple[str, Any]]) -> _Document:
    """Object whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("has an object with the same key twice.")
    return found


def _refuse_constant(name: str) -> None:
    """Raise on NaN and Infinity, which JSON does not have."""
    raise ModelFileError(f"has {name}, which is not JSON.")


def _check_document(document: Any) -> None:
    """Raise unless a document says that it holds a model, in a version that is known."""
    keys(document, ("format", "version", "planetree", "model"), "The file")
    if document["format"] != _FORMAT:
        refuse_value(
            "format", f"is {document['format']!r:.100}, not {_FORMAT!r}: this is no model file."
        )
    if not isinstance(document["planetree"], str):
        refuse_value("planetree", "must be the version of planetree that wrote the file, as text.")
    found = document["version"]
    if type(found) is not int or found not in KNOWN:
        advice = " Update it." if type(found) is int and found > VERSION else ""
        refuse_value(
            "version", f"is {found!r:.100}, but this planetree reads up to {VERSION}.{advice}"
        )


def _probe(model: Any) -> None:
    """Raise unless the model answers for a row: what it needs is there, and fits together."""
    try:
        check_is_fitted(model)
        row = Table(np.zeros((1, len(model.columns_))), model.columns_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for answer in ("predict", "predict_proba", "decision_function"):
                if hasattr(model, answer):
                    getattr(model, answer)(row)
            if hasattr(model, "get_support"):
                model.get_support(indices=True)
    except (ArithmeticError, AssertionError, AttributeError, LookupError) as error:
        raise ModelFileError(f"model does not work: {error!r:.300}") from error
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"model does not work: {error!s:.300}") from error
