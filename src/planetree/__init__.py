"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.feature_selection import (
    BiclusteringSelector,
    CentroidSelector,
    PairwiseSelector,
)
from planetree.separators import GrinoldSeparator, RobustSeparator

__version__ = "0.1.0"
__all__ = [
    "BiclusteringSelector",
    "CentroidSelector",
    "GrinoldSeparator",
    "PairwiseSelector",
    "RobustSeparator",
]
