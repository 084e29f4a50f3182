"""Multisurface method and back-propagation on Cleveland heart disease.

As Figure 2.6, on the 297 complete rows.
"""

import pandas as pd

from experiments.bennett_figure_2_6 import draw
from experiments.bennett_figure_2_6 import run as run_on
from experiments.harness.bench import Bench

__all__ = ["draw", "run"]


def run(bench: Bench) -> pd.DataFrame:
    """A row a division."""
    return run_on(bench, "Heart")
