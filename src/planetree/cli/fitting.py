"""A fit with its time limit, the model in words, its size, and its error on new rows."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from planetree.cli.command import TimeLimitError
from planetree.cli.screen import Screen
from planetree.evaluation.reading import table_of
from planetree.evaluation.validation import (
    Validation,
    as_printed,
    deal_folds,
    majority_error,
    size_of,
    validate,
)
from planetree.table_files import Examples

__all__ = ["fit_in_time", "limited", "percent", "say_model", "say_validation", "text_of"]


def fit_in_time(
    screen: Screen, estimator: Any, examples: Examples, time_limit: float | None
) -> Any:
    """Fit to all rows; a selector that keeps a tree gives that tree, on the columns it selects."""
    with screen.progress("Learning"), limited(estimator, time_limit):
        estimator.fit(examples.frame, examples.labels, sample_weight=examples.weights)
        return readable(estimator, examples)


def readable(model: Any, examples: Examples) -> Any:
    """A model as its text says it; of a selector with a tree, the tree of the selected columns."""
    from sklearn.base import clone

    inner = getattr(model, "tree_", None)
    if not hasattr(inner, "fit") or not model.get_support().any():
        return as_printed(model)
    frame = examples.frame.select([str(name) for name in model.get_feature_names_out()])
    return clone(inner).fit(frame, examples.labels, sample_weight=examples.weights)


@contextmanager
def limited(estimator: Any, seconds: float | None) -> Iterator[None]:
    """Stop a fit when the seconds are over; one with a limit of its own gets twice as long."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeLimitError(
            f"Stopped at the time limit of {seconds:g} seconds. Allow more, take fewer rows or "
            "columns, or a faster method such as c45."
        )

    own = "time_limit" in estimator.get_params(deep=False)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 2 * seconds + 5 if own else seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def text_of(model: Any) -> str:
    """A fitted model in words; of one that has none, the columns that it reads."""
    if hasattr(model, "to_text"):
        return str(model.to_text())
    chosen = [
        column.name for column, on in zip(model.columns_, model.get_support(), strict=True) if on
    ]
    return "Rows are compared in the columns\n" + "\n".join(f"  {name}" for name in chosen)


def say_model(screen: Screen, model: Any, method: str) -> None:
    """Print a model in words, with its size."""
    size = size_of(model)
    screen.answer |= {
        "method": method,
        "model": text_of(model),
        "size": size._asdict(),
    }
    screen.say()
    screen.result(text_of(model))
    screen.say()
    parts = [f"{size.columns} of {len(model.columns_)} columns"]
    if size.terms is not None:
        parts = [counted(size.decisions, "decision"), counted(size.terms, "term"), *parts]
    screen.say(f"Method {method}: {', '.join(parts)}.")


def counted(count: Any, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def say_validation(
    screen: Screen,
    estimator: Any,
    examples: Examples,
    *,
    folds: int | None,
    seed: int,
    jobs: int,
    deadline: float,
) -> None:
    """Print the error on rows that were not learned from, beside that of the largest class."""
    dealt = deal_folds(examples.labels, folds, seed)
    table = table_of(examples)
    if time.monotonic() > deadline:
        screen.note("No time was left for cross-validation.")
        return
    with screen.progress("Cross-validation", len(dealt.used)) as tick:
        found = validate(
            estimator,
            table,
            examples.labels,
            examples.weights,
            dealt,
            jobs=jobs,
            until=deadline,
            tick=tick,
        )
    label, majority = majority_error(examples.labels, examples.weights)
    screen.answer["validation"] = {
        **validation_data(found),
        "majority_class": label,
        "majority_error": majority,
    }
    low, high = found.interval
    rows = (
        ""
        if len(found.fold_errors) == len(dealt.used) == dealt.of_rows.max() + 1
        else f" on {found.n_rows} rows"
    )
    screen.say(
        f"Error on new rows{rows}: {percent(found.error)} (95 % interval {percent(low)} to "
        f"{percent(high)}; always saying {label!r}: {percent(majority)})."
    )


def validation_data(found: Validation) -> dict[str, Any]:
    """What was found, for machines."""
    return {
        "error": found.error,
        "interval": list(found.interval),
        "folds": len(found.fold_errors),
        "rows": found.n_rows,
        "seconds": found.seconds,
    }


def percent(share: float) -> str:
    """A share in percent, with one digit."""
    return f"{100 * share:.1f} %"
