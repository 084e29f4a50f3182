"""What the door to HiGHS costs: LinearProgram, with its check, against scipy's linprog.

The programs are robust linear separations in their dual form: max 1.a with S'a = 0, 0 <= a <= c.
"""

import time

import numpy as np
from scipy.optimize import linprog

from planetree.solvers import LinearProgram

SHAPES = ((30, 5), (300, 13), (700, 9), (2000, 50))


def program(n_rows: int, n_columns: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Signed rows of two normal clouds that overlap, and their charges."""
    signs = np.resize([1.0, -1.0], n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + 0.3 * signs[:, None]
    rows = signs[:, None] * np.column_stack([X, -np.ones(n_rows)])
    return rows, np.full(n_rows, 2.0 / n_rows)


def ours(rows: np.ndarray, charges: np.ndarray) -> float:
    cost = -np.ones(len(rows))
    return LinearProgram(cost, rows.T, 0.0, 0.0, 0.0, charges, presolve=False).solve().objective


def scipys(rows: np.ndarray, charges: np.ndarray) -> float:
    bounds = np.column_stack([np.zeros(len(rows)), charges])
    equal = np.zeros(rows.shape[1])
    return linprog(-np.ones(len(rows)), A_eq=rows.T, b_eq=equal, bounds=bounds).fun


def main() -> None:
    """Print a line for each shape: milliseconds of both, and their ratio."""
    rng = np.random.default_rng()
    print(f"{'shape':>10} {'ours, ms':>9} {'scipy, ms':>9} {'ratio':>6}")
    for shape in SHAPES:
        times = {ours: [], scipys: []}
        for _ in range(5):
            arrays = program(*shape, rng)
            values = []
            for method, spent in times.items():
                start = time.perf_counter()
                values.append(method(*arrays))
                spent.append(1e3 * (time.perf_counter() - start))
            np.testing.assert_allclose(*values, rtol=1e-7)
        mine, theirs = (float(np.median(spent)) for spent in times.values())
        print(f"{shape[0]:>6}x{shape[1]:<3} {mine:>9.2f} {theirs:>9.2f} {theirs / mine:>6.1f}")


if __name__ == "__main__":
    main()
