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
from planetree.tree.editing.alternatives import Alternative, NearEqualTree
from planetree.tree.editing.edit_cost import EditCost
from planetree.tree.editing.tree_editor import TreeEditor
from planetree.tree.editing.tree_stability import Stability
from planetree.tree.holdout.holdout_tree import HoldoutTreeClassifier
from planetree.tree.inspection.counterfactuals import Counterfactual
from planetree.tree.inspection.explanation import Explanation, Step, Way, explain
from planetree.tree.inspection.explanations import Explanations
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.inspection.row_moves import Change
from planetree.tree.plane.plane_tree import PlaneTreeClassifier
from planetree.tree.price_pruning import PathStep
from planetree.tree.separator.multisurface import MultisurfaceClassifier
from planetree.tree.separator.separator_tree import SeparatorTreeClassifier
from planetree.tree.tree import Region, Tree

__all__ = [
    "Alternative",
    "Among",
    "AxisSplits",
    "C45Classifier",
    "Change",
    "Counterfactual",
    "CrossValidation",
    "CrossValidator",
    "EditCost",
    "Explanation",
    "Explanations",
    "FittedTree",
    "GrownTree",
    "Growth",
    "HoldoutTreeClassifier",
    "MultisurfaceClassifier",
    "NearEqualTree",
    "PathStep",
    "PlaneTreeClassifier",
    "PreparedTable",
    "Region",
    "SeparatorTreeClassifier",
    "Side",
    "Stability",
    "Step",
    "Tree",
    "TreeEditor",
    "Way",
    "explain",
    "fitted_tree",
]
