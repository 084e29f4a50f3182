"""Two planes and multisurfaces: planetree's programs against cold solves by HiGHS, in one run.

The algorithm is the same on both sides; only who solves a step differs:

    UBPA, 25 dimensions, 1000 rows     a program of hinges against its dual form in HiGHS
    MSM on breast cancer               one simplex for all 2n programs against 2n cold programs

A time is the best of three, which other work on the machine lengthens least.
"""

import os
import time
from unittest import mock

import numpy as np

from planetree import BilinearSeparator, MultisurfaceClassifier
from planetree.datasets import load, two_planes
from planetree.separators.bilinear import bilinear_program
from planetree.solvers import LinearProgram
from planetree.solvers.max_norm import _solve_by_highs


def best_plane_by_highs(
    demand: bilinear_program.Demand, start: np.ndarray, clock: object
) -> tuple[np.ndarray, int]:
    """Plane with the least charge, from nothing: the dual form, whose duals are the plane."""
    rows = demand.sides[:, None] * np.column_stack([demand.X, -np.ones(len(demand.X))])
    charges = demand.charges / demand.charges.sum()
    program = LinearProgram(
        -np.ones(len(rows)), rows.T, 0.0, 0.0, 0.0, charges, presolve=False, name="step"
    )
    answer = program.solve()
    return -answer.duals, answer.n_iterations


def timed(fit) -> tuple[float, object]:
    """Seconds of a fit, the best of three, and what it gives."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        model = fit()
        seconds.append(time.perf_counter() - start)
    return min(seconds), model


def two_planes_at_once() -> None:
    ratios = []
    for seed in range(5):
        X, y = two_planes(1000, 25, random_state=seed)
        model = BilinearSeparator(topology="second", max_restarts=0)
        ours, fitted = timed(lambda: model.fit(X, y))  # noqa: B023
        steps = fitted.n_programs_
        with mock.patch.object(bilinear_program, "best_plane", best_plane_by_highs):
            theirs, fitted = timed(lambda: model.fit(X, y))  # noqa: B023
        ratios.append(theirs / fitted.n_programs_ / (ours / steps))
        print(f"UBPA 25 x 1000: {1e3 * ours:>7.1f} ms in {steps} programs; "
              f"HiGHS {1e3 * theirs:>7.1f} ms in {fitted.n_programs_}; "
              f"a step {ratios[-1]:.1f} times faster, the fit {theirs / ours:.1f}")  # fmt: skip
    print(f"median, a step: {np.median(ratios):.1f}")


def multisurface() -> None:
    if not os.environ.get("PLANETREE_DATA"):
        print("MSM on breast cancer: PLANETREE_DATA names no folder of data sets")
        return
    data = load("breast-cancer-wisconsin")
    X = data.X.dropna()
    y = data.y[X.index]
    model = MultisurfaceClassifier()
    ours = timed(lambda: model.fit(X, y))[0]
    pairs = model.n_pairs_
    cold = mock.Mock(side_effect=lambda A, B, _: _solve_by_highs(A, B))
    with mock.patch("planetree.tree.separator.multisurface.max_norm_planes", cold):
        theirs, fitted = timed(lambda: model.fit(X, y))
    print(f"MSM on breast cancer: {1e3 * ours:.1f} ms, {pairs} pairs; 2n cold programs a pair")
    print(f"{1e3 * theirs:.1f} ms, {fitted.n_pairs_} pairs: {theirs / ours:.1f} times faster")


def main() -> None:
    """Print both comparisons."""
    two_planes_at_once()
    multisurface()


if __name__ == "__main__":
    main()
