"""Two planes in two dimensions, coupled (BPA).

As Figure 7.6, with 130 points of one set and 74 of the other. The thesis separates hers in 829
pivots of the simplex method. Published is BPA alone, `algorithm="frank_wolfe", start="thesis"`.
"""

import pandas as pd

from experiments.bennett_figure_7_6 import draw
from experiments.bennett_figure_7_6 import run as run_with
from experiments.harness.bench import Bench

__all__ = ["draw", "run"]


def run(bench: Bench) -> pd.DataFrame:
    """A row a point."""
    return run_with(bench, "coupled", (130, 74))
