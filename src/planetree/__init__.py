"""Classifiers a person can read: few decisions, few features in each, no accuracy lost.

A name is imported when it is first asked for, so that the command starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planetree.environment import show_versions
    from planetree.feature_selection import (
        BiclusteringSelector,
        CentroidSelector,
        DiscriminantPowerSelector,
        FloatingSelector,
        GeneticSelector,
        PairwiseSelector,
        nested_subset_errors,
    )
    from planetree.model_files import load, save
    from planetree.reporting import report
    from planetree.separators import (
        BilinearSeparator,
        GrinoldSeparator,
        MaxNormSeparator,
        MisclassificationSeparator,
        QuadraticSeparator,
        RobustSeparator,
        SparseSeparator,
    )
    from planetree.tree import (
        C45Classifier,
        HoldoutTreeClassifier,
        MultisurfaceClassifier,
        PlaneTreeClassifier,
        SeparatorTreeClassifier,
        TreeEditor,
    )

__version__ = "0.2.0"
_HOMES = {
    "BiclusteringSelector": "feature_selection",
    "BilinearSeparator": "separators",
    "C45Classifier": "tree",
    "CentroidSelector": "feature_selection",
    "DiscriminantPowerSelector": "feature_selection",
    "FloatingSelector": "feature_selection",
    "GeneticSelector": "feature_selection",
    "GrinoldSeparator": "separators",
    "HoldoutTreeClassifier": "tree",
    "MaxNormSeparator": "separators",
    "MisclassificationSeparator": "separators",
    "MultisurfaceClassifier": "tree",
    "PairwiseSelector": "feature_selection",
    "PlaneTreeClassifier": "tree",
    "QuadraticSeparator": "separators",
    "RobustSeparator": "separators",
    "SeparatorTreeClassifier": "tree",
    "SparseSeparator": "separators",
    "TreeEditor": "tree",
    "load": "model_files",
    "nested_subset_errors": "feature_selection",
    "report": "reporting",
    "save": "model_files",
    "show_versions": "environment",
}
_PARTS = ("convert", "datasets", "exceptions", "plot")
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS, "__version__"])
