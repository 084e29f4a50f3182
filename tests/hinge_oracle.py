"""Judges of hinge programs that share no code with the kernel: HiGHS, and weak duality in numpy.

A row x of class a makes one row of S for each rival j, with (x, -1) in the block of a and minus
the same in the block of j:

    min   sum charge max(0, 1 - S z) + price |z|    =    max   sum alpha
                                                         s.t.  |S' alpha| <= price,
                                                               0 <= alpha <= charge.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.solvers import LinearProgram


class Hinges(NamedTuple):
    """The matrix S, the charge of each of its rows and the price of each of its columns."""

    S: sp.csr_array
    charge: np.ndarray
    price: np.ndarray


def hinges(Z, classes, charges, *, weights=None, costs=None, price=0.0, all_planes=False):
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
    prices = np.append(np.broadcast_to(price, Z.shape[1]), 0.0)
    return Hinges(S, charge, np.tile(prices, len(planes)))


def highs_value(program, time_limit=None):
    """The optimal value, by HiGHS in the dual form."""
    S, charge, price = program
    dual = LinearProgram(-np.ones(len(charge)), S.T, -price, price, 0.0, charge, presolve=False)
    return -dual.solve(time_limit).value


def primal_value(program, z):
    """What the planes z pay."""
    return program.charge @ np.maximum(0.0, 1.0 - program.S @ z) + program.price @ np.abs(z)


def proved_bound(program, alpha, reach):
    """A number that no planes with |z| <= reach can pay less than, proved by `alpha` (weak duality)."""
    alpha = np.clip(alpha, 0.0, program.charge)
    excess = np.maximum(0.0, np.abs(program.S.T @ alpha) - program.price)
    return alpha.sum() - excess @ reach
