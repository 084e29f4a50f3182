"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.separators import GrinoldSeparator, QuadraticSeparator, RobustSeparator

__version__ = "0.1.0"
__all__ = ["GrinoldSeparator", "QuadraticSeparator", "RobustSeparator"]
