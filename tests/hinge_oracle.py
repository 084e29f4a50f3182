"""Judges of hinge programs that share no code with the kernel: HiGHS, and weak duality in numpy.

A row x of class a makes one row of S for each rival j, with (x, -1) in the block of a and minus
the same in the block of j:

    min   sum charge max(0, 1 - S z) + rise max(0, z) + fall max(0, -z)
    =  max   sum alpha    s.t.   -fall <= S' alpha <= rise,    0 <= alpha <= charge.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.solvers import LinearProgram


class Hinges(NamedTuple):
    """The matrix S, the charge of each of its rows and the prices of each of its columns."""

    S: sp.csr_array
    charge: np.ndarray
    rise: np.ndarray
    fall: np.ndarray


def hinges(
    Z, classes, charges, *, weights=None, costs=None, price=0.0, below=None, all_planes=False
):
    """The program as one matrix; the first class has a plane only if `all_planes`."""
    m, k = len(Z), len(charges)
    rivals = np.array([[j for j in range(k) if j != a] for a in range(k)])[classes]
    own = np.repeat(classes, k - 1)
    weights = np.ones(m) if weights is None else weights
    costs = np.ones((k, k)) if costs is None else costs
    charge = np.repeat(weights * charges[classes], k - 1) * costs[own, rivals.ravel()]
    sign = np.eye(k)[own] - np.eye(k)[rivals.ravel()]
    rows = np.repeat(np.column_stack([Z, -np.ones(m)]), k - 1, axis=0)
    planes = range(0 if all_planes else 1, k)
    S = sp.hstack([sp.csr_array(sign[:, [c]] * rows) for c in planes], format="csr")
    sides = (price, price if below is None else below)
    prices = (np.append(np.broadcast_to(side, Z.shape[1]), 0.0) for side in sides)
    return Hinges(S, charge, *(np.tile(each, len(planes)) for each in prices))


def highs_value(program, time_limit=None):
    """The optimal value, by HiGHS in the dual form."""
    S, charge, rise, fall = program
    dual = LinearProgram(-np.ones(len(charge)), S.T, -fall, rise, 0.0, charge, presolve=False)
    return -dual.solve(time_limit).objective


def primal_value(program, z):
    """What the planes z pay."""
    error = program.charge @ np.maximum(0.0, 1.0 - program.S @ z)
    return error + program.rise @ np.maximum(0.0, z) + program.fall @ np.maximum(0.0, -z)


def proved_bound(program, alpha, reach):
    """The least that planes with |z| <= reach can pay, as `alpha` proves by weak duality."""
    alpha = np.clip(alpha, 0.0, program.charge)
    pull = program.S.T @ alpha
    excess = np.maximum(0.0, np.maximum(pull - program.rise, -pull - program.fall))
    return alpha.sum() - excess @ reach


def rounding(program, z):
    """What plain arithmetic may be off by when it adds up what the planes z pay."""
    return 1e-14 * (program.charge @ (1.0 + abs(program.S) @ np.abs(z)))
