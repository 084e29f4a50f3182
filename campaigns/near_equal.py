"""Near-equal sets of columns against the enumeration of all sets, on random tables.

    python -m campaigns.near_equal [--tables 200] [--columns 12]

Each table is drawn with 3 to that many columns, one of which nearly repeats another; a fifth of the
tables can be separated. A difference is printed with its seed.
"""

import argparse
import time
from itertools import combinations

import numpy as np

from planetree import RobustSeparator, SparseSeparator


def problem(seed, most):
    """A table of numbers with two classes, and how near is near."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, most + 1))
    X = rng.normal(size=(40, n))
    X[:, -1] = X[:, 0] + 0.3 * rng.normal(size=40)
    noise = 0.0 if seed % 5 == 4 else 1.0
    y = X @ rng.normal(size=n) + noise * rng.normal(size=40) > 0
    return X, y, [0.05, 0.2, 0.5][seed % 3]


def enumerated(X, y, within):
    """Minimal near-equal sets, by all sets of columns."""
    n, values = X.shape[1], {frozenset(): 2.0}
    for size in range(n, 0, -1):
        for columns in combinations(range(n), size):
            fitted = RobustSeparator().fit(X[:, columns], y)
            values[frozenset(columns)] = fitted.objective_
    limit = (1 + within) * values[frozenset(range(n))] + 1e-9
    near = {each for each in values if values[each] <= limit}
    return {each for each in near if all(each - {j} not in near for j in each)}


def main():
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--columns", type=int, default=12)
    given = parser.parse_args()
    different, seconds, n_sets = [], 0.0, 0
    for seed in range(given.tables):
        X, y, within = problem(seed, given.columns)
        model, start = SparseSeparator().fit(X, y), time.process_time()
        found = model.near_equal(within, max_sets=10**6, time_limit=None)
        seconds += time.process_time() - start
        expected = enumerated(X, y, within)
        n_sets += len(expected)
        if {frozenset(each.features) for each in found.sets} != expected or not found.proved:
            different.append(seed)
            print(f"table {seed} differs", flush=True)
    print(f"{given.tables} tables, {n_sets} sets, {len(different)} different, {seconds:.1f} s")


if __name__ == "__main__":
    main()
