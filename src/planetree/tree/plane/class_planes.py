"""More than two classes at a decision: a plane for each, or the classes on two sides of one.

With a plane for each class, a row takes the branch of the largest score.

All planes read the same few terms, found by steps forward as for one plane (`plane_search`), in the
program of k classes

    min   sum_i (2 / W) sum_{j != c_i} max(0, 1 - (w_c - w_j).x_i + gamma_c - gamma_j) + price |w|

over the node's rows, normalized there. The plane of the first class is 0.

- a term costs what it costs in one plane, and each further weight of it price * ln(rows) / 2: a
  decision between k classes costs nearly as much as k - 1 planes of its terms.

A plane that tells two sides apart puts more than two classes on them in one of several ways: each
class against the rest, as the best cut divides them, and along the direction in which the means of
the classes differ most. A way is a mask of the classes that are on the second side; one and its
reverse are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask, encode
from planetree.planes import Planes
from planetree.separators.sparse.feature_search import coarse
from planetree.solvers import HingeSolution
from planetree.tree.growth import fill_missing
from planetree.tree.plane.candidate import Candidate
from planetree.tree.plane.plane_search import PlaneSearch, Rows, some_rows

if TYPE_CHECKING:
    from planetree.tree.plane.candidates import Searcher


_MOST_CLASSES = 10  # of one decision: more planes are no help to a reader, and take long
_FEWEST_TERMS = 2  # of one term planes say intervals, which cuts say in fewer words
_SEARCH_ROWS = 400  # half of those of one plane, as k planes take longer; those chosen see all rows


def class_planes(searcher: Searcher, rows: Rows, allowed: Indices) -> list[Candidate]:
    """Planes for the classes of a node, with two, three, ... terms.

    Parameters
    ----------
    searcher : Searcher
    rows : Rows
    allowed : array of int
        Terms that may be read.
    """
    present = np.unique(rows.codes)
    if not 3 <= len(present) <= _MOST_CLASSES:
        return []
    few, weights = some_rows(rows, _SEARCH_ROWS)
    filled = fill_missing(rows.E, rows.weights)[few][:, allowed]
    codes = rows.codes[few]
    if len(np.unique(codes)) < len(present):
        return []
    search = _search(searcher, filled, np.searchsorted(present, codes), weights, allowed)
    if search is None:
        return []
    found, least = [], np.inf
    for chosen in search.term_sets(searcher.max_terms, searcher.few_terms, forward_only=True):
        candidate = _candidate(searcher, rows, search, search.solve(chosen).solution)
        if candidate is None or candidate.n_terms < _FEWEST_TERMS:
            continue
        draft = np.searchsorted(present, rows.codes), search.terms[list(chosen)]
        paid = candidate.entropy + searcher.term_price * candidate.n_terms + candidate.searched
        search.pays, least = paid < least, min(paid, least)
        found.append(candidate if isinstance(few, slice) else candidate._replace(draft=draft))
    return found


def settled_class_planes(searcher: Searcher, rows: Rows, candidate: Candidate) -> Candidate:
    """The planes of all rows in the place of those that were found on some of them."""
    assert candidate.draft is not None
    classes, terms = candidate.draft
    cells = encode(rows.X, searcher.columns[terms], searcher.categories[terms])
    filled = fill_missing(cells, rows.weights)
    search = _search(searcher, filled, classes.astype(np.intp), rows.weights, terms)
    found = None
    if search is not None:
        solution = search.solve(range(len(search.terms))).solution
        found = _candidate(searcher, rows, search, solution)
    return candidate._replace(sampled=True) if found is None else found


def further_weights(split: object) -> int:
    """Weights of planes for classes beyond one for each term.

    Examples
    --------
    >>> from planetree.planes import Planes
    >>> from planetree.tree.plane.class_planes import further_weights
    >>> further_weights(Planes([[0.0, 0.0], [1.0, 2.0], [3.0, 0.0]], [0, 0, 0], "argmax"))
    1
    """
    if not isinstance(split, Planes) or split.rule != "argmax":
        return 0
    return int(np.count_nonzero(split.weights)) - split.n_terms


class _ClassSearch(PlaneSearch):
    """Programs between the classes of a node's rows, each term a feature of its own."""

    def _by_means(self) -> Indices:
        """Terms in order of how far apart the means of the classes are, by their weight."""
        program, Z = self.program, self.normalized()
        total = np.zeros(Z.shape[1])
        for c in range(int(program.classes.max()) + 1):
            weights = np.where(program.classes == c, program.weights, 0.0)
            total += (weights @ Z) ** 2 / weights.sum()
        return np.argsort(-coarse(total / program.weights.sum()), kind="stable")


def _search(
    searcher: Searcher, cells: Floats, classes: Indices, weights: Floats, terms: Indices
) -> _ClassSearch | None:
    center, scale = _core.column_moments(np.ascontiguousarray(cells), weights)
    some = np.flatnonzero(scale > 0)
    if not len(some):
        return None
    signs, clock = np.zeros(len(some)), searcher.clock
    return _ClassSearch(
        cells[:, some], classes, weights, terms[some], center[some], scale[some], signs, clock
    )


def _candidate(
    searcher: Searcher, rows: Rows, search: PlaneSearch, solution: HingeSolution
) -> Candidate | None:
    used = np.array(sorted(search.support(solution.weights)), dtype=np.intp)
    if not len(used):
        return None
    weights = solution.weights[:, used] / search.scale[used]
    offsets = solution.offsets + weights @ search.center[used]
    terms = search.terms[used]
    planes = Planes(
        weights - weights[0],
        offsets - offsets[0],
        "argmax",
        searcher.columns[terms],
        searcher.categories[terms],
    )
    left = searcher.left_entropy(rows, planes.branch(rows.X), planes.n_branches)
    if not np.isfinite(left):
        return None
    price = further_weights(planes) * searcher.weight_price
    solved = search.program, solution
    return Candidate(planes, left, len(used), price, solved, used=used)


_MOST = 12  # ways that planes are tried on: more did not lower the error on 16 data sets


def class_sides(rows: Rows, filled: Floats, above: list[Mask], n_classes: int) -> list[Mask]:
    """Different ways to put the classes of some rows on two sides, the most promising ones.

    Parameters
    ----------
    rows : Rows
    filled : array of shape (n_rows, n_terms)
        Their terms with missing values filled in.
    above : list of boolean arrays of shape (n_rows,)
        Rows above each of some cuts.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.class_planes import class_sides
    >>> from planetree.tree.plane.plane_search import Rows
    >>> E, codes = np.array([[0.0], [1.0], [5.0]]), np.arange(3)
    >>> rows = Rows(E, E, codes, np.ones(3), np.full(3, 0.5))
    >>> [way.tolist() for way in class_sides(rows, E, [], 3)]
    [[True, False, False], [False, True, False], [True, True, False]]
    """
    weights = np.bincount(rows.codes, rows.weights, n_classes).astype(np.float64)
    present = np.flatnonzero(weights > 0)
    if len(present) < 2:
        return []
    if len(present) == 2:
        return [np.arange(n_classes) == present[1]]
    ways = {}
    for way in _ways(rows, filled, above, weights):
        side = way[present]
        ways[tuple((side ^ side[0]).tolist())] = way
    return _furthest_apart(rows, filled, list(ways.values()), weights)


def _ways(rows: Rows, filled: Floats, above: list[Mask], weights: Floats) -> Iterator[Mask]:
    classes, present = np.arange(len(weights)), np.flatnonzero(weights > 0)
    for c in present:
        yield classes == c
    for taken in above:
        right = np.bincount(rows.codes[taken], rows.weights[taken], len(weights))
        way = 2 * right > weights
        if way[present].any() and not way[present].all():
            yield way
    order = present[np.argsort(_along_means(rows, filled, present), kind="stable")]
    for count in range(1, len(order)):
        yield np.isin(classes, order[:count])


def _along_means(rows: Rows, filled: Floats, present: Indices) -> Floats:
    """Place of each class along the direction in which the means of the classes differ most."""
    of_class = [rows.codes == c for c in present]
    means = np.array([np.average(filled[i], axis=0, weights=rows.weights[i]) for i in of_class])
    scale = _core.column_moments(np.ascontiguousarray(filled), rows.weights)[1]
    means = (means - means.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    return np.asarray(np.linalg.svd(means, full_matrices=False)[0][:, 0])


def _furthest_apart(rows: Rows, filled: Floats, ways: list[Mask], weights: Floats) -> list[Mask]:
    """Of many ways, those whose sides are furthest apart along one term, each by its weight."""
    if len(ways) <= _MOST:
        return ways
    sums = np.zeros((len(weights), filled.shape[1]))
    np.add.at(sums, rows.codes, filled * rows.weights[:, None])
    chosen = np.array(ways, dtype=float)
    share = chosen @ weights / weights.sum()
    between = chosen @ sums / weights.sum() - share[:, None] * sums.sum(axis=0) / weights.sum()
    scale = _core.column_moments(np.ascontiguousarray(filled), rows.weights)[1]
    variance = np.maximum(scale**2, np.finfo(float).tiny)
    apart = (between**2 / variance).max(axis=1) / (share * (1 - share))
    order = np.argsort(-coarse(apart), kind="stable")[:_MOST]
    return [ways[at] for at in order]
