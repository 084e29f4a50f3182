"""Classifiers that make one decision."""

from planetree.separators.grinold import GrinoldSeparator
from planetree.separators.quadratic import QuadraticSeparator
from planetree.separators.robust import RobustSeparator
from planetree.separators.sparse import FeaturePath, SparseSeparator

__all__ = [
    "FeaturePath",
    "GrinoldSeparator",
    "QuadraticSeparator",
    "RobustSeparator",
    "SparseSeparator",
]
