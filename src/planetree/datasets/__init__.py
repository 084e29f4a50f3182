"""Data sets by name, and generators of ones whose structure is known."""

from planetree.datasets.generators import parity, two_planes
from planetree.datasets.loaders import Dataset, load, names

__all__ = ["Dataset", "load", "names", "parity", "two_planes"]
