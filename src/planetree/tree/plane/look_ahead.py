"""A cut now, planes next: decisions that pay by what they make possible.

Where two parts of the rows follow different linear rules, no plane says so, and the cut between the
parts removes little entropy by itself. With p the probabilities of a ridge logistic rule over all
terms z and r = y - p what it leaves, a cut with the rows B below it, s their share, has the score

    max_k  (sum_B w r z_k - s sum w r z_k)^2 / (sum w r^2 z_k^2) / (s (1 - s)),

about chi-squared with one degree of freedom where one rule serves all rows (score test). The cuts
of the highest scores are judged by

    price of the cut + value(below) + value(above),

the value of rows being the least of their entropy and, for planes of 1, 2, ... terms, logistic loss
plus price. Logistic loss counts how far rows are from a plane: a cut that says again what a plane
knows gains nothing.

- a cut is taken only if it gains more than the least gain, which is above what noise gains.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from planetree.arrays import Floats, Mask
from planetree.separators.sparse.feature_search import coarse
from planetree.tree.impurity import entropy
from planetree.tree.plane.plane_pairs import grid

LEAST_GAIN = 10.0  # nats, above the price
_THRESHOLDS = 9  # of each term
_LEAST_SHARE = 0.05  # of the rows on either side of a cut
_MOST_CUTS = 3  # that are judged, each of another term
_RIDGE = 1.0  # keeps the weights of separable rows finite; terms have unit spread


class _Cut(NamedTuple):
    """A term by its place, a threshold, and the score of the cut."""

    term: int
    threshold: float
    score: float


def promising_cuts(Z: Floats, sides: Mask, weights: Floats) -> list[_Cut]:
    """Cuts on whose two sides different linear rules hold, those of the highest scores.

    Parameters
    ----------
    Z : array of shape (n_rows, n_terms)
        Normalized terms, none of them constant.
    sides : boolean array of shape (n_rows,)
    weights : array of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.look_ahead import promising_cuts
    >>> Z, noise = np.split(np.random.default_rng(0).normal(size=(400, 4)), [3], axis=1)
    >>> two_rules = np.where(Z[:, 2] > 0, Z[:, 0], Z[:, 1]) > 0
    >>> 2 in [cut.term for cut in promising_cuts(Z, two_rules, np.ones(400))]
    True
    >>> promising_cuts(Z, Z[:, 0] + Z[:, 1] + noise[:, 0] > 0, np.ones(400))
    []
    """
    terms = np.column_stack([Z, np.ones(len(Z))])
    y = np.where(sides, 1.0, -1.0)
    rule = _logistic_rule(terms, y, weights)
    left = (sides - expit(terms @ rule))[:, None] * terms  # r z, a column for each term
    variance = np.maximum(weights @ left**2, np.finfo(float).tiny)
    left *= weights[:, None]
    found = []
    for j in range(Z.shape[1]):
        steps = grid(Z[:, j], weights, _THRESHOLDS)
        place = np.searchsorted(steps, Z[:, j])
        below = np.array([left[place == at].sum(axis=0) for at in range(len(steps))])
        share = np.bincount(place, weights, len(steps) + 1)[:-1].cumsum() / weights.sum()
        inside = (share > _LEAST_SHARE) & (share < 1 - _LEAST_SHARE)
        if not inside.any():
            continue
        moved = below.cumsum(axis=0) - share[:, None] * left.sum(axis=0)
        scores = (moved**2 / variance).max(axis=1) / np.maximum(share * (1 - share), 1e-9)
        at = int(coarse(np.where(inside, scores, 0.0)).argmax())
        found.append(_Cut(j, float(steps[at]), float(scores[at])))
    found = [cut for cut in found if cut.score > 2 * LEAST_GAIN]  # twice the nats that it may gain
    return sorted(found, key=lambda cut: (-coarse(cut.score), cut.term))[:_MOST_CUTS]


def linear_value(
    Z: Floats, sides: Mask, weights: Floats, term_sets: Iterable[tuple[int, ...]], term_price: float
) -> float:
    """What rows cost at least as a leaf or below one plane, in nats.

    Parameters
    ----------
    Z, sides, weights
        As of `promising_cuts`.
    term_sets : iterable of tuples of int
        Sets of terms that planes may have.
    term_price : float
    """
    best = float(entropy(np.bincount(sides, weights, 2).astype(np.float64)))
    if best <= term_price:
        return best
    y = np.where(sides, 1.0, -1.0)
    for chosen in term_sets:
        terms = np.column_stack([Z[:, list(chosen)], np.ones(len(Z))])
        scores = terms @ _logistic_rule(terms, y, weights)
        loss = float(weights @ np.logaddexp(0.0, -y * scores))
        best = min(best, loss + term_price * len(chosen))
    return best


def _logistic_rule(terms: Floats, y: Floats, weights: Floats) -> Floats:
    """Weights of least logistic loss plus a ridge; the last term, of ones, has next to none."""
    ridge = np.append(np.full(terms.shape[1] - 1, _RIDGE), 1e-6)

    def loss(rule: Floats) -> float:
        return float(weights @ np.logaddexp(0.0, -y * (terms @ rule)) + ridge @ rule**2 / 2)

    rule = np.zeros(terms.shape[1])
    now = loss(rule)
    for _ in range(30):
        wrong = expit(-y * (terms @ rule))
        slope = ridge * rule - terms.T @ (weights * y * wrong)
        curve = (terms * (weights * wrong * (1 - wrong))[:, None]).T @ terms
        step = np.linalg.solve(curve + np.diag(ridge), slope)
        size = 1.0
        while size > 1e-4 and loss(rule - size * step) > now:
            size /= 2
        after = loss(rule - size * step)
        if now - after <= 1e-9 * max(1.0, now):
            return rule
        rule, now = rule - size * step, after
    return rule
