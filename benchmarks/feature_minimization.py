"""Feature minimization: the time of a whole search, and how often it finds the fewest features.

- a search (SparseSeparator, default) against one RLP over all features by HiGHS in its best form:
  the dual, by the simplex method, without presolve;
- the proof of the fewest of 13 features;
- 20000 rows with 50 features against one of our own RLP;
- greedy and published searches against the proved minimum.

Seconds are of the processor, so that what else the machine does matters less.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from planetree import RobustSeparator, SparseSeparator
from planetree.solvers import LinearProgram

SHAPES = ((300, 13), (700, 9), (208, 60), (2000, 150))
SEEDS = (0, 1, 2)


def clouds(n_rows: int, n_features: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two normal clouds that overlap; half of the features tell them apart, some of them alike."""
    y = np.resize([0, 1], n_rows)
    shift = 0.5 * (rng.random(n_features) < 0.5)
    common = rng.normal(size=(n_rows, 1))
    return rng.normal(size=(n_rows, n_features)) + 0.5 * common + y[:, None] * shift, y


def timed(work: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Least seconds of some runs, and the last result."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        spent.append(time.process_time() - start)
    return min(spent), result


def rlp_by_highs(X: np.ndarray, y: np.ndarray) -> float:
    """Value of RLP by HiGHS: max 1.a with S'a = 0, 0 <= a <= charge."""
    Z = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), -np.ones(len(X))])
    rows = np.where(y == 1, 1.0, -1.0)[:, None] * Z
    charge = 1.0 / np.bincount(y)[y]
    cost = -np.ones(len(X))
    return -LinearProgram(cost, rows.T, 0.0, 0.0, 0.0, charge, presolve=False).solve().objective


def against_highs() -> None:
    print("Whole minimization against one RLP by HiGHS")
    print(f"{'shape':>10} {'HiGHS, ms':>9} {'search, ms':>10} {'ratio':>6} features")
    ratios = []
    for shape in SHAPES:
        for seed in SEEDS:
            X, y = clouds(*shape, np.random.default_rng(seed))
            theirs, value = timed(lambda X=X, y=y: rlp_by_highs(X, y))
            ours, model = timed(lambda X=X, y=y: SparseSeparator().fit(X, y))
            assert model.objective_ <= 1.1 * value * (1 + 1e-6)
            ratios.append(ours / theirs)
            times = f"{1e3 * theirs:>9.1f} {1e3 * ours:>10.1f} {ratios[-1]:>6.2f}"
            print(f"{shape[0]:>6}x{shape[1]:<3} {times} {model.n_features_used_:>8}", flush=True)
    print(f"median {np.median(ratios):.2f} (goal 4), worst {max(ratios):.2f} (goal 6)")


def proofs() -> None:
    print("\nProof of the fewest of 13 features, 300 rows")
    for seed in SEEDS:
        X, y = clouds(300, 13, np.random.default_rng(seed))
        spent, model = timed(lambda X=X, y=y: SparseSeparator(exact=True).fit(X, y), 1)
        assert model.proved_
        print(f"{model.n_features_used_} features proved in {spent:.2f} s (goal 2)", flush=True)


def tall() -> None:
    X, y = clouds(20_000, 50, np.random.default_rng(0))
    alone, _ = timed(lambda: RobustSeparator().fit(X, y))
    whole, model = timed(lambda: SparseSeparator().fit(X, y), 1)
    figures = f"{whole:.2f} s, {whole / alone:.1f} times one RLP of ours (goal 30)"
    print(f"\n20000x50: {model.n_features_used_} features in {figures}", flush=True)


def rates(n_problems: int = 200) -> None:
    found = dict.fromkeys(("greedy", "published", "forward", "backward"), 0)
    for seed in range(n_problems):
        rng = np.random.default_rng(seed)
        X, y = clouds(int(rng.integers(30, 80)), int(rng.integers(4, 11)), rng)
        separator = RobustSeparator(perturbation=0.02 * (seed % 2))
        fewest = SparseSeparator(separator, exact=True).fit(X, y).n_features_used_
        for algorithm in found:
            model = SparseSeparator(separator, algorithm=algorithm).fit(X, y)
            found[algorithm] += model.n_features_used_ == fewest
    print(f"\nThe fewest features, proved, are found in {n_problems} problems with 4 to 10 by")
    for algorithm, count in found.items():
        print(f"{algorithm:>10} {100 * count / n_problems:5.1f} %")


def main() -> None:
    """Print every comparison."""
    against_highs()
    proofs()
    tall()
    rates()


if __name__ == "__main__":
    main()
