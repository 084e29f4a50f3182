"""Error of two planes on fresh points against the dimension.

The training sets of Tables 7.1 and 7.2: means of ten with 95% intervals. The thesis's curves are
lost; its text says that the error grows with the dimension and falls with more training points.
"""

from typing import Any

import pandas as pd
from scipy import stats

from experiments.bennett_table_7_1 import trials
from experiments.harness.bench import Bench
from experiments.harness.figures import axes


def run(bench: Bench) -> pd.DataFrame:
    """A row a training set."""
    return all_trials(bench).drop(columns=["separated", "steps", "seconds"])


def all_trials(bench: Bench) -> pd.DataFrame:
    """Those of Table 7.1 and of Table 7.2."""
    parts = [
        trials(bench, bench.pick((10, 25, 50, 100), (10,)), ["uncoupled"]),
        trials(bench, bench.pick((5, 10, 25), (5,)), ["coupled"]),
    ]
    return pd.concat(parts, ignore_index=True)


def draw(frame: pd.DataFrame) -> Any:
    """A curve a size, uncoupled beside coupled."""
    return curves(frame, "error", "test error, %")


def curves(frame: pd.DataFrame, measure: str, label: str) -> Any:
    """Means with 95% intervals against the dimension."""
    figure, both = axes(9.0, 4.0, n_columns=2)
    for ax, (method, part) in zip(both, frame.groupby("method", sort=False), strict=True):
        for size, group in part.groupby("size"):
            of_dimension = group.groupby("dimension")[measure]
            count = of_dimension.count()
            half = of_dimension.sem() * stats.t.ppf(0.975, count - 1)
            ax.errorbar(count.index, of_dimension.mean(), half, capsize=3, label=f"{size} points")
        ax.set(title=method, xlabel="dimension", ylabel=label)
        ax.legend()
    return figure
