"""From the schema of an older version to the present one: what each version changed, as data.

A document is changed before it is read: names of estimators, parameters, fitted attributes and
records, and the values of fitted attributes that have another form now. What a version added to
the fitted attributes is set on the model after it is read, from what its file does hold.

    version 2    `fit` keeps what it decided (costs_, arithmetic_, ...); certificates are records,
                 one for each decision of `tree_`, and say how it was found
    version 3    `tree_` is a `Tree` everywhere: what a GeneticSelector fitted is its `estimator_`;
                 decisions have a spread, trees may have probabilities of their leaves; the size
                 of a PlaneTreeClassifier is one parameter
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from sklearn.utils import get_tags

from planetree.certificate import Certificate
from planetree.exceptions import ModelFileError
from planetree.model_files.schema import own_estimators
from planetree.planes import Planes, Split
from planetree.table import read_costs
from planetree.tree.pruning import kept_decisions

VERSION = 3

Added = Mapping[str, Mapping[str, Callable[[Any], Any]]]

_NOT_RECORDED, _OF_SEPARATOR = "not recorded", "program of the separator"


class _Upgrade(NamedTuple):
    """What the next version changed; a name that is gone has None for its new one.

    Parameters
    ----------
    estimators, records : mapping of str
        New names for old ones.
    parameters, fitted : mapping of mappings of str
        For each estimator, by its new name: new names for old ones.
    fields : mapping of mappings of str
        For each record, by its new name: fields that are new, and what older files mean.
    new_parameters : mapping of mappings of str
        For each estimator, by its new name: parameters that are new, and what older files mean.
    rewritten : mapping of str to callable
        For each estimator, by its new name: what else changes its parameters, in place.
    values : mapping of str to callable
        For each fitted attribute, by its new name: from what JSON said to what it says now.
    added : mapping of str
        For each estimator: fitted attributes that are new or mean more, and what gives each from
        the model, one after the other.
    """

    estimators: Mapping[str, str] = {}
    records: Mapping[str, str] = {}
    parameters: Mapping[str, Mapping[str, str | None]] = {}
    fitted: Mapping[str, Mapping[str, str | None]] = {}
    fields: Mapping[str, Mapping[str, Any]] = {}
    new_parameters: Mapping[str, Mapping[str, Any]] = {}
    rewritten: Mapping[str, Callable[[dict[str, Any]], None]] = {}
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
        for name, found in each.get(type(model).__name__, {}).items():
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
        if isinstance(record := said.get("record"), str):
            said |= {key: v for key, v in change.fields.get(record, {}).items() if key not in said}
        owner = said.get("estimator")
        if not isinstance(owner, str):
            continue
        for part, names_of in (("parameters", change.parameters), ("fitted", change.fitted)):
            if isinstance(held := said.get(part), dict):
                _rename(held, names_of.get(owner, {}))
        if isinstance(held := said.get("parameters"), dict):
            change.rewritten.get(owner, dict)(held)
            said["parameters"] = {**change.new_parameters.get(owner, {}), **held}
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
    found: dict[str, Any] = {"record": "Certificate", "kind": _NOT_RECORDED}
    found |= {"status": "unproved", "objective": nan, "bound": nan, "gap": nan}
    if isinstance(said, dict) and isinstance(said.get("tuple"), list) and len(said["tuple"]) == 3:
        numbers = dict(zip(("objective", "bound", "gap"), said["tuple"], strict=True))
        proved = isinstance(numbers["gap"], (int, float)) and numbers["gap"] <= 1e-6
        status = "optimal" if proved else "inaccurate"
        return found | {"kind": "linear program", "status": status} | numbers
    if isinstance(said, dict) and said.get("record") == "SplitCertificate":
        kept = {key: said[key] for key in ("objective", "bound", "gap", "status") if key in said}
        return found | {"kind": _OF_SEPARATOR} | kept
    return found if said is None else said


def _plane_certificates(model: Any) -> list[Certificate]:
    """Certificates of a PlaneTreeClassifier; those of a smaller tree of its path were not kept."""
    splits = [split for split in model.tree_.splits if split is not None]
    known = getattr(model, "certificates_", [])
    if not known:
        return [Certificate(_NOT_RECORDED)] * len(splits)
    return [_of_plane(*each) for each in zip(known, splits, strict=True)]


def _of_plane(known: Certificate, split: Split) -> Certificate:
    if known.kind != _NOT_RECORDED:
        return known
    if isinstance(split, Planes) and len(split.offsets) > 1:
        return Certificate("search for a pair of planes", status="stationary")
    return Certificate("best cut of every column, by entropy", status="optimal")


def _separator_certificates(model: Any) -> list[Certificate]:
    """Certificates of the unpruned tree, of the kind of its separator."""
    kind = getattr(model._separator(), "_kind", _OF_SEPARATOR)
    known = getattr(model, "_certificates", model.certificates_)
    return [replace(each, kind=kind) if each.kind == _OF_SEPARATOR else each for each in known]


def _kept_certificates(model: Any) -> list[Certificate]:
    kept = kept_decisions(model.tree_, model.unpruned_tree_)
    return [model._certificates[place] for place in kept]


def _one_size(parameters: dict[str, Any]) -> None:
    """`size` was a word or null, and `size_price` the number that counted where it was null."""
    price = parameters.get("size_price")
    if parameters.get("size") is None and price is not None:
        parameters |= {"size": price, "size_price": None}


def _multi_class(model: Any) -> bool:
    """Whether the separator of a tree takes more than two classes; without one, cuts do."""
    given = model.separator
    return given is None or bool(get_tags(given).classifier_tags.multi_class)


def _grading(model: Any) -> str | None:
    return getattr(model, "grading_", None)


def _one_of(said: Any, *allowed: str) -> str:
    return {each: each for each in allowed}[said]


_FILLERS = (  # separators that can fill missing values
    "GrinoldSeparator",
    "MaxNormSeparator",
    "MisclassificationSeparator",
    "SparseSeparator",
)

_UPGRADES = {
    1: _Upgrade(
        new_parameters={each: {"time_limit": None} for each in own_estimators()},
        values={"certificates_": _certificates},
        added={
            "C45Classifier": {
                "arithmetic_": lambda m: _one_of(m.arithmetic, "single", "double"),
                "criterion_": lambda m: _one_of(m.criterion, "gain_ratio", "gain"),
            },
            "FloatingSelector": {"allow_nan_": lambda m: get_tags(m).input_tags.allow_nan},
            "HoldoutTreeClassifier": {
                "multi_class_": _multi_class,
                "certificates_": lambda m: [m._certificate()] * m.tree_.n_decisions,
            },
            "PlaneTreeClassifier": {
                "costs_": lambda m: read_costs(m.costs, m.classes_),
                "certificates_": _plane_certificates,
            },
            "SeparatorTreeClassifier": {
                "multi_class_": _multi_class,
                "_certificates": _separator_certificates,
                "certificates_": _kept_certificates,
            },
        },
    ),
    2: _Upgrade(
        parameters={"PlaneTreeClassifier": {"random_state": None}},
        new_parameters={
            **{each: {"missing": "refuse"} for each in _FILLERS},
            "BilinearSeparator": {"start": "many", "missing": "refuse"},
            "C45Classifier": {"smoothing": None},
            "CentroidSelector": {"principle": "k_means"},
            "GeneticSelector": {
                "finish": "published",
                "genome": "features",
                "crossover": "uniform",
            },
            "MultisurfaceClassifier": {
                "normalize": True,
                "thresholds": "midway",
                "missing": "refuse",
            },
            "PlaneTreeClassifier": {
                **dict.fromkeys(("grading", "teacher", "max_depth", "products")),
                **dict.fromkeys(("required_features", "excluded_features")),
                **dict.fromkeys(("feature_groups", "feature_costs")),
            },
            "QuadraticSeparator": {"products": None, "missing": "refuse"},
            "RobustSeparator": {"products": None, "missing": "refuse", "n_jobs": None},
        },
        rewritten={"PlaneTreeClassifier": _one_size},
        fitted={"GeneticSelector": {"tree_": "estimator_"}},
        fields={
            "Column": {"fill": None},
            "Planes": {"spread": 0.0, "unknown": -1},
            "Categories": {"unknown": -1},
            "Tree": {"leaf_probabilities": None},
            "Certificate": {"moved": None},
        },
        added={
            "C45Classifier": {"smoothing_": lambda m: getattr(m, "smoothing_", None)},
            "HoldoutTreeClassifier": {"grading_": _grading},
            "PlaneTreeClassifier": {"grading_": _grading, "fidelity_": lambda m: None},
            "SeparatorTreeClassifier": {"grading_": _grading},
        },
    ),
}
KNOWN = range(min(_UPGRADES), VERSION + 1)
