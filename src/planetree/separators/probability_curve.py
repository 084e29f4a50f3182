"""How sure a separator is: probabilities that rise with its scores.

A separator is a tree of one decision (`planetree.grading`), graded under three conditions, so that
the sign of the score, the predicted class and the largest probability agree: no threshold moves,
all planes have one spread, and all leaves have one purity. With s_c the share of class c,

    p_c = purity s_c + (1 - purity) (1 - s_c) / (k - 1),

s being the sigmoid of score / spread for one plane, softmax(scores / spread) for more. Spread and
purity minimize

    - sum w ln p_y  -  m k sum_c prior ln q_c  +  1/2 terms (ln(scale / spread) - ln 2)^2,

with the prior of each class 1 / k, q the probabilities of a leaf, and m = 1.

- on the plane the odds are even; p lies strictly between (1 - purity) / (k - 1) and purity;
- the curve is fitted when it is first asked for, so that separating costs nothing more: until then
  it holds on to the training rows, and from then on to its two numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.planes import RULES, Planes

_Rows = tuple[Floats, Indices, Floats]
_SLOPE = 2.0  # scale / spread that is aimed at, as of decisions in trees
_LEAF_ROWS = 1.0  # rows of the whole table that each side holds besides its own, as in trees
_LEAF = len(RULES) + 1


class ProbabilityCurve:
    """Probabilities of the classes by the scores of a separator.

    Parameters
    ----------
    spread : float
        In units of the scores: at 2.2 spreads above a plane a row takes 90% of its upper side.
    purity : float
        The probability of its class far from all planes.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.probability_curve import ProbabilityCurve
    >>> curve = ProbabilityCurve(spread=1.0, purity=0.9)
    >>> curve.probabilities(np.array([[-9.0], [0.0], [9.0]]), np.array([0, 0, 1])).round(3)
    array([[0.9, 0.1],
           [0.5, 0.5],
           [0.1, 0.9]])
    """

    _fields = ("spread", "purity")  # in model files

    _numbers: tuple[float, float] | None
    _rows: Callable[[], _Rows]
    _n_terms: int

    def __init__(self, spread: float, purity: float) -> None:
        if not (0 < spread < np.inf and 0 < purity < 1):
            raise ValueError(
                f"A spread is above 0 and a purity within 0 and 1: {spread}, {purity}."
            )
        self._numbers = float(spread), float(purity)

    @classmethod
    def later(cls, rows: Callable[[], _Rows], n_terms: int) -> ProbabilityCurve:
        """A curve that is fitted when it is first asked for.

        Parameters
        ----------
        rows : callable
            Gives scores of shape (n_rows, n_planes), class codes and weights.
        n_terms : int
        """
        curve = cls.__new__(cls)
        curve._numbers, curve._rows, curve._n_terms = None, rows, n_terms
        return curve

    @property
    def spread(self) -> float:
        """How far from a plane rows are unsure, in units of the scores."""
        return self._fitted()[0]

    @property
    def purity(self) -> float:
        """Probability of its class far from all planes."""
        return self._fitted()[1]

    def leaves(self, n_classes: int) -> Floats:
        """Probabilities (a row) on the side of each class, far from all planes."""
        return _leaves(self.purity, n_classes)

    def probabilities(self, scores: Floats, codes: Indices) -> Floats:
        """Probability of each class.

        Parameters
        ----------
        scores : array of shape (n_rows, n_planes)
        codes : array of shape (n_rows,)
            The classes predicted: of classes that rounding makes equal, they have a bit more.
        """
        shares = _shares(scores, self.spread)
        found: Floats = shares @ self.leaves(shares.shape[1])
        tied = np.flatnonzero(found.argmax(axis=1) != codes)
        found[tied, codes[tied]] = np.nextafter(found[tied].max(axis=1), 1.0)
        return found

    def _fitted(self) -> tuple[float, float]:
        if self._numbers is None:
            self._numbers = _fit(*_merged(*self._rows()), self._n_terms)
            del self._rows, self._n_terms  # and with them the training rows
        return self._numbers

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the two numbers alone."""
        return ProbabilityCurve, self._fitted()

    def __repr__(self) -> str:
        """Say the two numbers."""
        return f"ProbabilityCurve(spread={self.spread!r}, purity={self.purity!r})"

    def __eq__(self, other: object) -> bool:
        """Whether two curves have the same numbers."""
        return isinstance(other, ProbabilityCurve) and self._fitted() == other._fitted()

    __hash__ = None  # type: ignore[assignment]


def _shares(scores: Floats, spread: float) -> Floats:
    """Share of each class: those of planes with such scores."""
    n = scores.shape[1]
    rule = "slabs" if n == 1 else "argmax"
    return Planes(np.eye(n), np.zeros(n), rule, spread=spread).shares_of(scores)


def _leaves(purity: float, n_classes: int) -> Floats:
    rest = (1.0 - purity) / (n_classes - 1)
    return rest + (purity - rest) * np.eye(n_classes)


def _merged(scores: Floats, codes: Indices, weights: Floats) -> _Rows:
    """Rows of equal scores and class as one, in an order of their own."""
    keys, which = np.unique(np.column_stack([scores, codes]), axis=0, return_inverse=True)
    by_weight = np.lexsort((weights, which.ravel()))  # sums must not depend on the order of rows
    merged = np.bincount(which.ravel()[by_weight], weights[by_weight]).astype(np.float64)
    return np.ascontiguousarray(keys[:, :-1]), keys[:, -1].astype(np.intp), merged


def _fit(scores: Floats, codes: Indices, weights: Floats, n_terms: int) -> tuple[float, float]:
    """Spread and purity."""
    one, n = scores.shape[1] == 1, scores.shape[1]
    k = 2 if one else n
    centered = scores if one else scores - scores.mean(axis=1, keepdims=True)
    largest = float(np.abs(centered).max(initial=0.0)) or 1.0
    squares = ((centered / largest) ** 2).mean(axis=1)
    scale = largest * float(np.sqrt(weights @ squares / weights.sum())) or 1.0
    rows = _core.GradedRows(
        np.array([RULES.index("slabs" if one else "argmax"), *[_LEAF] * k], dtype=np.int32),
        np.array([n, *[0] * k], dtype=np.int32),
        np.array([k, *[0] * k], dtype=np.int32),
        np.arange(1, k + 1, dtype=np.int64),
        np.full(k, 1.0 / k),
        k,
        np.ascontiguousarray(centered / scale),
        codes.astype(np.int32),
        np.ascontiguousarray(weights, dtype=np.float64),
    )
    slope, purity = _minimum(rows, k, n_terms)
    return scale / slope, purity


def _minimum(rows: _core.GradedRows, k: int, n_terms: int) -> tuple[float, float]:
    """Slope and purity, by the logarithm of one and the logit of the other above 1 / k."""

    def read(v: Floats) -> tuple[float, float, float]:
        above = float(expit(v[1]))
        return float(np.exp(v[0])), 1 / k + (1 - 1 / k) * above, above

    def value(v: Floats) -> tuple[float, Floats]:
        slope, purity, above = read(v)
        leaf = np.vstack([np.full(k, 1 / k), _leaves(purity, k)])
        slopes = np.array([slope, *[0.0] * k])
        loss, by_slope, _, by_leaf = rows.likelihood(slopes, np.zeros(k + 1), leaf)
        by_leaf = by_leaf[1:] - _LEAF_ROWS / k / leaf[1:]
        away, own = v[0] - np.log(_SLOPE), np.trace(by_leaf)
        by_purity = own - (by_leaf.sum() - own) / (k - 1)
        loss += 0.5 * n_terms * away**2 - _LEAF_ROWS / k * float(np.log(leaf[1:]).sum())
        by_above = by_purity * (1 - 1 / k) * above * (1 - above)
        return loss, np.array([by_slope[0] * slope + n_terms * away, by_above])

    start = np.array([np.log(_SLOPE), 2.0])
    box = [(-30.0, 30.0), (-10.0, 30.0)]
    slope, purity, _ = read(minimize(value, start, jac=True, method="L-BFGS-B", bounds=box).x)
    return slope, purity
