"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.separators import (
    BilinearSeparator,
    GrinoldSeparator,
    MaxNormSeparator,
    RobustSeparator,
    SparseSeparator,
)
from planetree.tree import (
    C45Classifier,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    SeparatorTreeClassifier,
)

__version__ = "0.1.0"
__all__ = [
    "BilinearSeparator",
    "C45Classifier",
    "GrinoldSeparator",
    "MaxNormSeparator",
    "MultisurfaceClassifier",
    "PlaneTreeClassifier",
    "RobustSeparator",
    "SeparatorTreeClassifier",
    "SparseSeparator",
]
