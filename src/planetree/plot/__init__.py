"""Pictures, one matplotlib Axes each. Needs matplotlib: `pip install planetree[plot]`."""

from planetree.plot.biclusters import heatmap
from planetree.plot.curves import feature_path, nested_subset_errors, ranking, search_history
from planetree.plot.decision import decision
from planetree.plot.tree import tree

__all__ = [
    "decision",
    "feature_path",
    "heatmap",
    "nested_subset_errors",
    "ranking",
    "search_history",
    "tree",
]
