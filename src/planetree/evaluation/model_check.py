"""Whether new rows are like those that a tree was trained on, and how it does on them.

- a number is out of range below the least or above the largest of training. The share of rows like
  m training rows that is out of their range is a draw from Beta(2, m - 1), the same for all new
  rows, so a column is found at fault where the beta-binomial distribution says that there are more;
- a category that training did not have is a finding by itself;
- missing cells are compared with those of training by Fisher's exact test, for more of them;
- the shares of rows in the leaves are compared by a chi-square test and, where classes are known,
  so are the shares of the classes in each leaf. A row with missing cells counts in several leaves
  by shares, as in training. Weights of classes, and of rows where they are fractions, hide how
  many training rows a leaf had: then leaves are not compared, and a note says so.

All tests of a check are corrected for their number together (Holm): where nothing has changed, the
probability of any finding is below `_ALARM`. With known classes it is more where the tree fits its
training rows too closely: it was fitted to the classes that it is compared with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from planetree.arrays import Floats, Indices
from planetree.statistics import holm
from planetree.table import Table, lacking_columns, new_categories, read_labels, read_rows
from planetree.tree import Tree, fitted_tree

_ALARM = 0.01  # probability by chance, corrected for all tests together, below which it is said


class _ColumnCheck(NamedTuple):
    """A column of new rows: cells out of range, new categories, missing cells."""

    column: str
    n_known: int
    n_outside: int
    new_categories: tuple[Any, ...]
    missing: float
    missing_before: float
    p_outside: float
    p_missing: float


class _LeafCheck(NamedTuple):
    """Rows of a leaf; shares of the classes and error are None where classes are not known."""

    leaf: int
    answer: Any
    n_rows: int
    share: float
    share_before: float
    class_shares: dict[str, float] | None
    class_shares_before: dict[str, float]
    error: float | None
    error_before: float
    p_classes: float


class _GroupCheck(NamedTuple):
    """Rows of a group and how many of them are wrong."""

    group: str
    n_rows: int
    error: float


class ModelCheck(NamedTuple):
    """How new rows compare with those of training.

    Parameters
    ----------
    n_rows : int
    columns, leaves, groups : lists
        What was found column by column, leaf by leaf and group by group.
    p_leaves : float
        Probability of leaf shares that differ so much, where nothing has changed.
    error : float or None
        Share of rows that the model gets wrong, where classes are known.
    findings : list of str
        What a person should look at.
    notes : list of str
        What was not compared, and why.
    """

    n_rows: int
    columns: list[_ColumnCheck]
    leaves: list[_LeafCheck]
    groups: list[_GroupCheck]
    p_leaves: float
    error: float | None
    findings: list[str]
    notes: list[str]


def check_model(model: Any, X: Any, y: Any = None, groups: Any = None) -> ModelCheck:
    """Compare new rows with those that a tree was trained on.

    Parameters
    ----------
    model : fitted tree that has `ranges_`
    X : array or frame
    y : array of shape (n_rows,), optional
        Classes of the rows.
    groups : array of shape (n_rows,), optional
        A label for each row; errors are counted by label.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree import C45Classifier
    >>> from planetree.evaluation.model_check import check_model
    >>> X = np.arange(100.0)[:, None]
    >>> model = C45Classifier().fit(X, X[:, 0] > 50)
    >>> check_model(model, X, X[:, 0] > 50).findings
    []
    >>> check_model(model, X + 200).findings[0]
    "Column 'x0': 100 of 100 numbers are outside the training range, 0 to 99."
    """
    if not hasattr(model, "ranges_"):
        raise ValueError(
            f"This {type(model).__name__} has no ranges of its training columns. Fit a tree with "
            "this version, and check it."
        )
    rows = read_rows(model, X, missing=True)
    tree = model.tree_
    columns = _check_columns(model, X, rows, float(tree.weights[0]))
    codes = None if y is None else read_labels(model, y, len(rows))
    wrong = None if codes is None else _answers(model, rows) != codes
    leaves, p_leaves = _check_leaves(model, tree, rows, codes, wrong)
    notes = []
    if not _counts_rows(model, tree):
        leaves, p_leaves = [leaf._replace(p_classes=1.0) for leaf in leaves], 1.0
        notes = ["The model was fitted with weights, so its leaves are not compared with training."]
    found = ModelCheck(
        n_rows=len(rows),
        columns=columns,
        leaves=leaves,
        groups=_check_groups(groups, wrong),
        p_leaves=p_leaves,
        error=None if wrong is None else float(wrong.mean()),
        findings=[],
        notes=notes,
    )
    return found._replace(findings=_findings(model, found))


def _answers(model: Any, rows: Floats) -> Indices:
    labels = model.predict(Table(rows, model.columns_))
    return read_labels(model, labels, len(rows))


def _counts_rows(model: Any, tree: Tree) -> bool:
    """Whether the weights of a tree are numbers of rows."""
    total = tree.class_weights[0]
    return getattr(model, "class_weight", None) is None and np.allclose(total, np.rint(total))


def _check_columns(model: Any, X: Any, rows: Floats, n_before: float) -> list[_ColumnCheck]:
    ranges, unseen = model.ranges_, new_categories(model, X)
    found = []
    lacking = lacking_columns(model, X)
    for j, column in enumerate(model.columns_):
        if j in lacking:
            continue
        cells = rows[:, j]
        outside = int(((cells < ranges.low[j]) | (cells > ranges.high[j])).sum())
        new = unseen.get(column.name, {})
        missing = int(np.isnan(cells).sum())
        known = len(cells) - missing - sum(new.values())
        before = float(ranges.missing[j])
        p_outside = _outside_by_chance(outside, known, round((1 - before) * n_before))
        table = [
            [missing, len(cells) - missing],
            [round(before * n_before), round((1 - before) * n_before)],
        ]
        p_missing = float(stats.fisher_exact(table, alternative="greater").pvalue)
        share = missing / max(1, len(cells))
        counts = known, outside, tuple(new)
        found.append(_ColumnCheck(column.name, *counts, share, before, p_outside, p_missing))
    return found


def _outside_by_chance(outside: int, n: int, n_before: int) -> float:
    """Probability that so many of n numbers or more are out of the range of others like them."""
    if n_before < 2 or not outside:
        return 1.0
    return float(stats.betabinom.sf(outside - 1, n, 2, n_before - 1))


def _check_leaves(
    model: Any, tree: Tree, rows: Floats, codes: Indices | None, wrong: Any
) -> tuple[list[_LeafCheck], float]:
    at, leaves = tree.apply(rows), np.flatnonzero(tree.n_branches == 0).tolist()
    visits = {node: (here, shares) for node, here, shares in tree.visits(rows)}
    nobody = np.empty(0, np.intp), np.empty(0)
    there = [visits.get(leaf, nobody) for leaf in leaves]
    counts = np.array([shares.sum() for _, shares in there])
    before = tree.weights[leaves]
    labels, answers = [str(label) for label in model.classes_], fitted_tree(model).codes
    found = []
    for leaf, (here, shares), n, weight in zip(leaves, there, counts, before, strict=True):
        held = tree.class_weights[leaf]
        now = None if codes is None else np.bincount(codes[here], shares, len(labels))
        found.append(
            _LeafCheck(
                leaf=leaf,
                answer=model.classes_[answers[leaf]],
                n_rows=int((at == leaf).sum()),
                share=float(n / max(1, len(rows))),
                share_before=float(weight / tree.weights[0]),
                class_shares=None if now is None or not n else _shares(labels, now),
                class_shares_before=_shares(labels, held),
                error=float(wrong[here] @ shares / n) if wrong is not None and n else None,
                error_before=float(1 - held[answers[leaf]] / weight) if weight else 0.0,
                p_classes=1.0 if now is None else _homogeneity(held, now),
            )
        )
    return found, _homogeneity(before, counts)


def _shares(labels: list[str], counts: Any) -> dict[str, float]:
    total = float(np.sum(counts)) or 1.0
    return {label: float(n) / total for label, n in zip(labels, counts, strict=True)}


def _homogeneity(before: Any, now: Any) -> float:
    """Probability that two lists of counts of the same shares differ as much; 1 if one is empty."""
    table = np.array([before, now], dtype=float)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or not table.sum(axis=1).all():
        return 1.0
    return float(stats.chi2_contingency(table, correction=False).pvalue)


def _check_groups(groups: Any, wrong: Any) -> list[_GroupCheck]:
    if groups is None or wrong is None:
        return []
    labels = np.array([str(label) for label in np.asarray(groups, dtype=object)])
    return [
        _GroupCheck(label, int((labels == label).sum()), float(wrong[labels == label].mean()))
        for label in np.unique(labels).tolist()
    ]


def _findings(model: Any, found: ModelCheck) -> list[str]:
    """What a person should look at, in sentences."""
    chances = _corrected(found)
    said = []
    for each, p_outside, p_missing in zip(found.columns, *chances[:2], strict=True):
        said += _column_findings(model, each, p_outside < _ALARM, p_missing < _ALARM)
    (p_leaves,), classes = chances[2:]
    if p_leaves < _ALARM:
        said.append(
            f"The leaves hold different shares of the rows than in training (p = {p_leaves:.2g})."
        )
    for leaf, p in zip(found.leaves, classes, strict=True):
        if p < _ALARM:
            said.append(
                f"Leaf {leaf.leaf} ({leaf.answer}): {leaf.error:.1%} of its rows are wrong, "
                f"{leaf.error_before:.1%} in training; its class shares differ (p = {p:.2g})."
            )
    return said


def _corrected(found: ModelCheck) -> list[list[float]]:
    """Probabilities of all tests, corrected for their number together: kind by kind."""
    kinds = [
        [each.p_outside for each in found.columns],
        [each.p_missing for each in found.columns],
        [found.p_leaves],
        [leaf.p_classes for leaf in found.leaves],
    ]
    ends = np.cumsum([len(kind) for kind in kinds])[:-1]
    return [part.tolist() for part in np.split(holm([p for kind in kinds for p in kind]), ends)]


def _column_findings(model: Any, each: _ColumnCheck, outside: bool, missing: bool) -> list[str]:
    """What is wrong with a column."""
    said, where = [], f"Column {each.column!r}: "
    if each.new_categories:
        names = ", ".join(map(repr, each.new_categories[:5]))
        said.append(f"{where}categories that training did not have: {names}.")
    if outside:
        j = [column.name for column in model.columns_].index(each.column)
        low, high = model.ranges_.low[j], model.ranges_.high[j]
        said.append(
            f"{where}{each.n_outside} of {each.n_known} numbers are outside the training range, "
            f"{low:g} to {high:g}."
        )
    if missing:
        said.append(
            f"{where}{each.missing:.1%} of the cells are missing, {each.missing_before:.1%} in "
            "training."
        )
    return said
