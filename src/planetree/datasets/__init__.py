"""Data sets of a local folder, by name, and generators of ones whose structure is known."""

from planetree.datasets.generators import parity, two_planes
from planetree.datasets.loaders import Dataset, contents, folder, load, names

__all__ = ["Dataset", "contents", "folder", "load", "names", "parity", "two_planes"]
