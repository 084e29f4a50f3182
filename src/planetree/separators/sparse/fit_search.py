"""Features of any separator whose objective never grows with a feature: it is fitted to each set.

The objective of a set of features is that of the separator fitted to these columns alone, which is
its program with the other weights held at zero. Squared violations, the largest errors and the
number of errors are such objectives: Bredensteiner & Bennett (1996), section 6, ask for feature
minimization with other error functions.

How much a left-out feature would gain is read from the violations of margin 1:

    slope_j  =  | sum_i charge_i max(0, 1 - margin_i) z_ij (of the right sign) |

For squared violations this is the gradient of the objective: where it is 0, the feature gains
nothing at all. For the largest errors and for the number of errors it only says whom to try first,
and all are tried.

- a fit's bound holds for every set within its features, so branch and bound proves as much as the
  fits do;
- largest errors of columns of which some follow from others are bounded with these held at 0
  (`MaxNormSeparator.free_terms_`), which says nothing of the sets that hold them: no bound is
  claimed;
- a set of columns with one value each is no choice.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from planetree.arrays import Floats, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Planes
from planetree.separators.base import judged_status
from planetree.separators.max_norm import MaxNormSeparator
from planetree.separators.misclassification import MisclassificationSeparator
from planetree.separators.problem import Problem
from planetree.separators.quadratic import QuadraticSeparator
from planetree.separators.sparse.feature_search import Choice, FeatureSearch
from planetree.table import Table

_FITTED = (QuadraticSeparator, MaxNormSeparator, MisclassificationSeparator)
_LEAST = 0.02  # seconds that a fit gets even if none are left
_EXACT = {"solver": "newton", "validation_fraction": None}  # so that the minimum is what is found


class _SubsetFit(NamedTuple):
    """What a separator made of some features.

    Parameters
    ----------
    coef, offsets : arrays of shape (n_planes, n_terms) and (n_planes,)
        Planes in the units of the user, with the terms of all features.
    weights : array of shape (n_planes, n_terms)
        Weights of the normalized terms.
    objective, error, bound, gap, separable, status
        As the fitted separator has them; `bound` is -inf where nothing is proved.
    """

    coef: Floats
    offsets: Floats
    weights: Floats
    objective: float = np.inf
    error: float = np.inf
    bound: float = np.inf
    gap: float = 0.0
    separable: bool = False
    status: str = "optimal"


@dataclass(eq=False)
class FitSearch(FeatureSearch):
    """A separator fitted to sets of features.

    Parameters
    ----------
    owners, costs, clock : as for `FeatureSearch`
    separator : one of `_FITTED`
    table : Table
        The columns that may be used.
    labels : array of shape (n_rows,)
    problem : Problem
        Its terms have the numbers that columns have for the user.
    """

    separator: Any
    table: Table
    labels: Any
    problem: Problem

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.separator, MaxNormSeparator):
            self.least_objective = -np.inf
        self._informative = np.ptp(self.table.values, axis=0) > 0

    def afresh(self, features: Any) -> Choice:
        """Fit some features; a fit does not depend on those before."""
        key = tuple(sorted(features))
        return Choice(key, self.known.get(key) or self._solve(key, None))

    def least(self, choice: Choice) -> float:
        """What no planes with the features of a choice have less than, in exact arithmetic."""
        return float(choice.solution.bound)

    def gains(self, choice: Choice) -> Floats:
        """What each feature that was left out would gain at first, for its cost."""
        slopes = np.abs(self._pull(choice.solution).T @ self.problem.normalized).sum(axis=0)
        gains = self.by_feature(slopes) / np.maximum(self.costs, 1e-300)
        gains[list(choice.features)] = 0.0
        return gains

    def promising(self, choice: Choice, count: int, barred: Any = ()) -> list[int]:
        """Left-out features that would gain most; all, where slopes say little."""
        if isinstance(self.separator, QuadraticSeparator):
            return super().promising(choice, count, barred)
        left = set(range(self.n_features)) - set(choice.features) - set(barred)
        gains = self.gains(choice)
        return sorted(left, key=lambda j: (-gains[j], j))

    def set_planes(self, estimator: Any, choice: Choice, clock: Clock = UNLIMITED) -> str:
        """Set what a choice makes of an estimator; give its status."""
        fit, terms = choice.solution, self.problem.terms
        rule = "slabs" if len(fit.offsets) == 1 else "argmax"
        planes = Planes(fit.coef, fit.offsets, rule, terms.columns, terms.categories)
        estimator._set_planes(planes, self.problem)
        estimator.error_, estimator.separable_ = fit.error, fit.separable
        estimator.objective_, estimator.bound_ = fit.objective, fit.bound
        estimator.gap_ = fit.gap
        status = "time_limit" if self.time_is_up else fit.status
        unproved = status in ("time_limit", "inaccurate")
        return judged_status(estimator, status, 0.0) if unproved else status

    def _solve(self, key: tuple[int, ...], start: Any) -> _SubsetFit:
        self.n_solves += 1
        mask = self.mask(key)
        if not (mask & self._informative).any():
            planes = np.zeros((self._n_planes, len(self.owners)))
            return _SubsetFit(planes, np.zeros(self._n_planes), planes)
        model = clone(self.separator).set_params(time_limit=self.clock.left_at_least(_LEAST))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what counts is said of the choice that is made
            model.fit(self.table.of_columns(np.array(key)), self.labels, self.problem.weights)
        self.time_is_up |= model.status_ == "time_limit"
        return self._of(model, mask[self.owners])

    def _of(self, model: Any, terms: Mask) -> _SubsetFit:
        """What a fitted separator found, with zeros for the terms that it did not see."""
        coef = np.zeros((len(model.planes_.offsets), len(terms)))
        coef[:, terms] = model.planes_.weights
        return _SubsetFit(
            coef,
            model.planes_.offsets,
            coef * self.problem.scale,
            model.objective_,
            model.error_,
            model.bound_ if _holds_for_all_terms(model) else -np.inf,
            model.gap_,
            model.separable_,
            model.status_,
        )

    @property
    def _n_planes(self) -> int:
        n_classes = int(self.problem.codes.max()) + 1
        return 1 if n_classes == 2 else n_classes

    def _pull(self, fit: _SubsetFit) -> Floats:
        """Violations of margin 1 by the rows' charges, for and against the score of each plane."""
        codes, weights = self.problem.codes, self.problem.weights
        charges = (weights / np.bincount(codes, weights)[codes])[:, None]
        scores = self.problem.E @ fit.coef.T - fit.offsets
        if scores.shape[1] == 1:
            signs = np.where(codes == 1, 1.0, -1.0)[:, None]
            return charges * signs * np.maximum(0.0, 1.0 - signs * scores)
        own = np.arange(len(codes)), codes
        short = np.maximum(0.0, 1.0 - scores[own][:, None] + scores)
        short[own] = 0.0
        pull = -charges * short
        pull[own] = charges[:, 0] * short.sum(axis=1)
        return pull


def _holds_for_all_terms(model: Any) -> bool:
    """Whether the bound of a fit is one for every plane of its terms."""
    return bool(np.all(getattr(model, "free_terms_", True)))


def refuse_other_separators(separator: Any) -> None:
    """Raise unless features of this separator can be minimized by fitting it to sets of them."""
    if not isinstance(separator, _FITTED):
        names = ", ".join(each.__name__ for each in _FITTED[:-1])
        raise ValueError(
            f"separator must be a RobustSeparator, {names} or {_FITTED[-1].__name__}, but it is "
            f"{separator!r}. Its objective must never rise with one more feature."
        )


def refuse_setting(owner: str, separator: Any, algorithm: str, signs: Any) -> None:
    """Raise where feature minimization asks for what these separators do not have."""
    name, given = type(separator).__name__, separator.get_params()
    for parameter, needed in _EXACT.items():
        if given.get(parameter, needed) != needed:
            raise ValueError(
                f"{owner} compares the minima of sets of features, but {name} with "
                f"{parameter}={given[parameter]!r} stops before the minimum. Use "
                f"{parameter}={needed!r}."
            )
    if given.get("products") is not None:
        raise ValueError(
            f"{owner} chooses among products of columns for RobustSeparator only, not for {name}. "
            "Use products=None, or separator=RobustSeparator(products=...)."
        )
    if algorithm == "published":
        raise ValueError(
            f"The published algorithms are steps between linear programs, and {name} has none. Use "
            "algorithm='greedy', or separator=RobustSeparator()."
        )
    if np.any(signs):
        raise ValueError(
            f"monotonic_cst needs a linear program, and {name} cannot fix the sign of a weight. "
            "Use separator=RobustSeparator()."
        )
