"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.separators import (
    GrinoldSeparator,
    QuadraticSeparator,
    RobustSeparator,
    SparseSeparator,
)
from planetree.tree import C45Classifier, PlaneTreeClassifier, SeparatorTreeClassifier

__version__ = "0.1.0"
__all__ = [
    "C45Classifier",
    "GrinoldSeparator",
    "PlaneTreeClassifier",
    "QuadraticSeparator",
    "RobustSeparator",
    "SeparatorTreeClassifier",
    "SparseSeparator",
]
