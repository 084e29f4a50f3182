"""From what JSON says to a fitted model, every name, number, shape and index checked on the way."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import signature
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from planetree.exceptions import ModelFileError
from planetree.model_files.decisions import check_decisions, check_together
from planetree.model_files.schema import (
    DTYPES,
    FITTED,
    PEERS,
    RECORD_FIELDS,
    RECORDS,
    Kind,
    own_estimators,
)
from planetree.model_files.upgrades import Added, complete_model
from planetree.table import Column

__all__ = ["Reader", "keys", "refuse_value"]

_NOT_FINITE = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
_FIRST = ("columns_", "classes_", "planes_")  # what the sizes of the others are told by
_TYPES = {"b": bool, "i": int, "u": int, "U": str}


def refuse_value(where: str, problem: str) -> NoReturn:
    """Raise, saying where the file is wrong and how."""
    raise ModelFileError(f"{where} {problem}")


class Reader:
    """Reads one model.

    Parameters
    ----------
    room : int
        Memory, in bytes, that text in arrays may still take.
    added : list
        What versions since that of the file added to the fitted attributes.
    """

    def __init__(self, room: int, added: list[Added]) -> None:
        self.room = room
        self.added = added
        self.sizes: dict[str, int] = {}
        self.columns: tuple[Column, ...] = ()

    def model(self, said: Any, where: str) -> Any:
        """Read an estimator: one of planetree's, or an unfitted peer of scikit-learn."""
        keys(said, ("estimator", "parameters", "fitted"), where)
        name, fitted = said["estimator"], said["fitted"]
        kind = _estimator_class(name, f"{where}.estimator")
        model = kind(**self.parameters(kind, said["parameters"], f"{where}.parameters"))
        if not isinstance(fitted, dict):
            refuse_value(f"{where}.fitted", "is no object of names and values.")
        if fitted and name in PEERS:
            refuse_value(f"{where}.fitted", f"must be empty, for {name} is one of scikit-learn's.")
        self.fitted(model, fitted, f"{where}.fitted")
        if fitted and name not in PEERS:
            complete_model(model, self.added, f"{where}.fitted")
            check_together(model, f"{where}.fitted")
        return model

    def parameters(self, kind: type, said: Any, where: str) -> dict[str, Any]:
        """Read the parameters of an estimator's constructor."""
        if not isinstance(said, dict):
            refuse_value(where, "is no object of names and values.")
        known = signature(kind).parameters
        for name in said:
            if name not in known:
                refuse_value(f"{where}.{name:.100}", f"is no parameter of {kind.__name__}.")
        return {name: self.value(said[name], f"{where}.{name}") for name in said}

    def fitted(self, model: Any, said: dict[str, Any], where: str) -> None:
        """Read what a model learned, and set it."""
        for name in sorted(said, key=lambda name: (name not in _FIRST, *_place(name))):
            if name not in FITTED:
                refuse_value(
                    f"{where}.{name:.100}", "is nothing that this version of planetree knows."
                )
            value = self.value(said[name], f"{where}.{name}")
            self.check(value, FITTED[name], f"{where}.{name}")
            self.measure(name, value)
            check_decisions(value, self.columns, f"{where}.{name}")
            setattr(model, name, value)

    def measure(self, name: str, value: Any) -> None:
        """Note the sizes that a value tells."""
        if name == "columns_":
            self.columns, self.sizes["columns"] = value, len(value)
        elif name == "classes_":
            self.sizes["classes"] = len(value)
        elif name == "planes_":
            self.sizes["planes"], self.sizes["terms"] = value.weights.shape
            self.sizes["branches"] = value.n_branches

    def check(self, value: Any, kind: Kind, where: str) -> None:
        """Raise unless a value is of a kind."""
        if not kind.holds(value, self.sizes):
            refuse_value(where, f"must be {kind.says}.")

    def value(self, said: Any, where: str) -> Any:
        """Read one value."""
        if said is None or isinstance(said, (bool, int, float, str)):
            return said
        if isinstance(said, list):
            return [self.value(each, f"{where}[{i}]") for i, each in enumerate(said)]
        forms = {
            "array": self.array,
            "dict": self.mapping,
            "estimator": self.nested,
            "fields": self.structured,
            "float": self.not_finite,
            "record": self.record,
            "scalar": self.scalar,
            "tuple": self.tuple,
        }
        form = next((form for form in forms if form in said), None)
        if form is None:
            refuse_value(where, f"is an object of none of the forms {', '.join(forms)}.")
        return forms[form](said, where)

    def nested(self, said: Any, where: str) -> Any:
        """Read an estimator that is a parameter of another, with sizes of its own."""
        inner = Reader(self.room, self.added)
        model = inner.model(said, where)
        self.room = inner.room
        return model

    def not_finite(self, said: Any, where: str) -> float:
        """Read a number that is not finite."""
        keys(said, ("float",), where)
        name = said["float"]
        if not isinstance(name, str) or name not in _NOT_FINITE:
            refuse_value(where, f"must be one of {', '.join(_NOT_FINITE)}.")
        return float(_NOT_FINITE[name])

    def tuple(self, said: Any, where: str) -> tuple[Any, ...]:
        """Read a tuple."""
        keys(said, ("tuple",), where)
        return tuple(self.value(each, f"{where}[{i}]") for i, each in enumerate(_some(said, where)))

    def mapping(self, said: Any, where: str) -> dict[Any, Any]:
        """Read a dict from pairs of keys and values."""
        keys(said, ("dict",), where)
        found: dict[Any, Any] = {}
        for pair in _some(said, where):
            if not (isinstance(pair, list) and len(pair) == 2):
                refuse_value(where, "must be a list of pairs of a key and its value.")
            key = self.value(pair[0], f"{where} key")
            try:
                known = key in found
            except TypeError:
                refuse_value(where, "has a key that is a list, an array or a dict.")
            if known:
                refuse_value(where, f"has the key {key!r:.100} twice.")
            found[key] = self.value(pair[1], f"{where}[{key!r:.100}]")
        return found

    def record(self, said: Any, where: str) -> Any:
        """Read a record field by field, then let its class check it."""
        kind = RECORDS.get(said["record"]) if isinstance(said["record"], str) else None
        if kind is None:
            refuse_value(where, f"must be a record of one of {', '.join(RECORDS)}.")
        kinds = RECORD_FIELDS[kind]
        keys(said, ("record", *kinds), where)
        found = {name: self.value(said[name], f"{where}.{name}") for name in kinds}
        for name, value in found.items():
            self.check(value, kinds[name], f"{where}.{name}")
        if "n_branches" in found:
            _refuse_uneven_branches(found["n_branches"], f"{where}.n_branches")
        try:
            return kind(**found)
        except (ValueError, IndexError, TypeError, OverflowError) as error:
            raise ModelFileError(f"{where} is no {kind.__name__}: {error}") from error

    def scalar(self, said: Any, where: str) -> Any:
        """Read a numpy scalar."""
        keys(said, ("scalar", "value"), where)
        found = self.elements([said["value"]], said["scalar"], where)
        return found[0]

    def array(self, said: Any, where: str) -> NDArray[Any]:
        """Read an array: its elements must be as many as its shape says."""
        order = said.get("order", "C")
        keys(said, ("array", "shape", "values", *["order"][: "order" in said]), where)
        shape, values = said["shape"], said["values"]
        if order not in ("C", "F"):
            refuse_value(f"{where}.order", "must be C or F.")
        if not (isinstance(shape, list) and isinstance(values, list) and 0 < len(shape) <= 2):
            refuse_value(where, "must have a shape of one or two numbers, and a list of values.")
        if not all(type(n) is int and 0 <= n < 2**31 for n in shape):
            refuse_value(f"{where}.shape", "must hold whole numbers from 0 on.")
        if int(np.prod(shape, dtype=object)) != len(values):
            refuse_value(where, f"has {len(values)} values, but the shape {shape}.")
        found = self.elements(values, said["array"], where).reshape(shape)
        return np.asarray(found, order=order)

    def structured(self, said: Any, where: str) -> NDArray[Any]:
        """Read an array with named fields: arrays of one length, an element of each in turn."""
        keys(said, ("fields",), where)
        parts: dict[str, NDArray[Any]] = {}
        for pair in _some(said, where):
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], dict)):
                refuse_value(where, "must be a list of pairs of a name and its array.")
            if not isinstance(pair[0], str) or not pair[0].isidentifier() or pair[0] in parts:
                refuse_value(where, "has a field without a name of its own.")
            keys(pair[1], ("array", "shape", "values"), f"{where}.{pair[0]}")
            parts[pair[0]] = self.array(pair[1], f"{where}.{pair[0]}")
        if len({len(part) for part in parts.values()}) != 1:
            refuse_value(where, "must have fields that are equally long.")
        kinds = [(name, part.dtype, part.shape[1:]) for name, part in parts.items()]
        found = np.empty(len(next(iter(parts.values()))), dtype=kinds)
        for name, part in parts.items():
            found[name] = part
        return found

    def elements(self, values: list[Any], dtype: Any, where: str) -> NDArray[Any]:
        """Elements of an array as a flat array of a dtype."""
        kind = _dtype_of(dtype, where)
        if kind.kind == "f":
            values = [_NOT_FINITE.get(each, each) if type(each) is str else each for each in values]
            good = all(type(each) in (int, float) for each in values)
        elif kind.kind == "O":
            good = all(each is None or isinstance(each, (bool, int, float, str)) for each in values)
        else:
            good = all(type(each) is _TYPES[kind.kind] for each in values)
        if not good:
            refuse_value(where, f"holds values that are not of the dtype {dtype}.")
        if kind.kind == "U":
            self.take_room(kind.itemsize * len(values), where)
            if any(len(each) > kind.itemsize // 4 for each in values):
                refuse_value(where, f"holds text longer than the dtype {dtype} says.")
        try:
            return np.array(values, dtype=kind)
        except (OverflowError, ValueError) as error:
            raise ModelFileError(f"{where} holds numbers beyond {dtype}: {error}") from error

    def take_room(self, size: int, where: str) -> None:
        """Count memory, and raise when there is none left."""
        self.room -= size
        if self.room < 0:
            refuse_value(where, "would need far more memory than the file is large.")


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def keys(said: Any, wanted: tuple[str, ...], where: str) -> None:
    """Raise unless an object has exactly some keys."""
    if not isinstance(said, dict) or set(said) != set(wanted):
        found = ", ".join(f"{key:.50}" for key in said) if isinstance(said, dict) else "no object"
        refuse_value(where, f"must have {', '.join(wanted)}, but there is {found:.300}.")


def _some(said: dict[str, Any], where: str) -> list[Any]:
    """The list that an object of one key holds."""
    (held,) = said.values()
    if not isinstance(held, list):
        refuse_value(where, "must hold a list.")
    return held


def _estimator_class(name: Any, where: str) -> type:
    """Class of an estimator that is known by name."""
    if isinstance(name, str) and name in own_estimators():
        return own_estimators()[name]
    if isinstance(name, str) and name in PEERS:
        found: type = getattr(import_module(PEERS[name]), name)
        assert issubclass(found, BaseEstimator)
        return found
    refuse_value(where, f"is {name!r:.100}, which is no estimator that model files hold.")


def _dtype_of(name: Any, where: str) -> np.dtype[Any]:
    """Dtype that is known by name."""
    text = re.fullmatch(r"str(\d{1,7})", name, re.ASCII) if isinstance(name, str) else None
    if text is not None:
        return np.dtype(f"U{max(1, int(text[1]))}")
    if not isinstance(name, str) or name not in DTYPES:
        refuse_value(where, f"has the dtype {name!r:.100}, which is none that model files hold.")
    return np.dtype(name)


def _refuse_uneven_branches(n_branches: NDArray[Any], where: str) -> None:
    """Raise unless every node but the root is a child, before any array is made of them."""
    n = len(n_branches)
    if n == 0 or np.any((n_branches < 0) | (n_branches >= n)) or n_branches.sum() != n - 1:
        refuse_value(
            where, "must say of each node how many children it has: together all but the root."
        )
