"""From a fitted model to what JSON can say, and to the file that holds it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from planetree import __version__
from planetree.evaluation.model_words import words_of
from planetree.exceptions import ModelFileError
from planetree.files import write_file
from planetree.model_files.reading import FORMAT, read_text
from planetree.model_files.schema import DTYPES, FITTED, PEERS, RECORDS, fields_of, own_estimators
from planetree.model_files.upgrades import VERSION
from planetree.saved_words import model_digest


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
    said: dict[str, Any] = {"format": FORMAT, "version": VERSION, "planetree": __version__}
    said["model"] = _write_model(model)
    said["words"] = {"of": model_digest(said["model"]), **words_of(model)}
    text = json.dumps(said, separators=(",", ":"), allow_nan=False)
    read_text(text)  # what cannot be read back is not written
    write_file(path, text + "\n", force=force)


def _write_model(model: Any, where: str = "model") -> dict[str, Any]:
    """Say an estimator: its class by name, its parameters and what it learned."""
    name, is_own = _class_name(model, where)
    parameters = _held_parameters(model)
    held = model.__getstate__() if is_own else vars(model)
    state = {key: value for key, value in held.items() if key not in parameters}
    if not is_own:  # what `fit` set is known by its name
        state = {key: value for key, value in state.items() if key.endswith("_")}
    for key in ("_sklearn_version", "_sheet_rows", "_seen"):  # training rows stay out of files
        state.pop(key, None)
    if state and not is_own:
        raise ModelFileError(
            f"{where} is a fitted {type(model).__name__} of scikit-learn, and model files "
            "hold only its parameters. Use a tree of planetree instead, clone(...) it, or pickle."
        )
    for key in state:
        if key not in FITTED:
            raise ModelFileError(f"{where} has {key!r}, which model files cannot hold.")
    said = {key: _write_value(value, f"{where}.{key}") for key, value in parameters.items()}
    fitted = {key: _write_value(value, f"{where}.{key}") for key, value in state.items()}
    return {"estimator": name, "parameters": said, "fitted": fitted}


def _held_parameters(model: Any) -> dict[str, Any]:
    """Parameters as files hold them: no teacher that is fitted, or of a class they do not hold.

    A tree does not need its teacher any more.
    """
    held: dict[str, Any] = model.get_params(deep=False)
    if held.get("teacher") is not None:
        try:
            _write_model(held["teacher"])
        except ModelFileError:
            held["teacher"] = None
    return held


def _class_name(model: Any, where: str) -> tuple[str, bool]:
    """Name of an estimator's class, and whether it is one of planetree's."""
    kind = type(model)
    if own_estimators().get(kind.__name__) is kind:
        return kind.__name__, True
    peer = PEERS.get(kind.__name__)
    if peer is not None and kind.__module__.split(".")[:2] == peer.split("."):
        return kind.__name__, False
    raise ModelFileError(
        f"{where} is a {kind.__module__}.{kind.__name__}, which model files cannot hold. They hold "
        f"planetree's estimators and, as parameters of these, {', '.join(sorted(PEERS))}."
    )


def _write_value(value: Any, where: str) -> Any:
    """Say one value."""
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray):
        return _write_array(value, where)
    if isinstance(value, np.generic):
        return {"scalar": _dtype_name(value.dtype, where), "value": _element(value.item(), where)}
    if RECORDS.get(type(value).__name__) is type(value):
        return _write_record(value, where)
    if isinstance(value, BaseEstimator):
        return _write_model(value, where)
    if type(value) is dict:
        pairs = value.items()
        return {"dict": [[_write_value(k, where), _write_value(v, where)] for k, v in pairs]}
    if type(value) in (list, tuple):
        said = [_write_value(each, f"{where}[{i}]") for i, each in enumerate(value)]
        return said if type(value) is list else {"tuple": said}
    raise ModelFileError(
        f"{where} is {value!r:.200}, of type {type(value).__name__}, which model files cannot hold."
    )


def _write_record(value: Any, where: str) -> dict[str, Any]:
    """Say a record field by field."""
    names = fields_of(type(value))
    said = {name: _write_value(getattr(value, name), f"{where}.{name}") for name in names}
    return {"record": type(value).__name__, **said}


def _write_array(array: NDArray[Any], where: str) -> dict[str, Any]:
    """Say an array: dtype, shape, and elements in C order; one with fields, field by field."""
    if array.dtype.names is not None:
        return {"fields": [[name, _write_array(array[name], where)] for name in array.dtype.names]}
    said = {
        "array": _dtype_name(array.dtype, where),
        "shape": list(array.shape),
        "values": [_element(each, where) for each in array.ravel().tolist()],
    }
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        said["order"] = "F"  # sums are rounded as the memory lies
    return said


def _dtype_name(dtype: np.dtype[Any], where: str) -> str:
    """Name of a dtype, the longest text included."""
    if dtype.kind == "U":
        return f"str{dtype.itemsize // 4}"
    if dtype.name not in DTYPES:
        raise ModelFileError(f"{where} is an array of {dtype}, which model files cannot hold.")
    return dtype.name


def _element(value: Any, where: str) -> Any:
    """Say an element of an array: a scalar, or the name of a number that is not finite."""
    if type(value) is float and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ModelFileError(
        f"{where} holds {value!r:.200}, of type {type(value).__name__}. Model files hold labels "
        "that are text, whole numbers or booleans."
    )
