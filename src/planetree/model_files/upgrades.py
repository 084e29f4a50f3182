"""From the schema of an older version to the present one: what each version changed, as data.

A document is changed before it is read: names of estimators, parameters, fitted attributes and
records, and the values of fitted attributes that have another form now. What a version added to
the fitted attributes is set on the model after it is read, from what its file does hold.

    version 2    `fit` keeps what it decided (costs_, arithmetic_, ...); certificates are records
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sklearn.utils import get_tags

from planetree.exceptions import ModelFileError
from planetree.table import read_costs

__all__ = ["KNOWN", "VERSION", "Added", "added_since", "complete_model", "upgrade"]

VERSION = 2

Added = Mapping[str, tuple[str, Callable[[Any], Any]]]


class _Upgrade(NamedTuple):
    """What the next version changed; a name that is gone has None for its new one.

    Parameters
    ----------
    estimators, records : mapping of str
        New names for old ones.
    parameters, fitted : mapping of mappings of str
        For each estimator, by its new name: new names for old ones.
    values : mapping of str to callable
        For each fitted attribute, by its new name: from what JSON said to what it says now.
    added : mapping of str
        For each estimator: a new fitted attribute, and what gives it from the model.
    """

    estimators: Mapping[str, str] = {}
    records: Mapping[str, str] = {}
    parameters: Mapping[str, Mapping[str, str | None]] = {}
    fitted: Mapping[str, Mapping[str, str | None]] = {}
    values: Mapping[str, Callable[[Any], Any]] = {}
    added: Added = MappingProxyType({})


def upgrade(document: dict[str, Any]) -> None:
    """Bring a document to the present version."""
    while document["version"] != VERSION:
        _apply(_UPGRADES[document["version"]], document["model"])
        document["version"] += 1


def added_since(version: int) -> list[Added]:
    """What later versions added to the fitted attributes."""
    return [_UPGRADES[each].added for each in range(version, VERSION)]


def complete_model(model: Any, added: list[Added], where: str) -> None:
    """Set on a fitted model what its file lacks; refuse parameters that it cannot come from."""
    for each in added:
        name, found = each.get(type(model).__name__, ("", None))
        if found is None or hasattr(model, name):
            continue
        try:
            setattr(model, name, found(model))
        except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
            problem = f"{where} has no {name}, and no parameters for it: {error}"
            raise ModelFileError(problem) from error


def _apply(change: _Upgrade, model: Any) -> None:
    for said in _objects(model):
        for key, names in (("estimator", change.estimators), ("record", change.records)):
            if isinstance(said.get(key), str):
                said[key] = names.get(said[key], said[key])
        owner = said.get("estimator")
        if not isinstance(owner, str):
            continue
        for part, names_of in (("parameters", change.parameters), ("fitted", change.fitted)):
            if isinstance(held := said.get(part), dict):
                _rename(held, names_of.get(owner, {}))
        if isinstance(fitted := said.get("fitted"), dict):
            fitted |= {key: f(fitted[key]) for key, f in change.values.items() if key in fitted}


def _objects(said: Any) -> Iterator[dict[str, Any]]:
    """Every object in what JSON says, an outer one before those in it."""
    waiting = [said]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            each = list(each.values())
        if isinstance(each, list):
            waiting.extend(part for part in each if isinstance(part, (dict, list)))


def _rename(held: dict[str, Any], names: Mapping[str, str | None]) -> None:
    for old, new in names.items():
        if old in held:
            value = held.pop(old)
            if new is not None:
                held[new] = value


def _certificates(said: Any) -> Any:
    """Certificates as records: 0.1 had null, three numbers in a tuple, or another record."""
    return [_certificate(each) for each in said] if isinstance(said, list) else said


def _certificate(said: Any) -> Any:
    nan = {"float": "nan"}
    found: dict[str, Any] = {"record": "Certificate", "kind": "not recorded"}
    found |= {"status": "unproved", "objective": nan, "bound": nan, "gap": nan}
    if isinstance(said, dict) and isinstance(said.get("tuple"), list) and len(said["tuple"]) == 3:
        numbers = dict(zip(("objective", "bound", "gap"), said["tuple"], strict=True))
        return found | {"kind": "linear program", "status": "optimal"} | numbers
    if isinstance(said, dict) and said.get("record") == "SplitCertificate":
        kept = {key: said[key] for key in ("objective", "bound", "gap", "status") if key in said}
        return found | {"kind": "program of the separator"} | kept
    return found if said is None else said


def _multi_class(model: Any) -> bool:
    return bool(get_tags(model).classifier_tags.multi_class)


_UPGRADES = {
    1: _Upgrade(
        values={"certificates_": _certificates},
        added={
            "C45Classifier": (
                "arithmetic_",
                lambda model: {"single": "single", "double": "double"}[model.arithmetic],
            ),
            "FloatingSelector": ("allow_nan_", lambda m: get_tags(m).input_tags.allow_nan),
            "HoldoutTreeClassifier": ("multi_class_", _multi_class),
            "PlaneTreeClassifier": ("costs_", lambda m: read_costs(m.costs, m.classes_)),
            "SeparatorTreeClassifier": ("multi_class_", _multi_class),
        },
    )
}
KNOWN = range(min(_UPGRADES), VERSION + 1)
