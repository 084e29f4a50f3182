"""Pictures, one matplotlib Axes per function; `pip install planetree[plot]` brings matplotlib."""

from planetree.plot.decision import decision
from planetree.plot.feature_path import feature_path

__all__ = ["decision", "feature_path"]
