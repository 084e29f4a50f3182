"""What a tree of planes costs, in fits of one separator; and whether growth is linear in rows.

The rows are those of an exclusive-or of two directions with noise in the labels, so that no plane
ends the growth: every tree here has 10 splits.
"""

import time

import numpy as np

from planetree import RobustSeparator, SeparatorTreeClassifier

N_COLUMNS = 20


def rows(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    side = (X[:, :10].sum(axis=1) > 1.0) ^ (X[:, 10:].sum(axis=1) > 0.5)
    return X, side ^ (rng.random(n_rows) < 0.1)


def seconds(model: object, X: np.ndarray, y: np.ndarray, repeats: int = 3) -> float:
    spent = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.fit(X, y)
        spent.append(time.perf_counter() - start)
    return float(np.median(spent))


def main() -> None:
    """Print a line for each number of rows: seconds of one fit and of a tree, and their ratio."""
    print(
        f"{'rows':>7} {'separator, s':>12} {'tree, s':>8} {'splits':>6} {'ratio':>6} {'us/row':>7}"
    )
    for n_rows in (12_500, 25_000, 50_000, 100_000):
        X, y = rows(n_rows)
        tree = SeparatorTreeClassifier(pruning=None)
        one, whole = seconds(RobustSeparator(), X, y), seconds(tree, X, y)
        print(
            f"{n_rows:>7} {one:>12.3f} {whole:>8.3f} {len(tree.certificates_):>6} "
            f"{whole / one:>6.1f} {1e6 * whole / n_rows:>7.1f}"
        )


if __name__ == "__main__":
    main()
