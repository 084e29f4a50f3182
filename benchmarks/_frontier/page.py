"""The page docs/frontier.md, from kept figures: means of all methods, each set, score sheets."""

import platform

import numpy as np

import planetree
from benchmarks._frontier.answers import digest
from benchmarks._frontier.data import GROUPS
from benchmarks._frontier.kept import Results, kept_results, states
from benchmarks._frontier.measures import Measures
from benchmarks._frontier.methods import METHODS, OURS
from benchmarks._frontier.worker import DEPTH, EBM_SETTINGS

_INTRODUCTION = """# Probabilities and errors against size

How good the probabilities and the classes of the readable tree are, how many terms it takes to say
them, and how that compares with its peers. Every method sees the same folds of the same rows.

- **log loss**, **Brier**: how far the probabilities are from the true classes; lower is better.
  They are scikit-learn's `log_loss` and `brier_score_loss` as they come: whoever gives the true
  class a probability of 0 is charged 36 for that row.
- **AUC**: how well a class is ranked above the others; higher is better.
- **calibration**: how far predicted probabilities differ from observed frequencies, in groups of
  rows.
- **error**: percent of rows with the wrong class.
- **terms**: mentions of a column in all decisions; coefficients that are not 0; points on a sheet;
  steps of a scorecard's columns; for EBM, curves and surfaces, each of many steps.
- **against ours**: the method's error minus that of the graded tree, the mean over sets and its
  standard error; then on how many sets the graded tree errs less, and on how many more.

The settings of the peers:

- **CART**: pruning chosen on five shuffled folds of the rows learned from, by error and, in a line
  of its own, by log loss.
- **L1 logistic**: penalty chosen on the same folds by log loss.
- **boosting**: scikit-learn's `HistGradientBoostingClassifier` with its defaults.
- **FasterRisk**: five terms, at most five points each, two classes only.
- **optbinning**: its scorecard, with its defaults, on logistic regression; two classes only.
- **STreeD**: optimal trees of depth {DEPTH} at most, their size chosen on five folds by its own
  tuning; its probabilities are the shares of the classes in its leaves.
- **EBM**: {outer_bags} bags and at most {max_rounds} rounds instead of 14 and 50,000, because its
  defaults take minutes a fit. With its defaults it may be somewhat better.

CART, logistic regression, FasterRisk and STreeD see indicators for categories and medians for
missing numbers; the others take both as they are.

A peer that did not finish every set is compared on the sets it finished, and the line `graded tree
there` has our figures on the same sets.
"""
_TITLES = {
    "development": "development sets: the tree was chosen on them",
    "goals": "sets that were named as goals",
    "independent": "independent sets",
    "keel": "KEEL sets, five folds",
}
_HEAD = (
    "method", "sets", "log loss", "Brier", "AUC", "calibration", "error", "terms", "s a fit",
    "against ours",
)  # fmt: skip


def summary(found: Results) -> list[str]:
    """The table of means."""
    lines = [_line(_HEAD), "|" + " --- |" * len(_HEAD)]
    for method, figures in found.items():
        if not figures:
            continue
        shared = [name for name in figures if name in found[OURS]]
        ours = [found[OURS][name] for name in shared]
        errors = [figures[name].error for name in shared]
        lines.append(_mean_line(method, list(figures.values()), _against(ours, errors)))
        if len(ours) == len(figures) < len(found[OURS]):
            lines.append(_mean_line(f"({OURS} there)", ours, ""))
    return lines


def _against(ours: list[Measures], errors: list[float]) -> str:
    """Mean difference of errors with its standard error; sets that ours wins and loses."""
    more = np.array(errors) - [each.error for each in ours]
    if len(more) < 2 or not more.any():
        return ""
    spread = more.std(ddof=1) / np.sqrt(len(more))
    return f"{more.mean():+.2f} ± {spread:.2f}, {np.sum(more > 0)} : {np.sum(more < 0)}"


def _mean_line(method: str, rows: list[Measures], against: str) -> str:
    mean = Measures(*np.mean(rows, axis=0))
    terms = "n/a" if np.isnan(mean.terms) else f"{mean.terms:.1f}"
    figures = [f"{mean.log_loss:.3f}", f"{mean.brier:.4f}", f"{mean.auc:.4f}"]
    figures += [f"{mean.calibration:.3f}", f"{mean.error:.2f}", terms, f"{mean.seconds:.2f}"]
    return _line([method, len(rows), *figures, against])


def per_set(found: Results, group: str) -> list[str]:
    """Log loss / error of each method on each set."""
    used = [method for method in METHODS if found[method]]
    head = ["set: log loss / error ± its standard error", *used]
    rows = [[name, *(_cell(found[m].get(name)) for m in used)] for name in GROUPS[group].sets]
    return [_line(head), "|" + " --- |" * len(head), *map(_line, rows)]


def _cell(found: Measures | None) -> str:
    if found is None:
        return "n/a"
    return f"{found.log_loss:.3f} / {found.error:.1f} ± {found.standard_error:.1f}"


def _line(cells) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def page(groups: list[str], sheets: list[str]) -> str:
    """The whole page."""
    parts = [_INTRODUCTION.format(DEPTH=DEPTH, **EBM_SETTINGS).rstrip(), "", _made()]
    for group in groups:
        found = kept_results(group)
        if any(found.values()):
            parts += ["", f"## {len(GROUPS[group].sets)} {_TITLES[group]}", "", *summary(found)]
            parts += ["", *per_set(found, group)]
    return "\n".join([*parts, "", *sheets]).rstrip() + "\n"


def _made() -> str:
    ours, peers = states()
    old = "" if ours <= {digest()} else " Sources have changed since."
    return (
        f"Made by `python -m benchmarks.frontier`. Our figures are of planetree "
        f"{planetree.__version__}, sources {', '.join(sorted(ours))}.{old} Those of the peers are "
        f"of {', '.join(sorted(peers))}, with Python {platform.python_version()}. "
        "Seconds are CPU time, beside other work. Figures of peers that were kept from earlier "
        "runs are not measured again, so seconds of different methods may be of different machines."
    )
