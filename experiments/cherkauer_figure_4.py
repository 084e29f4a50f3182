"""Features that C4.5 trees read, alone and with SET-GEN.

The trees of Figure 2: different features in the tests of the pruned tree.
"""

from typing import Any

import pandas as pd

from experiments import cherkauer_figure_2
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold."""
    return cherkauer_figure_2.run(bench, "features")


def draw(frame: pd.DataFrame) -> Any:
    """A bar a method, set by set."""
    return cherkauer_figure_2.draw(frame, "features", "features")
