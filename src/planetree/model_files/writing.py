"""From a fitted model to what JSON can say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from planetree.exceptions import ModelFileError
from planetree.model_files.schema import DTYPES, FITTED, PEERS, RECORDS, fields_of, own_estimators

__all__ = ["write_model"]


def write_model(model: Any, where: str = "model") -> dict[str, Any]:
    """Say an estimator: its class by name, its parameters and what it learned."""
    name, is_own = _class_name(model, where)
    parameters = model.get_params(deep=False)
    state = model.__getstate__() if is_own else _learned(model)
    state = {key: value for key, value in state.items() if key not in parameters}
    for key in ("_sklearn_version", "_sheet_rows"):  # training rows stay out of files
        state.pop(key, None)
    if state and not is_own:
        raise ModelFileError(
            f"{where} is a fitted {type(model).__name__} of scikit-learn, of which files hold only "
            "the parameters. Use a tree of planetree in its place, clone(...) of it, or pickle."
        )
    for key in state:
        if key not in FITTED:
            raise ModelFileError(f"{where} has {key!r}, which no model file knows how to hold.")
    said = {key: _write_value(value, f"{where}.{key}") for key, value in parameters.items()}
    fitted = {key: _write_value(value, f"{where}.{key}") for key, value in state.items()}
    return {"estimator": name, "parameters": said, "fitted": fitted}


def _learned(model: Any) -> dict[str, Any]:
    """Attributes of an estimator whose names say that `fit` set them."""
    return {key: value for key, value in vars(model).items() if key.endswith("_")}


def _class_name(model: Any, where: str) -> tuple[str, bool]:
    """Name of an estimator's class, and whether it is one of planetree's."""
    kind = type(model)
    if own_estimators().get(kind.__name__) is kind:
        return kind.__name__, True
    peer = PEERS.get(kind.__name__)
    if peer is not None and kind.__module__.split(".")[:2] == peer.split("."):
        return kind.__name__, False
    raise ModelFileError(
        f"{where} is a {kind.__module__}.{kind.__name__}, which model files do not hold. They hold "
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
        return write_model(value, where)
    if type(value) is dict:
        pairs = value.items()
        return {"dict": [[_write_value(k, where), _write_value(v, where)] for k, v in pairs]}
    if type(value) in (list, tuple):
        said = [_write_value(each, f"{where}[{i}]") for i, each in enumerate(value)]
        return said if type(value) is list else {"tuple": said}
    raise ModelFileError(
        f"{where} is {value!r:.200}, of type {type(value).__name__}, which model files do not hold."
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
        raise ModelFileError(f"{where} is an array of {dtype}, which model files do not hold.")
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
