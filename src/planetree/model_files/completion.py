"""What files of 0.1.0 do not hold, or hold in another form.

The models of that version read some things from parameters, and had a certificate as three numbers,
as null, or as a record of the tree before it was pruned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from planetree.certificate import Certificate
from planetree.exceptions import ModelFileError
from planetree.model_files.schema import SplitCertificate
from planetree.planes import Planes, Split
from planetree.table import read_costs
from planetree.tree.pruning import kept_decisions

__all__ = ["complete"]


def _multi_class(model: Any) -> bool:
    return bool(get_tags(model).classifier_tags.multi_class)


def _one_of(*allowed: str) -> Callable[[str], str]:
    return {each: each for each in allowed}.__getitem__


# For each estimator: fitted attributes, and what gives each from a model as 0.1.0 wrote it.
LATER: dict[str, dict[str, Callable[[Any], Any]]] = {
    "C45Classifier": {
        "arithmetic_": lambda model: _one_of("single", "double")(model.arithmetic),
        "criterion_": lambda model: _one_of("gain_ratio", "gain")(model.criterion),
    },
    "FloatingSelector": {"allow_nan_": lambda model: get_tags(model).input_tags.allow_nan},
    "HoldoutTreeClassifier": {
        "multi_class_": _multi_class,
        "certificates_": lambda model: [model._certificate()] * _n_decisions(model),
    },
    "PlaneTreeClassifier": {"costs_": lambda model: read_costs(model.costs, model.classes_)},
    "SeparatorTreeClassifier": {
        "multi_class_": _multi_class,
        "_certificates": lambda model: [_of_split(model, each) for each in model.certificates_],
    },
}


def complete(model: Any, where: str) -> None:
    """Set on a fitted model what its file lacks; refuse parameters that it cannot come from."""
    for name, found in LATER.get(type(model).__name__, {}).items():
        if hasattr(model, name):
            continue
        try:
            setattr(model, name, found(model))
        except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise ModelFileError(
                f"{where} has no {name}, and no parameters for it: {error}"
            ) from error
    if type(model).__name__ in ("PlaneTreeClassifier", "SeparatorTreeClassifier"):
        _complete_certificates(model, where)


def _complete_certificates(model: Any, where: str) -> None:
    """One certificate a decision of `tree_`, in preorder, whichever form a file has."""
    known = getattr(model, "certificates_", [])
    whole = getattr(model, "unpruned_tree_", None)
    if whole is not None and any(isinstance(each, SplitCertificate) for each in known):
        known = [model._certificates[place] for place in kept_decisions(model.tree_, whole)]
    elif whole is None:
        splits = [split for split in model.tree_.splits if split is not None]
        known = known or [Certificate("not kept")] * len(splits)
        if len(known) == len(splits):
            known = [_of_plane(*each) for each in zip(known, splits, strict=True)]
    if len(known) != _n_decisions(model):
        raise ModelFileError(f"{where}.certificates_ must be one for each decision of tree_.")
    model.certificates_ = known


def _n_decisions(model: Any) -> int:
    return int(np.count_nonzero(model.tree_.n_branches))


def _of_plane(known: Any, split: Split) -> Certificate:
    """Certificate of a decision of a PlaneTreeClassifier."""
    if isinstance(known, Certificate):
        return known
    if known is not None:
        status = "optimal" if known[2] <= 1e-6 else "inaccurate"
        return Certificate("linear program", known[0], known[1], known[2], status)
    if isinstance(split, Planes) and len(split.offsets) > 1:
        return Certificate("search for a pair of planes", status="stationary")
    return Certificate("best cut of every column, by entropy", status="optimal")


def _of_split(model: Any, known: Any) -> Certificate:
    """Certificate of a decision of a SeparatorTreeClassifier, of the kind of its separator."""
    if isinstance(known, Certificate):
        return known
    kind = getattr(model._separator(), "_kind", "program")
    return Certificate(kind, known.objective, known.bound, known.gap, known.status)
