"""The cheapest change of a row as one program over all leaves, for HiGHS: what ours must equal.

    min   sum_j price_j (|x'_j - x_j| / deviation_j, or 1 for a category that changes)
    s.t.  one of the ways of the wanted classes is chosen, and each of its half-spaces holds,
          x' within bounds, whole where asked, at most `max_changes` columns change.

A half-space of a way that is not chosen is relaxed by the most that it can be violated by.
"""

from itertools import product

import numpy as np

from planetree.exceptions import SolverError
from planetree.planes import Among
from planetree.solvers import LinearProgram
from planetree.tree import fitted_tree

CLEARANCE = 4e-9


class Oracle:
    """Programs of the rows of one model: numbers within `low` and `high`."""

    def __init__(self, model, low, high, whole, scales, max_changes, free=None, rises=()):
        self.fitted = fitted_tree(model)
        self.low, self.high, self.whole, self.scales = low, high, whole, scales
        self.max_changes, self.rises = max_changes, set(rises)
        self.columns = self.fitted.columns
        self.free = set(range(len(low)) if free is None else free)
        # unknowns: a number, or an indicator for each category; then up, down, whether it changes
        self.place, n = {}, 0
        for j, column in enumerate(self.columns):
            for code in [-1] if column.categories is None else range(len(column.categories)):
                self.place[j, code] = n
                n += 1
        self.n_cells = n
        self.ways = [
            (self.fitted.codes[region.leaf], sum(patterns, ()))
            for region in self.fitted.tree.regions()
            for patterns in product(*(side.patterns() for side in region.conditions))
        ]

    def cost(self, cells, wanted):
        """Least cost of a change to one of the wanted classes; infinite if there is none."""
        ways = [pattern for code, pattern in self.ways if code in wanted]
        k, n = len(self.columns), self.n_cells
        self.size = n + 3 * k + len(ways)
        lower, upper = np.zeros(self.size), np.ones(self.size)
        integer, cost = np.zeros(self.size, dtype=bool), np.zeros(self.size)
        self.rows, self.ends = [], []
        for j, column in enumerate(self.columns):
            self.bound_cell(j, column, cells[j], lower, upper, integer, cost)
        integer[n + 2 * k :] = True
        self.add({n + 2 * k + j: 1.0 for j in range(k)}, -np.inf, self.max_changes)
        self.add({n + 3 * k + r: 1.0 for r in range(len(ways))}, 1.0, np.inf)
        for r, pattern in enumerate(ways):
            for test in pattern:
                self.add_test(test, n + 3 * k + r, lower, upper)
        matrix = np.zeros((len(self.rows), self.size))
        for i, row in enumerate(self.rows):
            for at, value in row.items():
                matrix[i, at] += value
        low, high = np.array(self.ends).T
        try:
            program = LinearProgram(cost, matrix, low, high, lower, upper, integer)
            return program.solve().objective
        except SolverError as error:
            if error.status.startswith("infeasible"):
                return np.inf
            raise

    def bound_cell(self, j, column, own, lower, upper, integer, cost):
        k, n = len(self.columns), self.n_cells
        up, down, changes = n + j, n + k + j, n + 2 * k + j
        upper[changes] = j in self.free
        if column.categories is not None:
            codes = [self.place[j, c] for c in range(len(column.categories))]
            integer[codes] = True
            self.add({at: 1.0 for at in codes}, 1.0, 1.0)
            self.add({self.place[j, int(own)]: 1.0, changes: 1.0}, 1.0, 1.0)
            cost[changes] = 1.0
            return
        at, scale = self.place[j, -1], self.scales[j]
        lower[at], upper[at] = min(self.low[j], own), max(self.high[j], own)
        integer[at] = self.whole[j]
        upper[up], upper[down] = (upper[at] - own) / scale, (own - lower[at]) / scale
        upper[down] *= j not in self.rises
        cost[[up, down]] = 1.0
        self.add({at: 1.0, up: -scale, down: scale}, own, own)
        for move in (up, down):
            self.add({move: 1.0, changes: -upper[move]}, -np.inf, 0.0)

    def add_test(self, test, chosen, lower, upper):
        if isinstance(test, Among):
            row = {self.place[test.column, code]: 1.0 for code in test.codes}
            self.add({**row, chosen: -1.0}, 0.0, np.inf)
            return
        row = {}
        for (j, code), weight in zip(test.terms, test.weights, strict=True):
            row[self.place[j, code]] = row.get(self.place[j, code], 0.0) + weight
        ends = [(weight * lower[at], weight * upper[at]) for at, weight in row.items()]
        least, most = sum(map(min, ends)), sum(map(max, ends))
        size = abs(test.offset) + sum(max(abs(a), abs(b)) for a, b in ends)
        spare = CLEARANCE * size
        whole = all(self.whole[j] or code >= 0 for j, code in test.terms)
        if whole and all(weight == round(weight) for weight in test.weights):
            limit = np.floor(test.offset) + test.above  # sums are whole: no number is near it
        elif len(row) == 1 and abs(test.weights[0]) == 1 and not test.above:
            limit = test.offset
        else:
            limit = test.offset + (spare if test.above else -spare)
        if test.above:
            self.add({**row, chosen: -max(0.0, limit - least)}, min(limit, least), np.inf)
        else:
            self.add({**row, chosen: max(0.0, most - limit)}, -np.inf, max(limit, most))

    def add(self, row, low, high):
        self.rows.append(row)
        self.ends.append((low, high))
