"""Classifiers that make one decision."""

from planetree.separators.bilinear import BilinearSeparator
from planetree.separators.grinold import GrinoldSeparator
from planetree.separators.robust import RobustSeparator

__all__ = ["BilinearSeparator", "GrinoldSeparator", "RobustSeparator"]
