"""Classifiers a person can read: few decisions, few features in each, no accuracy lost."""

from planetree.separators import BilinearSeparator, GrinoldSeparator, RobustSeparator

__version__ = "0.1.0"
__all__ = ["BilinearSeparator", "GrinoldSeparator", "RobustSeparator"]
