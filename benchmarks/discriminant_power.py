"""Search for features by nearest neighbors against scikit-learn's, and the ranking against both.

`FloatingSelector` and `SequentialFeatureSelector` search forward with `KNeighborsClassifier(3)` on
waveforms and the same five folds. They must take the features in the same order. Seconds are those
of one processor; the ranking is that of `DiscriminantPowerSelector`.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from planetree import DiscriminantPowerSelector, FloatingSelector
from planetree.datasets import make_waveform

SIZES = ((500, 0), (1000, 19), (2600, 0))


def seconds(task: Callable[[], object], repeats: int) -> float:
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        task()
        spent.append(time.process_time() - start)
    return min(spent)


def peer(n_features: int, cv: list) -> SequentialFeatureSelector:
    return SequentialFeatureSelector(
        KNeighborsClassifier(3), n_features_to_select=n_features, cv=cv
    )


def same_order(order: np.ndarray, X: np.ndarray, y: np.ndarray, cv: list) -> bool:
    """Whether scikit-learn has taken the same features after 1, 2, 3, 5, 8 and 13 steps."""
    return all(
        np.array_equal(np.sort(order[:d]), np.flatnonzero(peer(d, cv).fit(X, y).support_))
        for d in (1, 2, 3, 5, 8, 13)
    )


def line(n_rows: int, noise_features: int) -> list[object]:
    X, y = make_waveform(n_rows, noise_features, random_state=0)
    cv = list(StratifiedKFold(5).split(X, y))
    ours = FloatingSelector(KNeighborsClassifier(3), full_ranking=True, cv=cv)
    theirs, ranking = peer(X.shape[1] - 1, cv), DiscriminantPowerSelector(holdout=0.23)
    ranked = seconds(lambda: ranking.fit(X, y), 3)
    searched = seconds(lambda: ours.fit(X, y), 3)
    peers = seconds(lambda: theirs.fit(X, y), 1)
    figures = (peers, searched, peers / searched, ranked, peers / ranked, searched / ranked)
    return [n_rows, X.shape[1], *figures, same_order(ours.order_, X, y, cv)]


def main() -> None:
    """Print a line for each size: seconds, ratios, and whether the orders agree."""
    print(f"{'rows':>6} {'features':>8} {'scikit-learn':>12} {'ours':>7} {'ratio':>6} "
          f"{'ranking':>8} {'ratio':>7} {'to ours':>8}  same order")  # fmt: skip
    for size in SIZES:
        rows, features, peers, ours, ratio, ranked, to_peers, to_ours, same = line(*size)
        print(f"{rows:>6} {features:>8} {peers:>12.2f} {ours:>7.3f} {ratio:>6.1f} {ranked:>8.3f} "
              f"{to_peers:>7.0f} {to_ours:>8.1f}  {same}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
