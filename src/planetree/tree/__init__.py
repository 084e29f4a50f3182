"""Trees of decisions."""

from planetree.tree.axis import AxisSplits
from planetree.tree.c45 import C45Classifier
from planetree.tree.fitted import FittedTree, fitted_tree
from planetree.tree.multisurface import MultisurfaceClassifier
from planetree.tree.plane_tree import PathStep, PlaneTreeClassifier
from planetree.tree.prepared import CrossValidation, GrownTree, Growth, PreparedTable
from planetree.tree.region import Among, Region, Side
from planetree.tree.separator_tree import SeparatorTreeClassifier
from planetree.tree.tree import Tree

__all__ = [
    "Among",
    "AxisSplits",
    "C45Classifier",
    "CrossValidation",
    "FittedTree",
    "GrownTree",
    "Growth",
    "MultisurfaceClassifier",
    "PathStep",
    "PlaneTreeClassifier",
    "PreparedTable",
    "Region",
    "SeparatorTreeClassifier",
    "Side",
    "Tree",
    "fitted_tree",
]
