"""Bilinear separation: two planes at once for two classes.

Two sets that no plane separates may be separated by two, in one of three topologies:

    first         the first class is where both scores are positive          (7.14)
    second        the second class is                                        (7.15)
    alternating   one class is where the scores have the same sign           (7.16)

Bennett (1993), chapter 7. To decide whether two planes do is NP-complete; `bilinear_program` states
the programs and the descents, `bilinear_search` where these start and what is kept.

- the programs' values are 0 exactly when two planes of the topology separate (Theorem 7.3.1);
- on classes that one plane separates, and on any others, no more training weight is on a wrong side
  than with the robust plane, which is one of the candidates unless `start` is "thesis";
- exclusive-or is separated in each topology.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from planetree.arrays import Floats, Indices
from planetree.clock import Clock
from planetree.parameters import GAP_FILLING, SECONDS, choice, count, optional, parameter
from planetree.separators.base import TwoClassSeparator, judged_status
from planetree.separators.bilinear.bilinear_program import ALGORITHMS, BilinearProgram
from planetree.separators.bilinear.bilinear_search import Search, centered
from planetree.separators.problem import Problem, to_planes
from planetree.separators.scores import training_scores

_TOPOLOGIES = ("first", "second", "alternating")
_TURNED = {"first": "second", "second": "first"}  # when the classes change places


@dataclass(eq=False, repr=False, kw_only=True)
class BilinearSeparator(TwoClassSeparator):
    """Bilinear separation (UBPA, UBPA1, BPA): two planes at once for two classes.

    Parameters
    ----------
    topology : {"auto", "first", "second", "alternating"}
        Which class has both scores positive, the first or the second of `classes_`; or, for
        "alternating", the scores of one class have the same sign. "auto" tries all three.
    algorithm : {"serial", "parallel", "frank_wolfe"}, optional
        One plane after the other (UBPA); both at once in two threads, of which the better pair of
        old and new is kept (UBPA1); or both at once with the best step towards them (BPA), the only
        one for "alternating". By default "serial" where it can be.
    start : {"many", "thesis"}
        Where descents begin: at the thesis's start, the first two planes of a tree, then at the
        moments of the classes and at random, with help where a descent does not separate (settling,
        moved offsets); or at the thesis's start alone, without help: the published algorithm.
    max_restarts : int
        For each topology, further starts to try if the first does not separate; none if `start` is
        "thesis".
    random_state : int, RandomState or None
        Seed of the starts after the second, which are random.
    time_limit : float, optional
        Seconds, after which the best planes found so far are kept, with a warning.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    planes_ : Planes
        Two planes with rule "both" or "same_side".
    topology_ : {"first", "second", "alternating"}
    inside_ : label
        The class of the rows for which the rule holds.
    separable_ : bool
        Whether every training row is on the side of its class.
    error_ : float
        Share of the training weight on the wrong side.
    objective_ : float
        The least value found of the bilinear program; 0 if the planes separate the classes.
    bound_, gap_ : float
        0, a bound for every value, and their relative difference: 0 or 1.
    found_by_ : {"one plane", "start", "descent", "settling"}
        The step that found the planes: the robust plane alone; a start, its offsets moved unless
        `start` is "thesis"; the descent, which is UBPA, UBPA1 or BPA; or settling after it.
    status_ : {"optimal", "stationary", "time_limit"}
    n_restarts_, n_programs_, n_iter_ : int
        Starts after the first, linear programs solved, and their steps.
    branch_codes_ : array of shape (2,)
        Code of the class outside and of the class inside.
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, columns_, scale_
        As in `RobustSeparator`.

    Examples
    --------
    >>> from planetree import BilinearSeparator
    >>> X, y = [[0, 0], [1, 1], [1, 0], [0, 1]], ["even", "even", "odd", "odd"]
    >>> model = BilinearSeparator(topology="second").fit(X, y)
    >>> model.separable_, model.inside_, model.predict(X).tolist()
    (True, 'odd', ['even', 'even', 'odd', 'odd'])
    """

    _kind = "bilinear program"

    topology: str = parameter("auto", choice("auto", *_TOPOLOGIES))
    algorithm: str | None = parameter(None, optional(choice(*ALGORITHMS)))
    start: str = parameter("many", choice("many", "thesis"))
    max_restarts: int = parameter(10, count(0))
    random_state: Any = 0
    time_limit: float | None = parameter(None, optional(SECONDS))
    missing: str = parameter("refuse", GAP_FILLING)

    def _solve(self, problem: Problem, swapped: bool, clock: Clock) -> None:
        searches = self._searches(problem, swapped, clock)
        topology = self._run(searches, clock)
        self._keep(topology, searches[topology], problem, swapped)
        if not self.separable_ and clock.is_over:
            self.status_: str = judged_status(self, "time_limit", 0.0)
        self.n_programs_: int = sum(each.program.n_programs for each in searches.values())
        self.n_iter_: int = sum(each.program.n_iterations for each in searches.values())

    def decision_function(self, X: Any) -> Floats:
        """How far each row is inside or outside, counted positive for `classes_[1]`.

        The lesser of the two scores; for the same side, or of the two with their signs turned.
        """
        return super().decision_function(X)

    def _class_scores(self, rows: Floats) -> Floats:
        scores = self.planes_.scores(rows)
        return _depths(scores, self.planes_.rule, int(self.branch_codes_[1]))

    def _searches(self, problem: Problem, swapped: bool, clock: Clock) -> dict[str, Search]:
        """One search a topology, named as the order of the classes in the problem has it."""
        topologies = _TOPOLOGIES if self.topology == "auto" else (self.topology,)
        if swapped and self.topology != "auto":
            topologies = (_TURNED.get(self.topology, self.topology),)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        X, second = problem.normalized, problem.codes == 1
        searches = {}
        for topology in topologies:
            program = BilinearProgram(
                X,
                problem.weights,
                inside=~second if topology == "first" else second,
                rule="same_side" if topology == "alternating" else "both",
                clock=clock,
            )
            algorithm = "frank_wolfe" if topology == "alternating" else self.algorithm or "serial"
            rng, plain = np.random.default_rng(seed), self.start == "thesis"
            searches[topology] = Search(program, algorithm, rng, plain)
        return searches

    def _run(self, searches: dict[str, Search], clock: Clock) -> str:
        """Take turns until one separates; the topology with the least weight on a wrong side."""
        for turn in range(1 if self.start == "thesis" else self.max_restarts + 1):
            self.n_restarts_ = turn
            for topology, search in searches.items():
                if not (search.separated or clock.is_over):
                    search.restart()
                if search.separated:
                    return topology
        return min(searches, key=lambda topology: searches[topology].error)

    def _keep(self, topology: str, search: Search, problem: Problem, swapped: bool) -> None:
        program, planes = search.program, search.planes
        if search.separated:
            planes = centered(program, planes)
        found = to_planes(planes[:, :-1], planes[:, -1], problem, program.rule)
        self._set_planes(found, problem)
        self.found_by_: str = search.found_by
        self.topology_: str = _TURNED.get(topology, topology) if swapped else topology
        self.branch_codes_: Indices = np.array(
            [1, 0] if (topology == "first") != swapped else [0, 1]
        )
        rule, inside = program.rule, int(self.branch_codes_[1])
        given = problem.turned(swapped)
        self._set_curve(found, given, lambda scores: _depths(scores, rule, inside))
        self.inside_: Any = self.classes_.tolist()[self.branch_codes_[1]]
        wrong = (found.branch_of(training_scores(found, problem)) == 1) != program.inside
        self.error_: float = float(problem.weights[wrong].sum() / problem.weights.sum())
        self.separable_: bool = not wrong.any()
        self.objective_: float = 0.0 if self.separable_ else search.value
        self.bound_: float = 0.0
        self.gap_: float = float(self.objective_ > 0)
        self.status_ = "optimal" if self.separable_ else "stationary"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.topology == "alternating" and self.algorithm not in (None, "frank_wolfe"):
            raise ValueError(
                f"algorithm={self.algorithm!r} needs planes whose programs do not depend on each "
                "other; for topology='alternating' use 'frank_wolfe'."
            )


def _depths(scores: Floats, rule: str, inside: int) -> Floats:
    """How far rows of scores are inside the rule, as a column; positive for the second class."""
    depth = scores.min(axis=1, keepdims=True)
    if rule == "same_side":
        depth = np.maximum(depth, -scores.max(axis=1, keepdims=True))
    return depth if inside == 1 else -depth
