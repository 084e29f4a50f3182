"""Three linear programs on sets that no plane separates.

Ten random divisions, 67% for training and 33% for the test, the same for the three: MSM1 is
RLP (3.15), Smith the same with equal weights (3.14), MSM the pair of planes (2.2) read as the one
plane between them (3.30). The bars are lost; the text says that MSM1 is better than Smith, and much
better than MSM, on both sets.
"""

from typing import Any

import pandas as pd

from experiments.bennett_figure_2_6 import SETS
from experiments.harness.bench import Bench, grid, scores, two_thirds
from experiments.harness.figures import axes, bars
from planetree import MaxNormSeparator, RobustSeparator

METHODS = {
    "MSM1": RobustSeparator(),
    "Smith": RobustSeparator(weighting="uniform"),
    "MSM": MaxNormSeparator(),
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a division."""
    sets = bench.pick(list(SETS), ["Heart"])
    cases = grid(set=sets, method=METHODS, n_splits=[bench.pick(10, 2)])
    return bench.cells(divisions, cases).drop(columns="n_splits")


def divisions(set: str, method: str, n_splits: int) -> list[dict[str, Any]]:
    X, y = SETS[set]()
    return scores(lambda: METHODS[method], X, y, two_thirds(y, n_splits))


def draw(frame: pd.DataFrame) -> Any:
    """Errors on test rows, a group of bars a set."""
    figure, ax = axes()
    errors = frame.pivot_table(index="set", columns="method", values="error", sort=False)
    spreads = frame.pivot_table(
        index="set", columns="method", values="error", aggfunc="std", sort=False
    )
    return bars(figure, ax, errors, spreads, "test error, %")
