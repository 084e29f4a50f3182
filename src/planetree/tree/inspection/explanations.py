"""Explanations of many rows by one model: why each gets its class, and what would change it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.grading import MARGIN
from planetree.parameters import check_argument, count, optional, share
from planetree.table import ColumnRanges, Table
from planetree.tree.inspection.answer_regions import AnswerRegions, RegionsError
from planetree.tree.inspection.box_search import BoxSearch
from planetree.tree.inspection.counterfactuals import (
    ChangeSearch,
    Counterfactual,
    column_ranges_of,
    counterfactuals,
    described,
    is_curved,
    other_classes,
    radii,
)
from planetree.tree.inspection.explanation import Explanation, explain
from planetree.tree.inspection.explanation_text import explanation_data, explanation_text
from planetree.tree.inspection.fitted_tree import fitted_tree
from planetree.tree.inspection.row_moves import Changeable, read_changeable
from planetree.tree.tree import refuse_products


class Explanations:
    """Rows and the answers that a fitted model gives them, to be asked about.

    `explanations[i]` says why row i gets its class (`Explanation`), `to_text(i)` in words.

    Parameters
    ----------
    model : fitted tree or separator
    X : array or frame
        Rows such as the model was fitted to. Ranges and deviations of the columns are those of the
        training rows; a separator keeps none, so they are those of X.

    Examples
    --------
    >>> from planetree import PlaneTreeClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = PlaneTreeClassifier().fit(data.data, data.target_names[data.target])
    >>> explained = model.explain(data.data[:1])
    >>> (best,), *_ = explained.counterfactuals()
    >>> print(best.to_text())
    worst perimeter 184.6 -> 109.048: benign (cost 2.25)
    >>> best.certificate.status, explained.robustness().round(2)
    ('optimal', array([2.25]))
    """

    def __init__(self, model: Any, X: Any) -> None:
        self._fitted = fitted_tree(model)
        self._model, self._X = model, X
        self._rows = self._fitted.read(model, X)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: int) -> Explanation:
        if not -len(self) <= row < len(self):
            raise IndexError(f"There is no row {row}; there are {len(self)} rows.")
        return explain(self._model, self._X, range(len(self))[row])

    def to_text(self, row: int = 0) -> str:
        """Why a row gets its class, in words: its path, how sure that is, and single changes.

        Examples
        --------
        >>> from planetree import C45Classifier
        >>> model = C45Classifier(min_cases=1).fit([[1.0], [2.0], [4.0], [5.0]], list("aabb"))
        >>> print(model.explain([[1.0]]).to_text())
        Row 0: predicted a; 100% of training rows in this leaf are a.
        <BLANKLINE>
        1. x0
           is 1: <= 2, 1 from the border
        <BLANKLINE>
        Single changes that would change the prediction, smallest first:
          x0: 1 -> 3 gives b
        Number changes that add up to less than 0.63 deviations do not change it.
        """
        at = range(len(self))[row]
        return explanation_text(explanation_data(self._model, self._X, at), f"Row {at}")

    def counterfactuals(
        self,
        changeable: Any = None,
        change_costs: Any = None,
        max_changes: int | None = 3,
        bounds: Any = "observed",
        whole_numbers: Any = True,
        *,
        increase_only: Any = (),
        decrease_only: Any = (),
        target: Any = None,
        probability: float | None = None,
        n_answers: int = 1,
    ) -> list[list[Counterfactual]]:
        """Cheapest changes of each row that change its class, with the proof that none is cheaper.

        Columns are given by names or numbers. A missing cell stays missing: such a row goes every
        way that the cell leaves open, before and after the change. A returned row clears the planes
        that it must not touch by a few parts in 1e9 of their sums, so that exports agree on it.

        Parameters
        ----------
        changeable : list of columns, optional
            Those that may change; by default all.
        change_costs : dict or array, optional
            What a change of a column costs: of a number a deviation, of a category the change; 1
            by default.
        max_changes : int, optional
            How many columns may change; None for any number.
        bounds : "observed", dict or None
            Where changed numbers must lie: within the range of the training rows, within the
            pairs given for some columns (None for an open end) and that range for others, or
            anywhere.
        whole_numbers : bool or list of columns
            Which numbers must be whole: by default those of columns that held only such.
        increase_only, decrease_only : list of columns
            Numbers that may only rise, as an age, or only fall.
        target : label, optional
            The class to reach; by default any other than the row's own.
        probability : float, optional
            What `predict_proba` should give the class that is reached, at least. It takes a tree;
            where answers are those of the way (`grading="leaf"`), it must be above 1/2.
        n_answers : int
            How many answers for each row. No answer changes all the columns that an earlier one
            changes.

        Returns
        -------
        list of lists of Counterfactual
            For each row its answers, the cheapest first; none where no change within these limits
            gets there, which is proved too. The bound of a certificate is at most 1e-6 of the cost
            below it; 1e-4 for probabilities and trees with `grading="soft"`, whose borders are
            curved. One that takes too long says "unproved", with its gap.
        """
        self._refuse_products()
        self._refuse_probability(probability)
        check_argument("max_changes", max_changes, optional(count(1)))
        check_argument("n_answers", n_answers, count(1))
        read = read_changeable(
            self._fitted.columns,
            self._ranges,
            changeable=changeable,
            increase_only=increase_only,
            decrease_only=decrease_only,
            change_costs=change_costs,
            bounds=bounds,
            whole_numbers=whole_numbers,
        )
        most = len(self._fitted.columns) if max_changes is None else max_changes
        search = self._search(read, most, probability)
        wanted = [self._wanted(code, target) for code in self._codes(self._rows).tolist()]
        found = counterfactuals(search, self._rows, wanted, n_answers, self._codes)
        labels, columns = self._fitted.classes.tolist(), self._fitted.columns
        return [
            [described(new, row, columns, labels[new.code], search) for new in answers]
            for row, answers in zip(self._rows, found, strict=True)
        ]

    def robustness(self) -> Floats:
        """Radius within which no change of a row's numbers changes its class.

        A change is measured by the sum of the changes of all numbers, each in deviations of its
        column; categories and missing cells stay. Infinite where no change of numbers changes the
        class, NaN where it follows curved probabilities (`grading="soft"`).

        Returns
        -------
        array of shape (n_rows,)

        Examples
        --------
        >>> from planetree import C45Classifier
        >>> model = C45Classifier(min_cases=1).fit([[1.0], [2.0], [4.0], [5.0]], list("aabb"))
        >>> (model.explain([[1.0], [2.0]]).robustness() * model.ranges_.deviation).round(6)
        array([1., 0.])
        """
        self._refuse_products()
        codes = self._codes(self._rows).tolist()
        return radii(self._fitted, self._rows, codes, self._ranges, self._regions)

    def _search(self, read: Changeable, most: int, probability: float | None) -> ChangeSearch:
        """What finds changes: by regions, or where these are curved or too many, by boxes."""
        if not (probability is not None or is_curved(self._fitted) or self._has_many_regions()):
            return ChangeSearch(self._regions, read, most)
        return BoxSearch(
            self._regions,
            read,
            most,
            probability=probability,
            codes_of=self._codes,
            shares_of=lambda rows: self._model.predict_proba(Table(rows, self._fitted.columns)),
        )

    def _has_many_regions(self) -> bool:
        """Whether some row lies in one of too many regions to list, for what it misses."""
        new = np.array([column.categories is not None for column in self._fitted.columns])
        for cells in np.unique(np.isnan(self._rows) + 2 * ((self._rows < 0) & new), axis=0):
            try:
                lost = (frozenset(np.flatnonzero(cells == kind).tolist()) for kind in (1, 2))
                self._regions.of(*lost)
            except RegionsError:
                return True
        return False

    def _refuse_products(self) -> None:
        name = type(self._model).__name__
        refuse_products(self._fitted.tree, name, "the nearest change of a row")

    def _refuse_probability(self, probability: float | None) -> None:
        """Raise where a goal on probabilities cannot be proved."""
        if probability is None:
            return
        check_argument("probability", probability, share())
        costs = self._fitted.costs
        if not self._fitted.missing:
            raise ValueError("probability needs a tree. Leave it out for a separator.")
        if not self._fitted.keeps_class:
            return
        if probability <= 0.5 + MARGIN or not np.array_equal(costs, 1.0 - np.eye(len(costs))):
            raise ValueError(
                "This tree predicts the class of a row's path, so probability must be above 1/2, "
                "and all errors must cost the same. Otherwise, fit it with grading='soft'."
            )

    @cached_property
    def _ranges(self) -> ColumnRanges:
        return column_ranges_of(self._model, self._rows)

    @cached_property
    def _regions(self) -> AnswerRegions:
        return AnswerRegions(self._fitted)

    def _codes(self, rows: Floats) -> Indices:
        """Class codes that the model gives rows."""
        labels = self._model.predict(Table(rows, self._fitted.columns)).tolist()
        place = {label: code for code, label in enumerate(self._fitted.classes.tolist())}
        return np.array([place[label] for label in labels], dtype=np.intp)

    def _wanted(self, code: int, target: Any) -> frozenset[int]:
        """Codes of the classes to reach from a class."""
        labels = self._fitted.classes.tolist()
        if target is None:
            return other_classes(self._fitted, code)
        if target not in labels:
            raise ValueError(f"target must be one of {labels}, but it is {target!r}.")
        return frozenset([labels.index(target)])
