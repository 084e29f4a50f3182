"""Cost of two planes against the dimension.

The training sets of Tables 7.1 and 7.2. The thesis counts pivots of the simplex method; our solver
has none, so its steps and its seconds are counted. The text says that the coupled algorithm costs
more, and that 500 points in 100 dimensions cost less than in 50, since one plane separates most of
those sets.
"""

from typing import Any

import pandas as pd

from experiments.bennett_figure_7_8 import all_trials, curves
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a training set."""
    return all_trials(bench).drop(columns=["separated", "error"])


def draw(frame: pd.DataFrame) -> Any:
    """A curve a size, uncoupled beside coupled."""
    return curves(frame, "steps", "steps of the solver")
