"""Pictures, one matplotlib Axes each. Needs matplotlib: `pip install planetree[plot]`."""

from planetree.plot.biclusters import heatmap
from planetree.plot.curves import calibration, feature_path, ranking, search_history
from planetree.plot.curves import subset_error_curves as nested_subset_errors
from planetree.plot.decision import decision
from planetree.plot.tree import tree

__all__ = [
    "calibration",
    "decision",
    "feature_path",
    "heatmap",
    "nested_subset_errors",
    "ranking",
    "search_history",
    "tree",
]
