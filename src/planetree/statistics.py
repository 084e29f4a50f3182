"""How sure an error rate is, whether two methods differ, and which are worth a look.

Wilson's interval holds the rates p that the observed share is within z standard errors of:

    |share - p| <= z sqrt(p (1 - p) / n),     z the quantile of the normal distribution.

Errors of folds of one table are not independent, as their training rows overlap. With d the mean of
k differences, s^2 their variance and r the test rows per training row of a fold,

    t = d / sqrt((1/k + r) s^2),     with k - 1 degrees of freedom

(Nadeau & Bengio 2003). However alike the differences are, k folds show no less than 2^(1 - k): so
probable is one sign in all of them where each sign is as likely as the other. Holm's correction
orders m probabilities and multiplies the i-th smallest by m - i + 1, never letting one fall below
the one before.

Probabilities are calibrated if of the rows that are given a probability p, a share p is so. Rows of
about the same probability make a point: those of each different one where they are few, else those
of each tenth from 0 to 1, a tenth with few rows together with the next.

Class shares q that must give some classes another share together move the least way in likelihood:
for counts n, sum_c n_c ln q_c is largest within bounds of that share where it is the bound and the
classes on each side keep their proportions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr

from planetree.arrays import Floats, Indices, Mask

_TENTHS = 10  # of the probabilities: as diagrams of calibration commonly have
_FEW_ROWS = 5  # fewer tell nothing of a share


class CalibrationPoint(NamedTuple):
    """Rows of about the same probability: its mean, how many they are, and how many are so."""

    predicted: float
    n_rows: int
    n_right: int


def brier_score(shares: Floats, codes: Indices, weights: Floats | None = None) -> float:
    """Mean squared error of probabilities, summed over the classes; of two classes half of it.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.statistics import brier_score
    >>> brier_score(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([0, 1]))
    0.125
    """
    k = shares.shape[1]
    squares = ((shares - np.eye(k)[codes]) ** 2).sum(axis=1)
    return float(np.average(squares, weights=weights)) / (2 if k == 2 else 1)


def _calibration_points(predicted: Floats, right: Mask) -> list[CalibrationPoint]:
    """Rows put together by the probability that they are given, from the least up.

    Parameters
    ----------
    predicted : array of shape (n_rows,)
        Probabilities.
    right : array of shape (n_rows,)
        Whether it is so.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.statistics import _calibration_points
    >>> _calibration_points(np.array([0.25, 0.25]), np.array([False, True]))
    [CalibrationPoint(predicted=0.25, n_rows=2, n_right=1)]
    """
    values, which = np.unique(predicted, return_inverse=True)
    if len(values) > _TENTHS:
        tenth = np.clip((predicted * _TENTHS).astype(np.intp), 0, _TENTHS - 1)
        which = _merged_tenths(np.bincount(tenth, minlength=_TENTHS))[tenth]
    groups = [which == group for group in np.unique(which)]
    return [
        CalibrationPoint(float(predicted[g].mean()), int(g.sum()), int(right[g].sum()))
        for g in groups
    ]


def class_calibration(shares: Floats, codes: Indices) -> list[CalibrationPoint]:
    """Points of the probability of the second of two classes; of more, of the likeliest class."""
    second = np.ones(len(codes), dtype=np.intp)
    answers = second if shares.shape[1] == 2 else shares.argmax(axis=1)
    return _calibration_points(shares[np.arange(len(codes)), answers], codes == answers)


def _merged_tenths(counts: Indices) -> Indices:
    """The group of each tenth: groups have a few rows at least, the last with what is left."""
    groups, group, n = np.zeros(len(counts), dtype=np.intp), 0, 0
    for tenth, count in enumerate(counts.tolist()):
        if n >= _FEW_ROWS and counts[tenth:].sum() >= _FEW_ROWS:
            group, n = group + 1, 0
        groups[tenth], n = group, n + count
    return groups


def wilson_interval(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence interval of a rate.

    Parameters
    ----------
    share : float
        The observed share, from 0 to 1.
    n : float
        Of how many rows.
    confidence : float

    Examples
    --------
    >>> from planetree.statistics import wilson_interval
    >>> low, high = wilson_interval(0.1, 100)
    >>> round(low, 3), round(high, 3)
    (0.055, 0.174)
    """
    z = float(ndtri(0.5 + confidence / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def corrected_t_test(differences: Any, test_share: float) -> float:
    """Probability, on both sides, of differences this far from 0 if there were none.

    Parameters
    ----------
    differences : array of shape (n_folds,)
        Of the errors of two methods, fold by fold.
    test_share : float
        Test rows per training row: 1/9 for ten folds.

    Examples
    --------
    >>> from planetree.statistics import corrected_t_test
    >>> round(corrected_t_test([0.02, 0.01, 0.03, 0.02, 0.0], 1 / 4), 3)
    0.105
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) < 2 or not d.any():
        return 1.0
    variance = d.var(ddof=1)
    least = 2.0 ** (1 - len(d))
    if variance <= 1e-24 * np.max(d**2):  # the same difference, not 0, in every fold
        return least
    t = d.mean() / np.sqrt((1 / len(d) + test_share) * variance)
    return max(least, float(2 * stdtr(len(d) - 1, -abs(t))))


def holm(probabilities: Sequence[float]) -> Floats:
    """Probabilities corrected for there being several.

    Examples
    --------
    >>> from planetree.statistics import holm
    >>> holm([0.04, 0.01, 0.5]).tolist()
    [0.08, 0.03, 0.5]
    """
    p = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return corrected


def undominated(points: Any) -> Mask:
    """Which points no other is better than in one coordinate and as good in all; low is good.

    Examples
    --------
    >>> from planetree.statistics import undominated
    >>> undominated([[0.1, 5], [0.2, 2], [0.2, 9]]).tolist()
    [True, True, False]
    """
    values = np.asarray(points, dtype=np.float64)
    as_good = (values[:, None, :] <= values[None, :, :]).all(axis=2)
    better = (values[:, None, :] < values[None, :, :]).any(axis=2)
    return np.asarray(~(as_good & better).any(axis=0))


class ShareBounds(NamedTuple):
    """Least and largest share of some classes together at each of some nodes.

    Parameters
    ----------
    low, high : array of shape (n_nodes,)
    classes : boolean array of shape (n_classes,)
        The classes; of two classes always the second.
    graded : bool
        Whether decisions may be graded. Of more than two classes, the probabilities of a graded
        tree can be mixed with those of the way (`grading.keep_class`) only if they need not be
        monotonic.
    """

    low: Floats
    high: Floats
    classes: Mask
    graded: bool = True

    def at(self, nodes: Indices | list[int]) -> ShareBounds:
        """Bounds of some of the nodes."""
        return self._replace(low=self.low[nodes], high=self.high[nodes])

    def inside(self, least: float) -> ShareBounds:
        """The same bounds, away from 0 and 1."""
        ends = np.clip([self.low, self.high], least, 1.0 - least)
        return self._replace(low=ends[0], high=ends[1])

    def within(self, shares: Floats) -> Floats:
        """Class shares of the nodes, moved into the bounds."""
        return with_share(shares, self.classes, np.clip(self.of(shares), self.low, self.high))

    def of(self, shares: Floats) -> Floats:
        """Share of the classes at each node."""
        return np.asarray(shares[:, self.classes].sum(axis=1))


def with_share(shares: Floats, classes: Mask, share: Floats) -> Floats:
    """Class shares in which some classes together have a given share, in their old proportions.

    Parameters
    ----------
    shares : array of shape (n, n_classes)
    classes : boolean array of shape (n_classes,)
    share : array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.statistics import with_share
    >>> with_share(np.array([[0.5, 0.25, 0.25]]), np.array([False, True, True]), np.array([0.25]))
    array([[0.75 , 0.125, 0.125]])
    """
    found = np.empty_like(shares)
    for side, part in ((classes, share), (~classes, 1.0 - share)):
        own, total = shares[:, side], shares[:, side].sum(axis=1, keepdims=True)
        even = np.full_like(own, 1.0 / max(1, side.sum()))
        found[:, side] = np.divide(own, total, out=even, where=total > 0) * part[:, None]
    return found
