"""Trees of decisions."""

from planetree.tree.axis import AxisSplits
from planetree.tree.c45 import C45Classifier
from planetree.tree.multisurface import MultisurfaceClassifier
from planetree.tree.prepared import CrossValidation, GrownTree, Growth, PreparedTable
from planetree.tree.region import Among, Region, Side
from planetree.tree.tree import Tree

__all__ = [
    "Among",
    "AxisSplits",
    "C45Classifier",
    "CrossValidation",
    "GrownTree",
    "Growth",
    "MultisurfaceClassifier",
    "PreparedTable",
    "Region",
    "Side",
    "Tree",
]
