"""A score sheet: whole points for a few questions, and a table from their total to probabilities.

A question counts the full steps of a number above a base, or asks whether a row has a category or
lies on a side of a plane: 1 or 0. The total of a row is the sum of counts times points; it is kept
between the least and the largest total of training, and the table gives the probabilities of every
total between. A tree of several decisions has several sheets: a total either ends at its
probabilities or leads on to another sheet.

- what is printed is what predicts: steps, points and probabilities are the printed decimals;
- a row with a missing value that a sheet asks for takes the decision's branch for missing values,
  to its probabilities or its sheet; where the decision has none, the row ends there, with the
  probabilities of all rows that came to the sheet;
- probabilities lie strictly between 0 and 1 and, along a sheet without side tests, change in one
  direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.files import csv_text
from planetree.planes import Among, HalfSpace
from planetree.statistics import wilson_interval
from planetree.table import Column, read_rows
from planetree.tree.classifier import least_cost
from planetree.words import Wording, printable, wording_of

ALMOST = 1e-9  # of a step: 0.6 above 0 are three steps of 0.2, though not in binary fractions
SEEN = "seen in training (95% interval)"
_LEAST_GROUP = (10.0, 0.05)  # rows, and share of all, whose observed share is worth printing


class Steps(NamedTuple):
    """Full steps of a number column above a base, none below it."""

    column: int
    base: float
    step: float

    def counts(self, X: Floats) -> Floats:
        """How many steps each row has; NaN where it is missing."""
        return np.maximum(0.0, np.floor((X[:, self.column] - self.base) / self.step + ALMOST))


class Question(NamedTuple):
    """What is counted, and the points of each count."""

    asked: Steps | Among | HalfSpace
    points: int

    @property
    def columns(self) -> list[int]:
        """Columns that it reads."""
        if isinstance(self.asked, HalfSpace):
            return sorted({column for column, _ in self.asked.terms})
        return [self.asked.column]

    def counts(self, X: Floats) -> Floats:
        """Steps of each row, or 1 where it is so; NaN where that is unknown."""
        if isinstance(self.asked, Steps):
            return self.asked.counts(X)
        known = ~np.isnan(X[:, self.columns]).any(axis=1)
        return np.where(known, self.asked.holds(X).astype(float), np.nan)

    def words(self, wording: Wording) -> str:
        """What gives the points."""
        if not isinstance(self.asked, Steps):
            return f"if {wording.test(self.asked)}"
        column, base, step = self.asked
        return f"for each full {step:.12g} of {wording.name(column)} above {base:.15g}"


class _TableRow(NamedTuple):
    """One line of a table: totals that say the same, and what was seen of them in training.

    Parameters
    ----------
    first, last : int
        Totals.
    label : str
        The totals in words; the first and the last line have all beyond them, too.
    probabilities : array of shape (n_classes,)
    following : int
        Number of the sheet to go on with, or -1.
    weights : array of shape (n_classes,)
        Training weight of each class.
    group : array of shape (n_classes,), or None
        Training weights of this and the lines before it, from `since` on, if they are many enough
        for a share to mean something, and None if the lines to come are to be added. A line that
        leads on has none, and is in none.
    since : int
    """

    first: int
    last: int
    label: str
    probabilities: Floats
    following: int
    weights: Floats
    group: Floats | None
    since: int


@dataclass(frozen=True, eq=False)
class Sheet:
    """Questions with points, and the table of their totals.

    Parameters
    ----------
    questions : sequence of Question
    lowest : int
        Total of the table's first line.
    probabilities : array of shape (n_totals, n_classes)
    seen : array of shape (n_totals, n_classes)
        Training weight of each class with each total.
    following : array of shape (n_totals,)
        Number of the sheet that each total leads on to; -1 where it ends.
    if_missing : array of shape (n_classes,)
        Probabilities of a row that cannot be counted.
    certificate : Certificate
        What proves that no points and steps of the grid are better.
    plane_objective : float
        What the plane with free weights has for an objective; NaN where there is none.
    after_missing : int
        Number of the sheet that a row that cannot be counted leads on to; -1 where it ends.
    """

    questions: Sequence[Question]
    lowest: int
    probabilities: Floats
    seen: Floats
    following: Indices
    if_missing: Floats
    certificate: Certificate
    plane_objective: float
    after_missing: int = -1

    def lines(self, X: Floats) -> Indices:
        """Line of the table that each row is on; -1 where its total is unknown."""
        total = np.zeros(len(X))
        for question in self.questions:
            total = total + question.points * question.counts(X)
        known = ~np.isnan(total)
        last = len(self.probabilities) - 1
        line = np.clip(np.where(known, total, 0.0) - self.lowest, 0, last).astype(np.intp)
        return np.where(known, line, -1)

    def table(self) -> list[_TableRow]:
        """Lines of the table, from the lowest totals up."""
        starts = self._starts()
        ends = [*starts[1:], len(self.seen)]
        enough = max(_LEAST_GROUP[0], _LEAST_GROUP[1] * self.seen.sum())
        rows, since = [], 0
        for start, end in zip(starts, ends, strict=True):
            leads_on, stop = self.following[start] >= 0, self._stop(end)
            group, left = self.seen[since:end].sum(axis=0), self.seen[end:stop].sum()
            is_group = not leads_on and (end == stop or min(group.sum(), left) >= enough)
            rows.append(
                _TableRow(
                    self.lowest + start,
                    self.lowest + end - 1,
                    self._label(start, end),
                    self.probabilities[start],
                    int(self.following[start]),
                    self.seen[start:end].sum(axis=0),
                    group if is_group and group.any() else None,
                    self.lowest + since,
                )
            )
            since = end if is_group or leads_on else since
        return rows

    def _stop(self, start: int) -> int:
        """First line from this one on that leads on to another sheet."""
        leading = np.flatnonzero(self.following[start:] >= 0)
        return start + int(leading[0]) if len(leading) else len(self.seen)

    def _starts(self) -> list[int]:
        """First line of each run of lines that say the same."""
        says = np.column_stack([self.following, self.probabilities])
        says[self.following >= 0, 1:] = 0.0
        return [0, *(np.flatnonzero((says[1:] != says[:-1]).any(axis=1)) + 1).tolist()]

    def _label(self, start: int, end: int) -> str:
        first, last = self.lowest + start, self.lowest + end - 1
        if end - start == len(self.seen):
            return "any"
        if start == 0 or end == len(self.seen):
            return f"{last} or less" if start == 0 else f"{first} or more"
        return f"{first}" if first == last else f"{first} to {last}"


class ScoreSheet(ClassifierMixin):
    """Sheets of whole points in the place of a model's decisions: a model of its own.

    Made by `to_score_sheet` of a fitted model. scikit-learn's scorers, displays and
    `FrozenEstimator` take it; nothing can fit it again.

    Parameters
    ----------
    model : fitted classifier
        Whose names of columns and classes, and costs of mistakes, it takes.
    sheets : sequence of Sheet
        The first one is where every row begins.

    Attributes
    ----------
    sheets_ : tuple of Sheet
    classes_ : array of shape (n_classes,)
    certificates_ : list of Certificate
        What proves the points of each sheet.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import PlaneTreeClassifier
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = PlaneTreeClassifier(size="smallest").fit(data.data, data.target_names[data.target])
    >>> sheet = model.to_score_sheet()
    >>> sheet.predict(data.data[:3]).tolist(), sheet.certificates_[0].is_proved
    (['malignant', 'malignant', 'malignant'], True)
    """

    def __init__(self, model: Any, sheets: Sequence[Sheet]) -> None:
        self.model = model
        self.sheets_: tuple[Sheet, ...] = tuple(sheets)
        self.classes_: NDArray[Any] = model.classes_

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NoReturn:
        """Refuse: points are those of a fitted model."""
        raise TypeError(
            "A score sheet cannot be fitted: fit its model, and make a new sheet with "
            "to_score_sheet(). Where a tool would fit it, pass FrozenEstimator(sheet)."
        )

    def __sklearn_clone__(self) -> ScoreSheet:
        """Stay as it is: there is nothing to fit."""
        return self

    def __sklearn_tags__(self) -> Tags:
        """Take what its model takes."""
        tags: Tags = self.model.__sklearn_tags__()
        return tags

    @property
    def columns_(self) -> tuple[Column, ...]:
        """Columns of the tables that it takes."""
        return tuple(self.model.columns_)

    @property
    def certificates_(self) -> list[Certificate]:
        """What proves the points of each sheet."""
        return [sheet.certificate for sheet in self.sheets_]

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: what the table says of the last sheet that a row comes to."""
        rows = read_rows(self.model, X, missing=True)
        found = np.empty((len(rows), len(self.classes_)))
        at = np.zeros(len(rows), dtype=np.intp)
        for number, sheet in enumerate(self.sheets_):
            here = np.flatnonzero(at == number)
            line = sheet.lines(rows[here])
            found[here] = np.where(line[:, None] < 0, sheet.if_missing, sheet.probabilities[line])
            at[here] = np.where(line < 0, sheet.after_missing, sheet.following[line])
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the likeliest, or with costs the one of least expected cost."""
        return self.answers(self.predict_proba(X))

    def answers(self, probabilities: Floats) -> NDArray[Any]:
        """Class that rows of probabilities stand for."""
        costs = getattr(self.model, "costs_", 1.0 - np.eye(len(self.classes_)))
        return self.classes_[least_cost(probabilities, costs)]

    def points(self, X: Any) -> Floats:
        """Total of each row in each sheet, within its table; NaN where a value is missing."""
        rows = read_rows(self.model, X, missing=True)
        lines = np.column_stack([sheet.lines(rows) for sheet in self.sheets_])
        lowest = np.array([sheet.lowest for sheet in self.sheets_])
        return np.where(lines < 0, np.nan, lines + lowest)

    def to_text(self) -> str:
        """Questions, points and tables as they are followed by hand."""
        return "\n\n".join(self._text(n) for n in range(len(self.sheets_)))

    def questions(self, number: int) -> list[tuple[int, str]]:
        """Points, and what gives them, of each question of a sheet."""
        wording = wording_of(self.model)
        return [(each.points, each.words(wording)) for each in self.sheets_[number].questions]

    def shown_classes(self) -> list[int]:
        """Codes of the classes whose probabilities are printed: of two the second."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    def cells(self, row: _TableRow) -> list[str]:
        """What a line of a table says: probabilities, or the sheet to go on with; what was seen."""
        shown = self.shown_classes()
        if row.following >= 0:
            return [f"go to sheet {row.following + 1}", *[""] * (len(shown) - 1), ""]
        return [*(_percent(row.probabilities[c]) for c in shown), self._seen(row)]

    def _seen(self, row: _TableRow) -> str:
        """How often training rows had the class that the line is about: of many the likeliest."""
        if row.group is None:
            return ""
        if len(self.classes_) == 2:
            return _observed(row, 1)
        code = int(row.probabilities.argmax())
        return _observed(row, code, f"{printable(self.classes_[code])} ")

    def missing_words(self, number: int) -> str:
        """What is said of a row that lacks a value."""
        p, after = self.sheets_[number].if_missing, self.sheets_[number].after_missing
        if after >= 0:
            return f"If a value is missing: go to sheet {after + 1}."
        shown = [f"{printable(self.classes_[c])} {_percent(p[c])}" for c in self.shown_classes()]
        return f"If a value is missing: {', '.join(shown)}."

    def proof_words(self, number: int) -> str:
        """What whole points cost, and what is proved of them."""
        sheet = self.sheets_[number]
        found = sheet.certificate
        if np.isnan(found.objective):
            return f"These points are those of the decision: {found.kind}."
        said = (
            f"Mean violation {found.objective:.4g}; with weights of any size "
            f"{sheet.plane_objective:.4g}."
        )
        if found.is_proved:
            return said + f" No other points in these steps do better (gap {found.gap:.0e})."
        return said + f" Other points may do better by at most {100 * found.gap:.2g}%."

    def _text(self, number: int) -> str:
        sheet, names = self.sheets_[number], [printable(c) for c in self.classes_]
        lines = [f"Sheet {number + 1}"] if len(self.sheets_) > 1 else []
        for points, words in self.questions(number):
            lines.append(f"{points:+4d} point{'' if abs(points) == 1 else 's'} {words}")
        head = ["total", *(names[c] for c in self.shown_classes()), SEEN]
        cells = [head, *([row.label, *self.cells(row)] for row in sheet.table())]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        padded = ([f"{c:>{w}}" for c, w in zip(row, wide, strict=True)] for row in cells)
        lines += ["", *("  ".join(row).rstrip() for row in padded)]
        return "\n".join([*lines, "", self.missing_words(number), self.proof_words(number)])

    def to_csv(self) -> str:
        """Questions and tables as CSV, one line a question or total."""
        names = [f"probability of {printable(c)}" for c in self.classes_]
        seen = [f"training rows of {printable(c)}" for c in self.classes_]
        head = ["sheet", "kind", "what", "points", "next sheet", *names, *seen]
        rows: list[list[Any]] = []
        blank = [""] * (2 * len(names))
        for number, sheet in enumerate(self.sheets_, 1):
            for points, words in self.questions(number - 1):
                rows.append([number, "question", words, points, "", *blank])
            for row in sheet.table():
                after = _sheet_number(row.following)
                figures = [*row.probabilities.tolist(), *row.weights.tolist()]
                rows.append([number, "total", row.label, "", after, *figures])
            missing = [*sheet.if_missing.tolist(), *[""] * len(names)]
            after = _sheet_number(sheet.after_missing)
            rows.append([number, "missing", "a value is missing", "", after, *missing])
        return csv_text([head, *rows])


def _sheet_number(following: int) -> str:
    return "" if following < 0 else str(following + 1)


def _percent(p: float) -> str:
    """A probability as it is printed: all the digits that a sheet keeps.

    Examples
    --------
    >>> from planetree.tree.score_sheet.score_sheet import _percent
    >>> _percent(0.345), _percent(0.0012), _percent(0.99955)
    ('34.5%', '0.12%', '99.955%')
    """
    return f"{100 * p:.10g}%"


def _observed(row: _TableRow, code: int, name: str = "") -> str:
    """Share of a class among training rows of some totals, with its 95% interval."""
    assert row.group is not None
    n = float(row.group.sum())
    share = float(row.group[code]) / n
    low, high = (100 * end for end in wilson_interval(share, n))
    span = f"{row.since} to {row.last}: " if row.since < row.first else ""
    rows = f"{row.group[code]:.6g} of {n:.6g}"
    return f"{span}{name}{rows}, {100 * share:.0f}% ({low:.0f} to {high:.0f}%)"
