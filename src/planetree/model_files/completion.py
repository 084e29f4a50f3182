"""What files of 0.1.0 do not hold, because the models of that version read it from parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils import get_tags

from planetree.exceptions import ModelFileError
from planetree.table import read_costs

__all__ = ["complete"]

# For each estimator: a fitted attribute, and what gives it from a model as 0.1.0 wrote it.
LATER: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "C45Classifier": (
        "arithmetic_",
        lambda model: {"single": "single", "double": "double"}[model.arithmetic],
    ),
    "FloatingSelector": ("allow_nan_", lambda model: get_tags(model).input_tags.allow_nan),
    "HoldoutTreeClassifier": (
        "multi_class_",
        lambda model: get_tags(model).classifier_tags.multi_class,
    ),
    "PlaneTreeClassifier": ("costs_", lambda model: read_costs(model.costs, model.classes_)),
    "SeparatorTreeClassifier": (
        "multi_class_",
        lambda model: get_tags(model).classifier_tags.multi_class,
    ),
}


def complete(model: Any, where: str) -> None:
    """Set on a fitted model what its file lacks; refuse parameters that it cannot come from."""
    name, found = LATER.get(type(model).__name__, ("", None))
    if found is None or hasattr(model, name):
        return
    try:
        setattr(model, name, found(model))
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"{where} has no {name}, and no parameters for it: {error}") from error
