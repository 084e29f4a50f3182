"""Classifiers that make one decision."""

from planetree.separators.grinold import GrinoldSeparator

__all__ = ["GrinoldSeparator"]
