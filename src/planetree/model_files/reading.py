"""From a file to a fitted model, every name, number, shape and index checked on the way."""

from __future__ import annotations

import copy
import json
import re
import warnings
from functools import cache, cached_property
from importlib import import_module
from inspect import getattr_static, signature
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from planetree import __version__
from planetree.evaluation.model_words import words_of
from planetree.exceptions import ModelFileError
from planetree.model_files.decisions import check_decisions, check_together, demand
from planetree.model_files.schema import (
    DTYPES,
    FITTED,
    PEERS,
    RECORD_FIELDS,
    RECORDS,
    Kind,
    own_estimators,
)
from planetree.model_files.upgrades import (
    KNOWN,
    VERSION,
    Added,
    added_since,
    complete_model,
    upgrade,
)
from planetree.table import Column, Table
from planetree.tree import Tree

FORMAT = "planetree"
_MAX_BYTES = 32 * 2**20  # read in less than 1 GB of memory, whatever they say
_LONGEST_REASON = 700  # letters: scikit-learn lists all that a parameter may be
_BYTES_A_PART = 16  # an object or list takes 72 bytes of memory, other values 12 a byte at most

_NOT_FINITE = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
_FIRST = ("columns_", "classes_", "planes_")  # what the sizes of the others are told by
_OF_ROWS = ("predict", "predict_proba", "decision_function", "apply", "decision_path")
_OF_ITSELF = ("get_support", "get_feature_names_out", "get_depth", "get_n_leaves", "to_text")
_OTHER_CALLS = [("round_weights", ()), ("select", (2**31,)), ("prune", (None,)), ("prune", ())]
_FORMS = ("array", "dict", "estimator", "fields", "float", "record", "scalar", "tuple")
_TYPES = {"b": bool, "i": int, "u": int, "U": str}


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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import planetree
    >>> model = planetree.C45Classifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     planetree.save(model, Path(folder) / "model.json")
    ...     planetree.load(Path(folder) / "model.json").predict([[0.5]]).item()
    'a'
    """
    with open(path, "rb") as file:
        data = file.read(max_bytes + 1)
    try:
        allowed = f"The file is larger than {max_bytes} bytes. Pass max_bytes=... if you trust it."
        demand(len(data) <= max_bytes, allowed)
        return read_text(_decode(data), max_parts=max_bytes // _BYTES_A_PART)
    except ModelFileError as error:
        reason = shorten(str(error), _LONGEST_REASON, placeholder=" ...")
        raise ModelFileError(f"{Path(path).name}: {reason}") from error.__cause__


def _decode(data: bytes) -> str:
    """Text of a file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"The file is not UTF-8 text: {error}.") from error


def read_text(text: str, max_parts: int = _MAX_BYTES // _BYTES_A_PART) -> Any:
    """Model that a JSON text says, if that has no more than so many objects and lists."""
    n_parts = text.count("{") + text.count("[")
    demand(n_parts <= max_parts, f"The file has more than {max_parts} objects and lists.")
    try:
        said = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_refuse_constant)
        _check_document(said)
        demand(isinstance(said["model"], dict), "model is not an object.")
        added = added_since(said["version"])
        upgrade(said)
        model = _Reader(2**20 + 16 * len(text), added).model(said["model"], "model")
    except ModelFileError:
        raise
    except RecursionError as error:
        raise ModelFileError("The file is nested too deeply.") from error
    except ValueError as error:  # of the JSON, or of a number of thousands of digits
        raise ModelFileError(f"The file is not valid JSON: {error}") from error
    _check_words(said, _probe(model))
    return model


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Object whose keys differ."""
    found = dict(pairs)
    demand(len(found) == len(pairs), "The file has an object with the same key twice.")
    return found


def _refuse_constant(name: str) -> None:
    """Raise on NaN and Infinity, which JSON does not have."""
    raise ModelFileError(f"The file has {name}, which is not JSON.")


def _check_document(document: Any) -> None:
    """Raise unless a document says that it holds a model, in a version that is known."""
    keys = ("format", "version", "planetree", "model")
    with_words = isinstance(document, dict) and "words" in document
    _check_keys(document, (*keys, "words") if with_words else keys, "The file")
    form, found = document["format"], document["version"]
    demand(form == FORMAT, f"format is {form!r:.100}, not {FORMAT!r}: this is not a model file.")
    written = isinstance(document["planetree"], str)
    demand(written, "planetree must be the version of planetree that wrote the file, as text.")
    advice = " Update it." if type(found) is int and found > VERSION else ""
    known = type(found) is int and found in KNOWN
    problem = f"is {found!r:.100}, but this planetree reads up to {VERSION}."
    demand(known, f"version {problem}{advice}")


def _check_words(document: dict[str, Any], words: dict[str, Any]) -> None:
    """Raise if the words of a file are not those of its model, as this version says them."""
    if "words" in document and document["planetree"] == __version__:
        said = document["words"]
        named = isinstance(said, dict) and isinstance(said.pop("of", None), str)
        right = named and said == words
        demand(right, "words are not those of the model. Delete the key words, or save it again.")


def _probe(model: Any) -> dict[str, Any]:
    """Words of a model; raise unless all that is public works: its needs are there and fit."""
    try:
        check_is_fitted(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _use(model)
            return words_of(model)
    except (ArithmeticError, AssertionError, AttributeError, LookupError) as error:
        raise ModelFileError(f"model does not work: {error!r:.300}") from error
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"model does not work: {error!s:.300}") from error


def _use(model: Any) -> None:
    """Ask a model, and the one that it holds, for all that they can be asked for, of one row."""
    if hasattr(model, "estimator_"):
        _use(model.estimator_)
    row = Table(np.zeros((1, len(model.columns_))), model.columns_)
    kind: Any = type(model)  # mypy holds a type to be not hashable
    for name in _properties_of(kind):
        getattr(model, name)
    plain = [*((name, (row,)) for name in _OF_ROWS), *((name, ()) for name in _OF_ITSELF)]
    for name, arguments in [*plain, *_OTHER_CALLS]:
        if callable(getattr(model, name, None)):
            found = getattr(copy.copy(model), name)(*arguments)
            if name == "predict_proba":
                demand(np.isfinite(found), "model has probabilities that are not numbers.")
                _check_shares(getattr(model, "tree_", None))


@cache
def _properties_of(kind: type) -> list[str]:
    """Names of what a model of a kind tells without a call."""
    told = (property, cached_property)
    return [name for name in dir(kind) if isinstance(getattr_static(kind, name), told)]


def _check_shares(tree: Tree | None) -> None:
    """Raise unless every node of a tree has shares of the classes, and of its branches."""
    if tree is not None:
        parts = [tree.parts(node).sum() for node in np.flatnonzero(tree.n_branches).tolist()]
        totals = np.concatenate([tree.leaf_distributions.sum(axis=1), parts])
        demand((totals > 0) & np.isfinite(totals), "model.tree_ has a node without shares.")


class _Reader:
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
        _check_keys(said, ("estimator", "parameters", "fitted"), where)
        name, fitted = said["estimator"], said["fitted"]
        kind = _estimator_class(name, f"{where}.estimator")
        model = kind(**self.parameters(kind, said["parameters"], f"{where}.parameters"))
        demand(isinstance(fitted, dict), f"{where}.fitted is not an object of names and values.")
        own = not fitted or name not in PEERS
        demand(
            own, f"{where}.fitted must be empty, because {name} is an estimator of scikit-learn."
        )
        self.fitted(model, fitted, f"{where}.fitted")
        if fitted:
            complete_model(model, self.added, f"{where}.fitted")
            check_together(model, f"{where}.fitted")
        return model

    def parameters(self, kind: type, said: Any, where: str) -> dict[str, Any]:
        """Read the parameters of an estimator's constructor."""
        demand(isinstance(said, dict), f"{where} is not an object of names and values.")
        known = signature(kind).parameters
        for name in said:
            demand(name in known, f"{where}.{name:.100} is not a parameter of {kind.__name__}.")
        lacking = [
            name
            for name, parameter in known.items()
            if name not in said
            and (kind.__name__ not in PEERS or parameter.default is parameter.empty)
        ]
        demand(not lacking, f"{where} has no {', '.join(lacking)}.")
        return {name: self.value(said[name], f"{where}.{name}") for name in said}

    def fitted(self, model: Any, said: dict[str, Any], where: str) -> None:
        """Read what a model learned, and set it."""
        rest = sorted(said.keys() - set(_FIRST))
        for name in (*(name for name in _FIRST if name in said), *rest):
            demand(name in FITTED, f"{where}.{name:.100} is unknown to this version of planetree.")
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
        demand(kind.holds(value, self.sizes), f"{where} must be {kind.says}.")

    def value(self, said: Any, where: str) -> Any:
        """Read one value."""
        if said is None or isinstance(said, (bool, int, float, str)):
            return said
        if isinstance(said, list):
            return [self.value(each, f"{where}[{i}]") for i, each in enumerate(said)]
        form = next((form for form in _FORMS if form in said), "")
        demand(bool(form), f"{where} is not an object of the forms {', '.join(_FORMS)}.")
        return getattr(self, f"read_{form}")(said, where)

    def read_estimator(self, said: Any, where: str) -> Any:
        """Read an estimator that is a parameter of another, with sizes of its own."""
        inner = _Reader(self.room, self.added)
        model = inner.model(said, where)
        self.room = inner.room
        return model

    def read_float(self, said: Any, where: str) -> float:
        """Read a number that is not finite."""
        _check_keys(said, ("float",), where)
        name = said["float"]
        known = isinstance(name, str) and name in _NOT_FINITE
        demand(known, f"{where} must be one of {', '.join(_NOT_FINITE)}.")
        return float(_NOT_FINITE[name])

    def read_tuple(self, said: Any, where: str) -> tuple[Any, ...]:
        """Read a tuple."""
        _check_keys(said, ("tuple",), where)
        return tuple(self.value(each, f"{where}[{i}]") for i, each in enumerate(_some(said, where)))

    def read_dict(self, said: Any, where: str) -> dict[Any, Any]:
        """Read a dict from pairs of keys and values."""
        _check_keys(said, ("dict",), where)
        found: dict[Any, Any] = {}
        for pair in _some(said, where):
            paired = isinstance(pair, list) and len(pair) == 2
            demand(paired, f"{where} must be a list of pairs of a key and its value.")
            key = self.value(pair[0], f"{where} key")
            try:
                known = key in found
            except TypeError as error:
                problem = "has a key that is a list, an array or a dict."
                raise ModelFileError(f"{where} {problem}") from error
            demand(not known, f"{where} has the key {key!r:.100} twice.")
            found[key] = self.value(pair[1], f"{where}[{key!r:.100}]")
        return found

    def read_record(self, said: Any, where: str) -> Any:
        """Read a record field by field, then let its class check it."""
        known = isinstance(said["record"], str) and said["record"] in RECORDS
        demand(known, f"{where} must be a record of one of {', '.join(RECORDS)}.")
        kind = RECORDS[said["record"]]
        kinds = RECORD_FIELDS[kind]
        _check_keys(said, ("record", *kinds), where)
        found = {name: self.value(said[name], f"{where}.{name}") for name in kinds}
        for name, value in found.items():
            self.check(value, kinds[name], f"{where}.{name}")
        if "n_branches" in found:
            _refuse_uneven_branches(found["n_branches"], f"{where}.n_branches")
        try:
            return kind(**found)
        except (ValueError, IndexError, TypeError, OverflowError) as error:
            raise ModelFileError(f"{where} is no {kind.__name__}: {error}") from error

    def read_scalar(self, said: Any, where: str) -> Any:
        """Read a numpy scalar."""
        _check_keys(said, ("scalar", "value"), where)
        return self.elements([said["value"]], said["scalar"], where)[0]

    def read_array(self, said: Any, where: str) -> NDArray[Any]:
        """Read an array: its elements must be as many as its shape says."""
        order = said.get("order", "C")
        _check_keys(said, ("array", "shape", "values", *["order"][: "order" in said]), where)
        shape, values = said["shape"], said["values"]
        demand(order in ("C", "F"), f"{where}.order must be C or F.")
        listed = isinstance(shape, list) and isinstance(values, list) and 0 < len(shape) <= 2
        demand(listed, f"{where} must have a shape of one or two numbers, and a list of values.")
        whole = all(type(n) is int and 0 <= n < 2**31 for n in shape)
        demand(whole, f"{where}.shape must hold whole numbers from 0 on.")
        many = int(np.prod(shape, dtype=object)) == len(values)
        demand(many, f"{where} has {len(values)} values, but the shape {shape}.")
        found = self.elements(values, said["array"], where).reshape(shape)
        return np.asarray(found, order=order)

    def read_fields(self, said: Any, where: str) -> NDArray[Any]:
        """Read an array with named fields: arrays of one length, an element of each in turn."""
        _check_keys(said, ("fields",), where)
        parts: dict[str, NDArray[Any]] = {}
        for pair in _some(said, where):
            paired = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], dict)
            demand(paired, f"{where} must be a list of pairs of a name and its array.")
            named = isinstance(pair[0], str) and pair[0].isidentifier() and pair[0] not in parts
            demand(named, f"{where} has a field without a name of its own.")
            _check_keys(pair[1], ("array", "shape", "values"), f"{where}.{pair[0]}")
            parts[pair[0]] = self.read_array(pair[1], f"{where}.{pair[0]}")
        even = len({len(part) for part in parts.values()}) == 1
        demand(even, f"{where} must have fields that are equally long.")
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
        demand(good, f"{where} holds values that are not of the dtype {dtype}.")
        if kind.kind == "U":
            self.room -= kind.itemsize * len(values)
            demand(self.room >= 0, f"{where} would need far more memory than the size of the file.")
            fits = all(len(each) <= kind.itemsize // 4 for each in values)
            demand(fits, f"{where} holds text longer than the dtype {dtype} says.")
        try:
            return np.array(values, dtype=kind)
        except (OverflowError, ValueError) as error:
            raise ModelFileError(f"{where} holds numbers beyond {dtype}: {error}") from error


def _check_keys(said: Any, wanted: tuple[str, ...], where: str) -> None:
    """Raise unless an object has exactly some keys."""
    if not isinstance(said, dict) or set(said) != set(wanted):
        found = ", ".join(f"{key:.50}" for key in said) if isinstance(said, dict) else "no object"
        demand(
            False, f"{where} must have {', '.join(wanted)}, but there is {found or 'nothing':.300}."
        )


def _some(said: dict[str, Any], where: str) -> list[Any]:
    """The list that an object of one key holds."""
    (held,) = said.values()
    demand(isinstance(held, list), f"{where} must hold a list.")
    return list(held)


def _estimator_class(name: Any, where: str) -> type:
    """Class of an estimator that is known by name."""
    if isinstance(name, str) and name in own_estimators():
        return own_estimators()[name]
    if isinstance(name, str) and name in PEERS:
        found: type = getattr(import_module(PEERS[name]), name)
        assert issubclass(found, BaseEstimator)
        return found
    raise ModelFileError(
        f"{where} is {name!r:.100}, which is not an estimator that model files can hold."
    )


def _dtype_of(name: Any, where: str) -> np.dtype[Any]:
    """Dtype that is known by name."""
    text = re.fullmatch(r"str(\d{1,7})", name, re.ASCII) if isinstance(name, str) else None
    if text is not None:
        return np.dtype(f"U{max(1, int(text[1]))}")
    known = isinstance(name, str) and name in DTYPES
    demand(known, f"{where} has the dtype {name!r:.100}, which model files cannot hold.")
    return np.dtype(name)


def _refuse_uneven_branches(n_branches: NDArray[Any], where: str) -> None:
    """Raise unless every node but the root is a child, before any array is made of them."""
    n = len(n_branches)
    inside = n > 0 and np.all((n_branches >= 0) & (n_branches < n))
    rule = "must say of each node how many children it has: together all but the root."
    demand(inside and n_branches.sum() == n - 1, f"{where} {rule}")
