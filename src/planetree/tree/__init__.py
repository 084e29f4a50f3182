"""Trees of decisions."""

from planetree.planes import Among, Side
from planetree.tree.axis_splits import AxisSplits
from planetree.tree.c45.c45_tree import C45Classifier
from planetree.tree.c45.prepared_table import (
    CrossValidation,
    CrossValidator,
    GrownTree,
    Growth,
    PreparedTable,
)
from planetree.tree.holdout.holdout_tree import HoldoutTreeClassifier
from planetree.tree.inspection.explanation import Change, Explanation, Step, Way, explain
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.plane.plane_growth import PathStep
from planetree.tree.plane.plane_tree import PlaneTreeClassifier
from planetree.tree.separator.multisurface import MultisurfaceClassifier
from planetree.tree.separator.separator_tree import SeparatorTreeClassifier
from planetree.tree.tree import Region, Tree

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
    "Way",
    "explain",
    "fitted_tree",
]
