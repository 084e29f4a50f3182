"""SET-GEN's search (Cherkauer & Shavlik 1996, Table 1): a population kept in a steady state.

With A the accuracy of the trees of a subset on the rows left out, S their size divided by the
number of rows they were grown from, and F the share of the features that are in the subset,

    fitness = 3/4 A + 1/4 (1 - (S + F)/2).

While the population is not full, a genome of chance joins it. From then on one of three operators,
all equally likely, makes a child of parents drawn in proportion to their fitness, and the child
takes the place of the worst member if it is fitter.

- what follows depends on the seed and on the outcomes of the subsets alone, so a search is resumed
  by going through it again with the outcomes known so far;
- a subset seen before is not evaluated again.

The front of accuracy against size against features is what no other subset beats in all three. One
point dominates another if it is as good in every objective and better in one. Objectives are
minimized here; an accuracy enters with a minus sign. Replacement by fronts and crowding is that of
Deb, Pratap, Agarwal & Meyarivan (2002), one child at a time.

The subset of the largest fitness is the luckiest of thousands that were judged on the same folds,
and its fitness pays for simplicity with accuracy: a third of the features is worth 5.6 points of
it. `choose` therefore looks at the subsets of the front, and at all features if they are
allowed, on folds that the search has not seen. Those stay that are as accurate there as all
features are, or as the most accurate of them if none is; of these the fittest wins, where
simplicity counts for a third of what it does in the search. So the most accurate one wins, unless
one nearly as accurate is much simpler.

- no point of a front dominates another;
- the worst member is never one of the first front while there is a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.feature_selection.genetic.genome import (
    EMPTY,
    Genome,
    crossover,
    delete_feature,
    limit,
    mutate,
    one_point,
    subset_of,
)
from planetree.statistics import undominated

_ROUNDING = 1e-12  # of a mean of accuracies: equal ones are added in different orders
# Of the weight of simplicity: of 0 to 1, with margins from -1/2 to 1/2 standard errors, with and
# without other pruning levels (57 rules), on 84 folds of 21 tables that are not the paper's:
# error 0.9 points below C4.5's, 0.66 of its nodes, 0.54 of its features; with 0.1, which was chosen
# before on 45 folds, 0.7 points below, 0.73 and 0.62; with 1, 0.3 below, 0.62 and 0.50.
_AT_THE_FINISH = 1 / 3
_LOOK_AHEAD = 4  # steps for each new subset that is looked for: many lead to known ones
_HISTORY = np.dtype(
    [
        ("evaluation", np.intp),
        ("fitness", np.float64),
        ("accuracy", np.float64),
        ("size", np.float64),
        ("features", np.intp),
    ]
)


class Outcome(NamedTuple):
    """What the trees of a subset are like: accuracy on the rows left out, and size."""

    accuracy: float
    size: float


_UNKNOWN = Outcome(np.nan, np.nan)


class _Subset(NamedTuple):
    """A subset of the features, as a mask, with its outcome, its fitness and its first genome."""

    chosen: Mask
    outcome: Outcome
    fitness: float
    genome: Genome

    @property
    def objectives(self) -> tuple[float, float, int]:
        """What a front minimizes."""
        return -self.outcome.accuracy, self.outcome.size, int(self.chosen.sum())


class SearchRules(NamedTuple):
    """How a search goes; the names are those of `GeneticSelector`."""

    n_features: int
    genome_size: int
    population_size: int = 100
    crossover_rate: float = 0.1
    mutation_rate: float = 0.1
    fitness: tuple[float, float] = (0.75, 0.25)
    max_features: int | None = None
    multi_objective: bool = False
    genome: str = "features"
    crossover: str = "uniform"

    @property
    def bits(self) -> bool:
        """Whether entry j of a genome is feature j or empty."""
        return self.genome == "bits"


def _fitness_of(
    outcome: Outcome, n_rows: float, share: float, weights: tuple[float, float] = (0.75, 0.25)
) -> float:
    """Fitness of a subset that holds a share of the features, its trees grown from so many rows.

    Examples
    --------
    >>> from planetree.feature_selection.genetic.genetic_search import Outcome, _fitness_of
    >>> _fitness_of(Outcome(accuracy=0.8, size=20.0), n_rows=100.0, share=0.5)
    0.7625...
    """
    accuracy, size = outcome
    simplicity = 1.0 - (size / n_rows + share) / 2.0
    return weights[0] * accuracy + weights[1] * simplicity


class GeneticSearch:
    """A population, and all that was learned about subsets on the way to it.

    Parameters
    ----------
    rules : SearchRules
    evaluate : callable
        Gives the outcome of a subset, a mask of features.
    n_rows : float
        Average number of rows that the trees are grown from.
    seed : int
    known : sequence of Outcome
        Outcomes of the first subsets, in the order in which the search comes to them.
    """

    def __init__(
        self,
        rules: SearchRules,
        evaluate: Callable[[Mask], Outcome],
        n_rows: float,
        seed: int,
        known: Sequence[Outcome] = (),
    ) -> None:
        self.rules: SearchRules = rules
        self.n_rows: float = n_rows
        self.subsets: list[_Subset] = []  # the distinct ones, as they came
        self.genomes: list[Genome] = []  # the population
        self.fitness = np.empty(0)  # of each member
        self.best: _Subset | None = None  # the fittest, the first of equals
        self._rng: Generator = np.random.default_rng(seed)
        self._evaluate = evaluate
        self._known = known
        self._number: dict[bytes, int] = {}  # of each distinct subset
        self._members: list[_Subset] = []  # the subset of each member
        self._history: list[tuple[int, float, float, float, int]] = []

    @property
    def n_evaluations(self) -> int:
        """How many subsets were looked at, each as often as the search came to it."""
        return len(self._history)

    @property
    def best_fitness(self) -> float:
        """Fitness of the best subset so far."""
        return -np.inf if self.best is None else self.best.fitness

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of the distinct subsets as they came, and those known for later ones."""
        return [s.outcome for s in self.subsets] + list(self._known[len(self.subsets) :])

    def step(self) -> None:
        """Look at one more subset."""
        genome = self._propose()
        subset = self._subset_of(genome)
        record = (self.n_evaluations + 1, subset.fitness, *subset.outcome, subset.chosen.sum())
        self._history.append(record)
        if subset.fitness > self.best_fitness:
            self.best = subset
        self._admit(genome, subset)

    def foreseen(self, total: int, n_new: int) -> list[Mask]:
        """New subsets that come after the one which is evaluated now.

        While the population fills, all of these are certain. Once it is full, `n_new` of them come
        as long as no child is admitted.

        Parameters
        ----------
        total : int
            Evaluations of the whole search.
        n_new : int
        """
        n_missing = self.rules.population_size - len(self.genomes)
        n_steps = total - self.n_evaluations - 1
        n_steps = min(n_steps, n_missing - 1 if n_missing > 0 else _LOOK_AHEAD * n_new)
        other = copy(self)
        other._rng = deepcopy(self._rng)
        proposed = (subset_of(other._propose(), self.rules.n_features) for _ in range(n_steps))
        new = {each.tobytes(): each for each in proposed if each.tobytes() not in self._number}
        return list(new.values())[: n_steps if n_missing > 0 else n_new]

    def all_features(self, outcome: Outcome = _UNKNOWN) -> _Subset:
        """The subset of all features, or of as many as are allowed."""
        rules = self.rules
        genome = np.full(rules.genome_size, EMPTY, dtype=np.intp)
        limits = (rules.genome_size, rules.n_features, rules.max_features)
        n_taken = min(each for each in limits if each is not None)
        genome[:n_taken] = np.arange(n_taken)
        chosen = subset_of(genome, rules.n_features)
        return _Subset(chosen, outcome, self._fitness(outcome, chosen), genome)

    def choose(self, accuracy_of: Callable[[Mask], float]) -> _Subset:
        """The best that is as accurate as all features on folds that the search has not seen.

        Parameters
        ----------
        accuracy_of : callable
            Gives the accuracy of a subset on these folds.
        """
        every = np.ones(self.rules.n_features, dtype=bool)
        pool = [self.subsets[i] for i in _first_front(_objectives(self.subsets))]
        full = self.all_features()
        if full.chosen.all() and not any(each.chosen.all() for each in pool):
            pool.append(self.all_features(self._evaluate(every)))
        found = [accuracy_of(each.chosen) for each in pool]
        whole = [a for each, a in zip(pool, found, strict=True) if each.chosen.all()]
        target = min(whole[0] if whole else accuracy_of(every), max(found))
        accuracy, simplicity = self.rules.fitness
        weights = accuracy, _AT_THE_FINISH * simplicity

        def fitness(judged: tuple[_Subset, float]) -> float:
            subset, accuracy = judged
            share = float(subset.chosen.mean())
            return _fitness_of(Outcome(accuracy, subset.outcome.size), self.n_rows, share, weights)

        judged = zip(pool, found, strict=True)
        return max(((s, a) for s, a in judged if a >= target - _ROUNDING), key=fitness)[0]

    def history(self) -> NDArray[np.void]:
        """One record an evaluation, in order."""
        return np.array(self._history, dtype=_HISTORY)

    def front(self) -> NDArray[np.void]:
        """The subsets that no other beats in accuracy, size and number of features."""
        found = _first_front(_objectives(self.subsets))
        fields = [*_HISTORY.descr[1:], ("support", np.bool_, (self.rules.n_features,))]
        front = np.empty(len(found), dtype=fields)
        for i, number in enumerate(found):
            chosen, outcome, fitness, _ = self.subsets[number]
            front[i] = (fitness, *outcome, chosen.sum(), chosen)
        return np.sort(front, order=["features", "size"])

    def _propose(self) -> Genome:
        """A new genome: of chance, or made of parents."""
        rules, rng = self.rules, self._rng
        if len(self.genomes) < rules.population_size:
            empty = np.full(rules.genome_size, EMPTY, dtype=np.intp)
            child = mutate(empty, 1.0, rules.n_features, rng, bits=rules.bits)
        else:
            child = self._child(int(rng.integers(3)))
        return child if rules.max_features is None else limit(child, rules.max_features, rng)

    def _child(self, operator: int) -> Genome:
        rules, rng = self.rules, self._rng
        parent = self._draw_parent()
        if operator == 0:
            other = self._draw_parent()
            if rules.crossover == "one_point":
                return one_point(parent, other, rng)
            return crossover(parent, other, rules.crossover_rate, rng, rotate=not rules.bits)
        if operator == 1:
            return mutate(parent, rules.mutation_rate, rules.n_features, rng, bits=rules.bits)
        return delete_feature(parent, rng)

    def _draw_parent(self) -> Genome:
        """A member, each with a probability in proportion to its fitness."""
        ladder = np.maximum(self.fitness, 0.0).cumsum()
        if not ladder[-1] > 0:
            return self.genomes[self._rng.integers(len(self.genomes))]
        drawn = np.searchsorted(ladder, self._rng.random() * ladder[-1], side="right")
        return self.genomes[min(int(drawn), len(self.genomes) - 1)]

    def _subset_of(self, genome: Genome) -> _Subset:
        """The subset of a genome, which is evaluated if it is new."""
        chosen = subset_of(genome, self.rules.n_features)
        key = chosen.tobytes()
        number = self._number.get(key)
        if number is None:
            number = len(self.subsets)
            is_known = number < len(self._known)
            outcome = self._known[number] if is_known else self._evaluate(chosen)
            self.subsets.append(_Subset(chosen, outcome, self._fitness(outcome, chosen), genome))
            self._number[key] = number
        return self.subsets[number]

    def _fitness(self, outcome: Outcome, chosen: Mask) -> float:
        return _fitness_of(outcome, self.n_rows, float(chosen.mean()), self.rules.fitness)

    def _admit(self, child: Genome, subset: _Subset) -> None:
        """Let the child join, or take the place of the worst member if it is better."""
        if len(self.genomes) < self.rules.population_size:
            self.genomes.append(child)
            self._members.append(subset)
            self.fitness = np.append(self.fitness, subset.fitness)
            return
        worst = self._worst_beside(subset)
        if worst < len(self.genomes):
            self.genomes[worst], self._members[worst] = child, subset
            self.fitness[worst] = subset.fitness

    def _worst_beside(self, child: _Subset) -> int:
        """The member that a child replaces; one past the last if the child is not better."""
        if self.rules.multi_objective:
            return _worst_member(_objectives([*self._members, child]))
        worst = int(self.fitness.argmin())
        return worst if child.fitness > self.fitness[worst] else len(self.genomes)


def _objectives(subsets: Sequence[_Subset]) -> Floats:
    """What a front minimizes, one row a subset."""
    return np.array([subset.objectives for subset in subsets], dtype=np.float64).reshape(-1, 3)


def _first_front(points: Floats) -> Indices:
    """Numbers of the points that no other dominates, the first of equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.genetic.genetic_search import _first_front
    >>> _first_front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [1.0, 3.0]])).tolist()
    [0, 1]
    """
    kept: list[int] = []
    best = np.empty((0, points.shape[1]))
    for i in np.lexsort(points.T[::-1]):  # what comes later dominates nothing that came before
        if not (best <= points[i]).all(axis=1).any():
            kept.append(int(i))
            best = points[kept]
    return np.sort(np.array(kept, dtype=np.intp))


def _worst_member(points: Floats) -> int:
    """Number of the point to give up: the most crowded one of the last front."""
    last = np.arange(len(points))
    dominated = ~undominated(points)
    while dominated.any():
        last = last[dominated]
        dominated = ~undominated(points[last])
    return int(last[_crowding(points[last]).argmin()])


def _crowding(points: Floats) -> Floats:
    """How far the neighbors of each point are apart, over all objectives; those at the ends, most.

    Equal points have no room between them, but for one that stands at an end.
    """
    room = np.zeros(len(points))
    for values in points.T:
        order = np.argsort(values, kind="stable")
        extent = np.ptp(values) or 1.0
        room[order[1:-1]] += (values[order[2:]] - values[order[:-2]]) / extent
        room[order[[0, -1]]] += np.inf
    return room
