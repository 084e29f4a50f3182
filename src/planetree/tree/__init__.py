"""Trees of decisions."""

from planetree.tree.axis import AxisSplits
from planetree.tree.c45 import C45Classifier
from planetree.tree.explanation import Change, Explanation, Step, explain
from planetree.tree.fitted import FittedTree, fitted_tree
from planetree.tree.holdout import HoldoutTreeClassifier
from planetree.tree.multisurface import MultisurfaceClassifier
from planetree.tree.plane_tree import PathStep, PlaneTreeClassifier
from planetree.tree.prepared import (
    CrossValidation,
    CrossValidator,
    GrownTree,
    Growth,
    PreparedTable,
)
from planetree.tree.region import Among, Region, Side
from planetree.tree.separator_tree import SeparatorTreeClassifier
from planetree.tree.tree import Tree

__all__ = [
    "Among",
    "AxisSplits",
    "C45Classifier",
    "Change",
    "CrossValidation",
    "CrossValidator",
    "Explanation",
    "FittedTree",
    "GrownTree",
    "Growth",
    "HoldoutTreeClassifier",
    "MultisurfaceClassifier",
    "PathStep",
    "PlaneTreeClassifier",
    "PreparedTable",
    "Region",
    "SeparatorTreeClassifier",
    "Side",
    "Step",
    "Tree",
    "explain",
    "fitted_tree",
]
