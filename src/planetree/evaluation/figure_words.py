"""Figures in words: what the command prints and the page shows, letter by letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planetree.evaluation.figures import Figures

_WORTH = {
    "AUC": "auc",
    "average precision": "average_precision",
    "log loss": "log_loss",
    "Brier score": "brier",
}


def percent(share: float) -> str:
    """A share in percent, with one digit."""
    return f"{100 * share:.1f}%"


def plural(count: Any, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> from planetree.evaluation.figure_words import plural
    >>> plural(1, "column"), plural(0, "row")
    ('1 column', '0 rows')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _share_text(share: float | None) -> str:
    """A share in percent, or that it is not known."""
    return "unknown" if share is None else percent(share)


def figure_sentences(figures: Figures, how: str, majority: tuple[str, float]) -> list[str]:
    """What answers to unseen rows are worth: error, probabilities, recall and precision.

    Parameters
    ----------
    figures : Figures
    how : str
        How rows were kept unseen.
    majority : pair of str and float
        The most frequent class, and the error of always predicting it.
    """
    low, high = figures.interval
    label, error = majority
    found = [
        f"Error on held-out rows ({how}, {plural(figures.n_rows, 'row')}): "
        f"{percent(figures.error)} (95% interval {percent(low)} to {percent(high)}; "
        f"always predicting {label!r}: {percent(error)})."
    ]
    named = [(name, getattr(figures, key)) for name, key in _WORTH.items()]
    worth = [f"{name} {value:.3f}" for name, value in named if value is not None]
    if worth:
        found.append(f"Probabilities on held-out rows: {', '.join(worth)}.")
    classes = [
        f"{name} {_share_text(recall)} and {_share_text(precision)}"
        for name, recall, precision in zip(
            figures.classes, figures.recall, figures.precision, strict=True
        )
    ]
    return [*found, f"Recall and precision of each class: {', '.join(classes)}."]
