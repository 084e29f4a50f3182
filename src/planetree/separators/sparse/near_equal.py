"""Every smallest choice of columns whose planes are nearly the best, with proof.

With objective(S) the lowest objective of planes on the columns S, which never grows with S, a set
is near-equal where

    objective(S) <= (1 + within) * objective(all columns),

and minimal where it is no longer so without any one of its columns. A set that breaks the limit
proves a *block*: one of the columns outside it is in every near-equal set. So

- the minimal near-equal sets are the minimal sets that meet every block;
- a column that is a block alone is in all of them: it is indispensable;
- a set that meets all blocks known, and would not without any of its columns, is minimal if it is
  near-equal; and if it is not, all columns that can join it without ending that leave a new block.

Blocks are met in all ways, the smallest sets first: each takes a column of a block that is not met
yet and leaves those before it out for good, so no set comes twice. Blocks that share no column add
up to a bound on the number of columns, so whatever is not listed when the search is cut short has
at least the columns of the least bound left. A block counts as proved where the bound of its
program exceeds the limit in exact arithmetic (`solvers.hinge_certificate`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from copy import copy
from itertools import combinations, count
from typing import Any, NamedTuple

from planetree.arrays import Floats
from planetree.clock import Clock
from planetree.separators.sparse.feature_rules import FeatureRules
from planetree.separators.sparse.feature_search import Choice, FeatureSearch, TimeIsUpError, raised


class _NearEqualSet(NamedTuple):
    """A smallest choice of columns whose planes are nearly the best.

    Parameters
    ----------
    features : tuple of int
        Numbers of the columns.
    columns : tuple of str
        Their names.
    objective : float
        The lowest objective of planes on them.
    increase : float
        By which share it exceeds the best objective of all columns.
    held_out_error : float
        Share of the rows of `validation` that the planes get wrong; NaN where there are none.
    """

    features: tuple[int, ...]
    columns: tuple[str, ...]
    objective: float
    increase: float
    held_out_error: float


class NearEqual(NamedTuple):
    """All smallest choices of columns whose planes are nearly the best.

    Parameters
    ----------
    sets : list of _NearEqualSet
        Those with the fewest columns first; of equally many, the lowest objective first.
    indispensable : tuple of str
        Columns that every near-equal set holds.
    stand_ins : list of tuples (str, str, int)
        Two columns and in how many listed sets the one can take the place of the other.
    best_objective, limit : float
        Of all columns together, and what counts as near.
    is_complete : bool
        Whether every minimal set is listed, up to `max_features` columns.
    least_unlisted : int or None
        A minimal set that is not listed has at least so many columns; None if there is none.
    proved : bool
        Whether every claim that a set is not near holds in exact arithmetic.
    n_programs : int
        Programs solved.
    """

    sets: list[_NearEqualSet]
    indispensable: tuple[str, ...]
    stand_ins: list[tuple[str, str, int]]
    best_objective: float
    limit: float
    is_complete: bool
    least_unlisted: int | None
    proved: bool
    n_programs: int

    def to_text(self) -> str:
        """The sets in words."""
        found = f"{len(self.sets)} smallest sets of columns"
        more = f"; any other has at least {self.least_unlisted} columns"
        lines = [found + ("." if self.least_unlisted is None else more + ".")]
        if self.indispensable:
            lines.append(f"In every one: {', '.join(self.indispensable)}.")
        for each in self.sets:
            held = f", {each.held_out_error:.1%} wrong on held-out rows"
            known = held if each.held_out_error == each.held_out_error else ""
            lines.append(f"  +{each.increase:.1%}{known}: {', '.join(each.columns)}")
        return "\n".join(lines)


class _NearEqualSets(NamedTuple):
    """What a search found.

    Parameters
    ----------
    choices : list of Choice
    indispensable : frozenset of int
    least_unlisted : int or None
    proved : bool
    """

    choices: list[Choice]
    indispensable: frozenset[int]
    least_unlisted: int | None
    proved: bool


def _near_equal_sets(
    search: FeatureSearch, limit: float, keep: frozenset[int], max_features: int, max_sets: int
) -> _NearEqualSets:
    """List the minimal sets of features that hold `keep` with an objective up to a limit.

    Parameters
    ----------
    search : FeatureSearch
    limit : float
    keep : frozenset of int
        Features that every set holds, needed or not.
    max_features : int
        Larger sets are not listed.
    max_sets : int
        The search ends with so many.
    """
    finder = _Finder(search, limit, keep)
    found: list[Choice] = []
    last = None
    try:
        for choice in finder.sets(max_features):
            if choice is None or len(found) == max_sets:
                last = finder.least_open
                break
            found.append(choice)
    except TimeIsUpError:
        last = finder.least_open
        found = found or finder.spare
    found.sort(key=lambda each: (len(each.features), each.objective))
    return _NearEqualSets(found, finder.indispensable, last, finder.proved)


def _stand_ins(sets: list[tuple[int, ...]]) -> list[tuple[int, int, int]]:
    """Pairs of features of which one can take the place of the other, and in how many sets.

    Examples
    --------
    >>> from planetree.separators.sparse.near_equal import _stand_ins
    >>> _stand_ins([(0, 1), (0, 2), (1, 3), (2, 3)])
    [(0, 3, 2), (1, 2, 2)]
    """
    rests: dict[frozenset[int], list[int]] = {}
    for features in sets:
        for j in features:
            rests.setdefault(frozenset(features) - {j}, []).append(j)
    counts: dict[tuple[int, int], int] = {}
    for ends in rests.values():
        for pair in combinations(sorted(ends), 2):
            counts[pair] = counts.get(pair, 0) + 1
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [(first, second, number) for (first, second), number in ordered]


class FittedPrograms(NamedTuple):
    """The programs of a fit, for questions about other choices of columns."""

    rules: FeatureRules
    search: FeatureSearch

    def near_equal(
        self,
        model: Any,
        within: float,
        max_features: int | None,
        max_sets: int,
        validation: tuple[Any, Any] | None,
        clock: Clock,
    ) -> NearEqual:
        """List the near-equal sets; see `SparseSeparator.near_equal`."""
        search = self.search.anew(clock)
        best = search.everything().objective
        limit = raised(best, within)
        most = search.n_features if max_features is None else max_features
        found = _near_equal_sets(search, limit, self.rules.required, most, max_sets)
        names = [self.rules.name(j, model.columns_) for j in range(search.n_features)]
        sets = []
        for choice in found.choices:
            features = tuple(self.rules.columns_of(choice.features).tolist())
            increase = (choice.objective - best) / abs(best) if best != 0 else 0.0
            error = self.error_of(model, choice, validation)
            columns = tuple(names[j] for j in choice.features)
            sets.append(_NearEqualSet(features, columns, choice.objective, increase, error))
        pairs = _stand_ins([choice.features for choice in found.choices])
        last = found.least_unlisted
        return NearEqual(
            sets=sets,
            indispensable=tuple(names[j] for j in sorted(found.indispensable)),
            stand_ins=[(names[a], names[b], n) for a, b, n in pairs],
            best_objective=best,
            limit=limit,
            is_complete=last is None or (last > most and not search.time_is_up),
            least_unlisted=last,
            proved=found.proved,
            n_programs=search.n_solves,
        )

    def error_of(self, model: Any, choice: Choice, validation: tuple[Any, Any] | None) -> float:
        """Share of held-out rows that the planes of a choice get wrong."""
        if validation is None:
            return float("nan")
        other = copy(model)
        self.search.set_planes(other, self.search.afresh(choice.features))
        return 1.0 - float(other.score(*validation))


class _Finder:
    """Meets blocks in all ways.

    `blocks` are sets of features of which every near-equal set has one. A node is a pair of what is
    in and what is out; its sets hold the one and none of the other.
    """

    def __init__(self, search: FeatureSearch, limit: float, keep: frozenset[int]) -> None:
        self.search, self.limit, self.keep = search, limit, keep
        self.everything = frozenset(range(search.n_features))
        self.blocks: list[frozenset[int]] = []
        self.proved, self.least_open = True, max(1, len(keep))
        self.spare: list[Choice] = []

    @property
    def indispensable(self) -> frozenset[int]:
        """Features that are a block alone."""
        return frozenset(j for block in self.blocks if len(block) == 1 for j in block)

    def sets(self, max_features: int) -> Iterator[Choice | None]:
        """Minimal sets, the smallest first; at last None, where larger ones are left."""
        top = self.search.everything()
        for j in sorted(self.everything):
            self._is_near(self.search.without(top, (j,)))
        self.spare = [self._eliminated(top)]
        numbers, nothing = count(), frozenset[int]()
        first = self._bound(self.keep, nothing)
        waiting = [] if first is None else [(first, 0, next(numbers), self.keep, nothing)]
        while waiting:
            bound, _, _, inside, out = heapq.heappop(waiting)
            if self.search.clock.is_over:
                self.search.time_is_up = True
                raise TimeIsUpError
            self.least_open = bound
            if bound > max_features:
                yield None
                return
            block = self._unmet(inside, out)
            if block is None:
                choice = self.search.solve(inside)
                if self._is_near(choice):
                    if self._is_minimal(inside):
                        yield choice
                    continue
                block = self._unmet(inside, out)
                assert block is not None
            for j in sorted(block):
                more = self._bound(inside | {j}, out)
                if more is not None:
                    node = max(more, bound), -len(inside), next(numbers), inside | {j}, out
                    heapq.heappush(waiting, node)  # of equal bounds, the fullest first
                out = out | {j}

    def _eliminated(self, choice: Choice) -> Choice:
        """A minimal set: features go while they can, the smallest weights first."""
        for j in self.search.weakest(choice, self.keep):
            smaller = self.search.without(choice, (j,))
            if smaller.objective <= self.limit:
                choice = smaller
        return choice

    def _unmet(self, inside: frozenset[int], out: frozenset[int]) -> frozenset[int] | None:
        """What may be taken of the smallest block that is not met; None if all are."""
        left = (block - out for block in self.blocks if not block & inside)
        return min(left, key=lambda block: (len(block), sorted(block)), default=None)

    def _bound(self, inside: frozenset[int], out: frozenset[int]) -> int | None:
        """Least number of features of a node's sets, by blocks that share none; None if no set."""
        left = sorted((block - out for block in self.blocks if not block & inside), key=len)
        taken: frozenset[int] = frozenset()
        bound = len(inside)
        for block in left:
            if not block:
                return None
            if not block & taken:
                taken |= block
                bound += 1
        return bound

    def _is_minimal(self, inside: frozenset[int]) -> bool:
        """Whether no feature but those kept can go."""
        return all(
            any(block & inside == {j} for block in self.blocks)
            or not self._is_near(self.search.solve(inside - {j}))
            for j in sorted(inside - self.keep)
        )

    def _is_near(self, choice: Choice) -> bool:
        """Whether a set is within the limit; one that is not leaves a block."""
        if choice.objective <= self.limit:
            return True
        grown = self._grown(choice)
        self.proved &= self.search.least(grown) > self.limit
        self.blocks.append(self.everything - frozenset(grown.features))
        return False

    def _grown(self, choice: Choice) -> Choice:
        """A set that breaks the limit with all the features that can join it."""
        for j in self._by_gain(choice):
            larger = self.search.solve((*choice.features, j), choice.solution)
            if larger.objective > self.limit:
                choice = larger
        return choice

    def _by_gain(self, choice: Choice) -> list[int]:
        """Features outside a set, those that would gain least first."""
        gains: Floats = self.search.gains(choice)
        return sorted(self.everything - set(choice.features), key=lambda j: (gains[j], j))
