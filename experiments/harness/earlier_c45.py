"""C4.5 before Release 8: the gain of a cut is not charged for the choice of its threshold.

Release 8 takes from the gain of the best cut of a numeric column log2(cuts tried) / rows (Quinlan
1996). Earlier releases did not. Everything else is as in `C45Classifier`: the largest gain ratio
among columns of at least average gain, two rows at least on each side, pessimistic pruning at 25%.
For numbers without gaps only; subtrees are replaced by leaves, never by a branch of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

_LEAST = 2  # rows on each side
_Z = 0.6925  # the normal quantile that C4.5 interpolates for a confidence of 25%
_NOTHING = 1e-3  # by which a gain may be below average


class _Cut(NamedTuple):
    gain: float
    information: float
    column: int
    threshold: float


class _Node(NamedTuple):
    """A leaf's class, the errors that are expected of it, and its cut unless it is a leaf."""

    code: int
    errors: float
    n_decisions: int = 0
    cut: Any = None
    below: Any = None
    above: Any = None


class EarlierC45:
    """C4.5 for numbers; with `charged` by the rule of Release 8, which checks the rest."""

    def __init__(self, charged: bool = False) -> None:
        self.charged = charged

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune."""
        X = np.asarray(X, dtype=float)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.root_ = self._grow(X, codes)
        return self

    def predict(self, X: Any) -> Any:
        """Class of each row."""
        rows = np.asarray(X, dtype=float)
        return self.classes_[[_code(self.root_, row) for row in rows]]

    def _grow(self, X: np.ndarray, codes: np.ndarray) -> _Node:
        counts = np.bincount(codes, minlength=len(self.classes_))
        wrong = float(len(codes) - counts.max())
        leaf = _Node(int(counts.argmax()), wrong + _more_errors(len(codes), wrong))
        cut = self._best_cut(X, codes) if wrong and len(codes) >= 2 * _LEAST else None
        if cut is None:
            return leaf
        is_below = X[:, cut.column] <= cut.threshold
        parts = [self._grow(X[side], codes[side]) for side in (is_below, ~is_below)]
        errors = sum(part.errors for part in parts)
        if leaf.errors <= errors + 0.1:
            return leaf
        n_decisions = 1 + sum(part.n_decisions for part in parts)
        return _Node(leaf.code, errors, n_decisions, cut, *parts)

    def _best_cut(self, X: np.ndarray, codes: np.ndarray) -> _Cut | None:
        found = [self._cut_of(X[:, j], codes, j) for j in range(X.shape[1])]
        cuts = [cut for cut in found if cut is not None and cut.gain > 0]
        if not cuts:
            return None
        average = float(np.mean([cut.gain for cut in cuts]))
        good = [cut for cut in cuts if cut.gain >= average - _NOTHING]
        return max(good, key=lambda cut: cut.gain / cut.information, default=None)

    def _cut_of(self, x: np.ndarray, codes: np.ndarray, column: int) -> _Cut | None:
        order, n, k = np.argsort(x, kind="stable"), len(x), len(self.classes_)
        x, counted = x[order], np.eye(k)[codes[order]].cumsum(axis=0)
        least = min(25.0, max(_LEAST, 0.1 * n / k))
        sizes = np.flatnonzero(x[1:] > x[:-1]) + 1
        sizes = sizes[(sizes >= least) & (n - sizes >= least)]
        if not len(sizes):
            return None
        below = counted[sizes - 1]
        left = _entropy(below) + _entropy(counted[-1] - below)
        gains = (_entropy(counted[-1:])[0] - left) / n
        best = int(gains.argmax())
        cost = np.log2(len(sizes)) / n if self.charged else 0.0
        share = sizes[best] / n
        information = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
        threshold = float(x[sizes[best] - 1])
        return _Cut(float(gains[best] - cost), float(information), column, threshold)


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Bits of rows of counts, times their sums."""
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sums, out=np.ones_like(counts), where=counts > 0)
    return -(counts * np.log2(shares)).sum(axis=1)


def _more_errors(n: int, wrong: float) -> float:
    """Errors that C4.5 expects of a leaf beside those it makes."""
    if not wrong:
        return float(n * (1 - 0.25 ** (1 / n)))
    if wrong + 0.5 >= n:
        return 0.67 * (n - wrong)
    square, half = _Z * _Z, wrong + 0.5
    root = np.sqrt(square * (half * (1 - half / n) + square / 4))
    return float(n * (half + square / 2 + root) / (n + square) - wrong)


def _code(node: _Node, row: np.ndarray) -> int:
    while node.cut is not None:
        node = node.below if row[node.cut.column] <= node.cut.threshold else node.above
    return node.code
