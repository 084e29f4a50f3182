"""Pictures, one matplotlib Axes each. Needs matplotlib: `pip install planetree[plot]`."""

from planetree.plot.biclusters import heatmap

__all__ = ["heatmap"]
