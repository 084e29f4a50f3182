"""The page docs/frontier.md, from kept answers: means of all methods, each set, score sheets."""

import platform
from datetime import date

import numpy as np
import sklearn

import planetree
from benchmarks._frontier.answers import answers, are_kept
from benchmarks._frontier.data import Examples, examples
from benchmarks._frontier.measures import Measures, measures
from benchmarks._frontier.methods import METHODS, OURS

Results = dict[str, dict[str, Measures]]  # by method and set

_INTRODUCTION = """# Probabilities and errors against size

How good the probabilities and the classes of the readable tree are, how many terms it takes to say
them, and how that compares with its peers. Every method sees the same ten folds of the same rows.

- **log loss**, **Brier**: how far the probabilities are from what was so; lower is better.
- **AUC**: how well a class is ranked above the others; higher is better.
- **calibration**: by how much what was said differs from what was so, in groups of rows.
- **error**: percent of rows with the wrong class.
- **terms**: mentions of a column in all decisions; coefficients that are not 0; points on a sheet.

A peer that did not finish every set is compared on the sets it finished, and the line `graded tree
there` has our figures on the same sets.
"""


def results(sets: tuple[str, ...]) -> tuple[Results, dict[str, Examples]]:
    """Measures of every method on every set of which all folds are kept."""
    found: Results = {method: {} for method in METHODS}
    tables = {}
    for name in sets:
        has = [method for method in METHODS if are_kept(method, name)]
        if has:
            each = tables[name] = examples(name)
            for method in has:
                found[method][name] = measures(each, answers(method, name, each))
    return found, tables


def summary(found: Results, sets: tuple[str, ...]) -> list[str]:
    """The table of means."""
    head = [
        "method",
        "sets",
        "log loss",
        "Brier",
        "AUC",
        "calibration",
        "error",
        "terms",
        "s a fit",
    ]
    lines = [_line(head), "|" + " --- |" * len(head)]
    for method in METHODS:
        has = [name for name in sets if name in found[method]]
        if not has:
            continue
        lines.append(_mean_line(method, [found[method][name] for name in has]))
        ours = [found[OURS][name] for name in has if name in found[OURS]]
        if len(ours) == len(has) < len(found[OURS]):
            lines.append(_mean_line(f"({OURS} there)", ours))
    return lines


def _mean_line(method: str, rows: list[Measures]) -> str:
    mean = Measures(*np.mean(rows, axis=0))
    terms = "n/a" if np.isnan(mean.terms) else f"{mean.terms:.1f}"
    figures = [f"{mean.log_loss:.3f}", f"{mean.brier:.4f}", f"{mean.auc:.4f}"]
    figures += [f"{mean.calibration:.3f}", f"{mean.error:.2f}", terms, f"{mean.seconds:.2f}"]
    return _line([method, len(rows), *figures])


def per_set(found: Results, sets: tuple[str, ...]) -> list[str]:
    """Log loss / error of each method on each set."""
    used = [method for method in METHODS if found[method]]
    lines = [_line(["set: log loss / error", *used]), "|" + " --- |" * (len(used) + 1)]
    for name in sets:
        cells = [_cell(found[method].get(name)) for method in used]
        lines.append(_line([name, *cells]))
    return lines


def _cell(found: Measures | None) -> str:
    return "n/a" if found is None else f"{found.log_loss:.3f} / {found.error:.1f}"


def _line(cells: list) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def page(groups: dict[str, tuple[str, ...]], sheets: list[str]) -> str:
    """The whole page."""
    parts = [_INTRODUCTION.rstrip(), "", _made()]
    for title, sets in groups.items():
        found, _ = results(sets)
        if any(found.values()):
            parts += ["", f"## The {len(sets)} {title} sets", "", *summary(found, sets)]
            parts += ["", *per_set(found, sets)]
    return "\n".join([*parts, "", *sheets]).rstrip() + "\n"


def _made() -> str:
    versions = f"planetree {planetree.__version__}, scikit-learn {sklearn.__version__}"
    return (
        f"Made by `python -m benchmarks.frontier --write` on {date.today()} with {versions}, "
        f"Python {platform.python_version()}. Seconds are CPU time."
    )
