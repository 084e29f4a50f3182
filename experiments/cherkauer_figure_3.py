"""Nodes of C4.5 trees, alone and with SET-GEN.

The trees of Figure 2: internal nodes and leaves of the pruned tree.
"""

from typing import Any

import pandas as pd

from experiments import cherkauer_figure_2
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold."""
    return cherkauer_figure_2.run(bench, "nodes")


def draw(frame: pd.DataFrame) -> Any:
    """A bar a method, set by set."""
    return cherkauer_figure_2.draw(frame, "nodes", "nodes")
