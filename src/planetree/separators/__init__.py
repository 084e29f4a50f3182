"""Classifiers that make one decision."""

from planetree.separators.grinold import GrinoldSeparator
from planetree.separators.quadratic import QuadraticSeparator
from planetree.separators.robust import RobustSeparator

__all__ = ["GrinoldSeparator", "QuadraticSeparator", "RobustSeparator"]
