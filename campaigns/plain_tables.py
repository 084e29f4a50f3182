"""Small tables of every kind that estimators take: numbers, ties, categories, missing values."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class PlainTable:
    """Rows as a frame, their class codes, and fresh rows of the same kind."""

    X: pd.DataFrame
    y: np.ndarray
    fresh: pd.DataFrame

    @property
    def n_classes(self):
        """Number of classes."""
        return int(self.y.max()) + 1

    def with_columns(self, change):
        """Table whose frames were both changed."""
        return replace(self, X=change(self.X), fresh=change(self.fresh))


def draw(seed, number, *, n_classes=(2, 3), odd=True, most_rows=40):
    """Table of a number: every third has ties; if `odd`, every third has categories and gaps.

    The number of classes is the larger of `n_classes` in every fourth table.
    """
    rng = np.random.default_rng([seed, number])
    k = max(n_classes) if number % 4 == 3 else min(n_classes)
    m, n = int(rng.integers(4, most_rows)), int(rng.integers(2, 6))
    y = np.concatenate([np.repeat(np.arange(k), 3), rng.integers(0, k, size=m)])
    X, fresh = rng.normal(size=(len(y), n)), rng.normal(size=(30, n)) * 1.5
    X[:, : max(1, n // 2)] += rng.choice([0.3, 0.8, 1.6]) * y[:, None]
    if number % 3 == 0:
        X = np.clip(np.round(X), -1, 2)
    names = [f"c{j}" for j in range(n)]
    table = PlainTable(pd.DataFrame(X, columns=names), y, pd.DataFrame(fresh, columns=names))
    return _odd(rng, table) if odd and number % 3 == 2 else table


def _odd(rng, table):
    """Table with a column of categories, and some values of the first column missing."""

    def change(frame):
        kinds = np.array(["low", "middle", "high"])
        place = np.clip(np.floor(frame.iloc[:, -1].to_numpy() + 1.5), 0, 2).astype(int)
        frame = frame.copy()
        frame[frame.columns[-1]] = pd.Categorical(kinds[place], categories=list(kinds))
        frame.loc[rng.random(len(frame)) < 0.1, frame.columns[0]] = np.nan
        return frame

    return table.with_columns(change)
