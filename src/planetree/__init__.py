"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.feature_selection import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.separators import (
    BilinearSeparator,
    GrinoldSeparator,
    MaxNormSeparator,
    QuadraticSeparator,
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
    "BiclusteringSelector",
    "BilinearSeparator",
    "C45Classifier",
    "CentroidSelector",
    "GrinoldSeparator",
    "MaxNormSeparator",
    "MultisurfaceClassifier",
    "PairwiseSelector",
    "PlaneTreeClassifier",
    "QuadraticSeparator",
    "RobustSeparator",
    "SeparatorTreeClassifier",
    "SparseSeparator",
]
