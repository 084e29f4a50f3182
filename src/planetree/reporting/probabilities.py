"""What probabilities are worth: whether the classes come in their order (ROC, precision-recall).

They are judged on rows that the model has not seen wherever there are such: by the probabilities
that cross-validation gave, if the report has them. Otherwise they are those of the rows shown, and
where these are the rows of training, the page says so: the weight of each class at each node of a
tree is then that of its training.

For two classes there is one curve, of the second class; for more, one for each class against all
others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    log_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from planetree.arrays import Floats, Indices, Mask
from planetree.reporting.charts import PERCENT, Frame
from planetree.reporting.html import Markup, dot, section, tag
from planetree.tree.inspection.rows_in_tree import RowsInTree

__all__ = ["RowProbabilities", "ranking_sections", "row_probabilities"]


class RowProbabilities(NamedTuple):
    """Probabilities of rows with known classes, and what rows these are."""

    shares: Floats
    codes: Indices
    rows: str

    @property
    def log_loss(self) -> float:
        """As scikit-learn defines it."""
        return float(log_loss(self.codes, self.shares, labels=range(self.shares.shape[1])))

    @property
    def auc(self) -> float | None:
        """As scikit-learn defines it, each class against the others; None if one has no rows."""
        if len(np.unique(self.codes)) < max(2, self.shares.shape[1]):
            return None
        if self.shares.shape[1] == 2:
            return float(roc_auc_score(self.codes, self.shares[:, 1]))
        return float(roc_auc_score(self.codes, self.shares, multi_class="ovr"))


def row_probabilities(shown: RowsInTree, unseen: Floats | None) -> RowProbabilities | None:
    """Probabilities to judge a model by; None if it gives none.

    Parameters
    ----------
    shown : RowsInTree
    unseen : array of shape (n_rows, n_classes), optional
        Probabilities of the rows from models that had not seen them; NaN in rows without.
    """
    if unseen is not None:
        known = ~np.isnan(unseen).any(axis=1)
        n = int(known.sum())
        rows = f"{n} rows, each by a model of other rows (cross-validation)"
        return RowProbabilities(unseen[known], shown.codes[known], rows)
    if not shown.gives_shares:
        return None
    n, trained = len(shown.rows), _are_training_rows(shown)
    rows = f"{n} rows of training: expect less of new ones" if trained else f"the {n} rows shown"
    return RowProbabilities(shown.model.predict_proba(shown.table), shown.codes, rows)


def _are_training_rows(shown: RowsInTree) -> bool:
    """Whether each node holds just the weight of each class that it held in training."""
    trained = shown.tree.class_weights
    return bool(trained[0].any() and np.allclose(shown.counts, trained, atol=1e-6))


def ranking_sections(shown: RowsInTree, given: RowProbabilities | None) -> Markup | str:
    """ROC and precision-recall, side by side; nothing where no class can be ranked."""
    if given is None:
        return ""
    of = range(1, 2) if given.shares.shape[1] == 2 else range(given.shares.shape[1])
    classes = [(code, given.codes == code) for code in of if 0 < np.mean(given.codes == code) < 1]
    if not classes:
        return ""
    return tag("div", _roc(shown, given, classes), _precision(shown, given, classes), class_="pair")


_Classes = list[tuple[int, Mask]]


def _roc(shown: RowsInTree, given: RowProbabilities, classes: _Classes) -> Markup:
    """How many of a class are found for each share of false alarms."""
    frame, curves, said = Frame(), [], []
    for code, is_class in classes:
        x, y, _ = roc_curve(is_class, given.shares[:, code])
        curves.append(frame.path(x, y, code))
        said.append((code, f"AUC {roc_auc_score(is_class, given.shares[:, code]):.3f}"))
    chart = frame.chart(
        "ROC curve",
        "share of the other rows that are taken for it",
        "share of the class that is found",
        frame.grid(PERCENT),
        frame.line((0, 0), (1, 1), "diagonal"),
        *curves,
    )
    lead = (
        f"Of {given.rows}. Rows are ranked by their probability of the class. The area under the "
        "curve (AUC) is how often a row of the class ranks above another one; on the diagonal it "
        "is one half, by chance."
    )
    return section("roc", "Found and false alarms (ROC)", chart, _key(shown, said), lead=lead)


def _precision(shown: RowsInTree, given: RowProbabilities, classes: _Classes) -> Markup:
    """How often the answer is right, for each share of a class that is found."""
    frame, curves, said = Frame(), [], []
    for code, is_class in classes:
        shares = given.shares[:, code]
        precision, recall, _ = precision_recall_curve(is_class, shares, drop_intermediate=True)
        curves.append(frame.path(recall, precision, code))
        found = f"average precision {average_precision_score(is_class, shares):.3f}"
        said.append((code, f"{found}, {100 * is_class.mean():.1f} % by chance"))
    chart = frame.chart(
        "Precision-recall curve",
        "share of the class that is found",
        "right, of the rows taken for it",
        frame.grid(PERCENT),
        *curves,
    )
    lead = f"Of {given.rows}. The more of a class one wants to find, the more others come along."
    return section("precision", "Precision and recall", chart, _key(shown, said), lead=lead)


def _key(shown: RowsInTree, said: list[tuple[int, str]]) -> Markup:
    """What is said of each class, beside its color."""
    lines = (tag("li", dot(code), f"{shown.classes[code]}: {words}") for code, words in said)
    return tag("ul", *lines, class_="key")
