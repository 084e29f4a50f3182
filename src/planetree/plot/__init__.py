"""Pictures, one matplotlib Axes each. Needs matplotlib: `pip install planetree[plot]`."""

from planetree.plot.biclusters import heatmap
from planetree.plot.decision import decision
from planetree.plot.feature_path import feature_path
from planetree.plot.nested_subsets import nested_subset_errors
from planetree.plot.ranking import ranking
from planetree.plot.search_history import search_history
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
