"""Classifiers that make one decision."""

from planetree.separators.bilinear.bilinear_separator import BilinearSeparator
from planetree.separators.grinold import GrinoldSeparator
from planetree.separators.max_norm import MaxNormSeparator
from planetree.separators.misclassification import MisclassificationSeparator
from planetree.separators.quadratic import QuadraticSeparator
from planetree.separators.robust import RobustSeparator
from planetree.separators.sparse.feature_search import FeaturePath
from planetree.separators.sparse.sparse_separator import SparseSeparator

__all__ = [
    "BilinearSeparator",
    "FeaturePath",
    "GrinoldSeparator",
    "MaxNormSeparator",
    "MisclassificationSeparator",
    "QuadraticSeparator",
    "RobustSeparator",
    "SparseSeparator",
]
