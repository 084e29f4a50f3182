"""Planes that HiGHS finds for the programs of `programs`, in floats and equilibrated.

Columns are centered and divided by their largest distance from the center, rows of the program by
their largest entry. An answer is a rational plane in the units of the table, or None: it is a rival
whatever HiGHS thought of it.
"""

import numpy as np
from scipy.optimize import linprog

from campaigns.exact.rational import ZERO, as_float, dot, exact


def _units(X):
    """Center and size of each column; a median is not dragged away by one large row."""
    center = np.median(X, axis=0)
    with np.errstate(over="ignore"):
        size = np.median(np.abs(X - center), axis=0)
        largest = np.abs(X - center).max(axis=0)
    size = np.where(size > 0, size, largest)
    return center, np.where((size > 0) & np.isfinite(size), size, 1.0)


def _in_units_of_the_table(w, gamma, center, size):
    """Exact plane of the table from a plane of its units."""
    weights = [exact(a) / exact(s) for a, s in zip(w, size, strict=True)]
    return [*weights, exact(gamma) + dot(weights, [exact(c) for c in center])]


def _solve(*program, **parts):
    try:
        found = linprog(*program, method="highs", **parts)
    except (ValueError, OverflowError):
        return None
    return None if found.x is None or not np.isfinite(found.x).all() else found.x


def hinges(case, kinks, allowed):
    """Unknowns, those that are allowed alone, of a sum of kinks."""
    n = case.X.shape[1]
    center, size = _units(case.X)
    allowed = list(allowed)
    A, b = [], []
    back = [(p % (n + 1), p // (n + 1)) for p in allowed]
    for kink in kinks:
        per_plane = {}
        for (j, plane), a in zip(back, kink.a, strict=True):
            per_plane.setdefault(plane, [ZERO] * (n + 1))[j] = a
        row = []
        for j, plane in back:
            a = per_plane[plane]
            if j == n:
                row.append(as_float(a[n]))
            else:  # w x - gamma = (w size) (x - center) / size - (gamma - w center)
                row.append(as_float((a[j] + a[n] * exact(center[j])) / exact(size[j])))
        A.append(row)
        b.append(as_float(kink.b))
    A, b = np.array(A), np.array(b)
    height = np.maximum(np.abs(A).max(axis=1), 1e-300)
    below, above = (np.array([as_float(getattr(k, s)) for k in kinks]) for s in ("below", "above"))
    two = above > 0
    m, N, extra = len(b), A.shape[1], int(two.sum())
    lower = np.hstack([-A / height[:, None], -np.eye(m), np.zeros((m, extra))])
    upper = np.hstack([(A / height[:, None])[two], np.zeros((extra, m)), -np.eye(extra)])
    sides = np.concatenate([-b / height, (b / height)[two]])
    cost = np.concatenate([np.zeros(N), below * height, (above * height)[two]])
    bounds = [(None, None)] * N + [(0, None)] * (m + extra)
    x = _solve(cost, np.vstack([lower, upper]), sides, bounds=bounds)
    return None if x is None else _planes(x[:N], back, n, center, size)


def _planes(x, back, n, center, size):
    """Exact unknowns of the table, in the order of the allowed ones."""
    planes = {}
    for (j, plane), value in zip(back, x, strict=True):
        planes.setdefault(plane, np.zeros(n + 1))[j] = value
    exact_planes = {
        plane: _in_units_of_the_table(each[:n], each[n], center, size)
        for plane, each in planes.items()
    }
    return [exact_planes[plane][j] for j, plane in back]


def grinold(case):
    """Plane of (3.27)."""
    center, size = _units(case.X)
    signs = np.where(case.codes == 1, 1.0, -1.0)
    S = signs[:, None] * np.column_stack([(case.X - center) / size, -np.ones(len(signs))])
    q = case.weights @ S / case.weights.sum()
    if not np.abs(q).any():
        return None
    height = np.maximum(np.abs(S).max(axis=1), 1.0)
    A = np.column_stack([-S, np.ones(len(S))]) / height[:, None]
    reach = np.abs(q).max()
    x = _solve(
        np.append(np.zeros(len(q)), -1.0),
        A,
        np.zeros(len(S)),
        A_eq=[np.append(q, 0.0) / reach],
        b_eq=[1.0 / reach],
        bounds=[(None, None)] * (len(q) + 1),
    )
    return None if x is None else _in_units_of_the_table(x[:-2], x[-2], center, size)


def max_norm(case, allowed):
    """Weights of the best pair for each weight of size 1 in the scale of the model."""
    center, scale = np.median(case.X, axis=0), np.asarray(case.model.scale_)
    Z = ((case.X - center) / scale)[:, allowed]
    above = case.codes == 1
    n, signs = len(allowed), np.where(above, -1.0, 1.0)
    # Unknowns w, alpha, beta: A w >= alpha, B w <= beta, least beta - alpha.
    A = np.column_stack([signs[:, None] * Z, above.astype(float), -(~above).astype(float)])
    height = np.maximum(np.abs(A).max(axis=1), 1.0)
    cost = np.append(np.zeros(n), [-1.0, 1.0])
    for j in range(n):
        for end in (1.0, -1.0):
            bounds = [(-1.0, 1.0)] * n + [(None, None)] * 2
            bounds[j] = (end, end)
            x = _solve(cost, A / height[:, None], np.zeros(len(A)), bounds=bounds)
            if x is not None:
                w = [ZERO] * len(scale)
                for place, value in zip(allowed, x[:n], strict=True):
                    w[place] = exact(value) / exact(scale[place])
                yield w
