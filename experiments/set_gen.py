"""Figures 2, 3 and 4 of Cherkauer & Shavlik (1996): C4.5 alone against C4.5 with SET-GEN.

Ten-fold cross-validation of both on each set, default settings (Table 3): error on the rows left
out, nodes of the pruned trees, features that they read, and two-tailed matched-pair t-tests at
0.05. Both choose their pruning level by ten-fold cross-validation within the training rows.

The paper printed bars, not numbers, and states: no error differs significantly on these sets; trees
are smaller and read fewer features on every set, frequently by a factor of two, significantly on
all but lung cancer. Promoters has 106 examples here; the paper's 468 are not public.
"""

import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from planetree import C45Classifier, GeneticSelector
from planetree.datasets import load

SETS = (
    "auto-imports",
    "credit-approval",
    "heart-cleveland",
    "hepatitis",
    "lung-cancer",
    "lymphography",
    "promoters",
    "splice",
)
METHODS = {"C4.5": C45Classifier(confidence="cv"), "SET-GEN": GeneticSelector(random_state=0)}
MEASURES = ("error", "nodes", "features")
LEVEL = 0.05
N_FOLDS = 10
RESULTS = Path(__file__).with_name("results") / "set_gen.csv"
FIELDS = ("set", "fold", "method", *MEASURES, "confidence", "seconds")


def cell(name: str, fold: int, method: str) -> dict[str, Any]:
    """One method trained on one fold of a set: a row of the results."""
    data = load(name)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds are the paper's
        train, test = list(folds.split(data.X, data.y))[fold]
        start = time.perf_counter()
        model = clone(METHODS[method]).fit(data.X.iloc[train], data.y[train])
        seconds = time.perf_counter() - start
        wrong = np.mean(model.predict(data.X.iloc[test]) != data.y[test])
    tree = model.tree_ if isinstance(model, GeneticSelector) else model
    found = (100.0 * wrong, tree.n_nodes_, tree.n_features_used_, model.confidence_, seconds)
    return dict(zip(FIELDS, (name, fold, method, *found), strict=True))


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Rows computed before."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{**row, "fold": int(row["fold"])} for row in csv.DictReader(file)]


def complete(path: Path = RESULTS) -> list[dict[str, Any]]:
    """All rows; those that are not in the file are computed and added to it one by one."""
    rows = read(path)
    done = {(row["set"], row["fold"], row["method"]) for row in rows}
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for key in [(s, f, m) for s in SETS for f in range(N_FOLDS) for m in METHODS]:
            if key not in done:
                writer.writerow(cell(*key))
                file.flush()
    return read(path)


def values(rows: list[dict[str, Any]], name: str, method: str, measure: str) -> np.ndarray:
    """A measure of one method on one set, fold by fold."""
    chosen = [row for row in rows if row["set"] == name and row["method"] == method]
    return np.array([float(row[measure]) for row in sorted(chosen, key=lambda row: row["fold"])])


def compare(rows: list[dict[str, Any]], name: str, measure: str) -> dict[str, Any]:
    """Means of both methods on one set, their ratio, and the p-value of the matched-pair test."""
    alone, with_search = (values(rows, name, method, measure) for method in METHODS)
    equal = np.array_equal(alone, with_search)
    p = 1.0 if equal else float(stats.ttest_rel(alone, with_search).pvalue)
    return {
        "set": name,
        "measure": measure,
        "C4.5": alone.mean(),
        "SET-GEN": with_search.mean(),
        "ratio": alone.mean() / with_search.mean() if with_search.mean() else np.inf,
        "p": p,
        "significant": p < LEVEL,
    }


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every comparison of Figures 2, 3 and 4."""
    return [compare(rows, name, measure) for measure in MEASURES for name in SETS]


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Figures 2, 3 and 4 as bars, a star where the difference is significant."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, 1, figsize=(9, 9), sharex=True)
    at = np.arange(len(SETS))
    for ax, measure in zip(axes, MEASURES, strict=True):
        found = [compare(rows, name, measure) for name in SETS]
        for i, method in enumerate(METHODS):
            ax.bar(at + 0.4 * i - 0.2, [each[method] for each in found], 0.4, label=method)
        for x, each in zip(at, found, strict=True):
            if each["significant"]:
                ax.annotate("*", (x, max(each[m] for m in METHODS)), ha="center")
        ax.set_ylabel({"error": "error, %"}.get(measure, measure))
    axes[0].legend(frameon=False)
    axes[-1].set_xticks(at, SETS, rotation=20, ha="right")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Print every comparison and draw the bars."""
    rows = complete()
    print(f"{'measure':<9} {'set':<16} {'C4.5':>8} {'SET-GEN':>8} {'ratio':>6} {'p':>7}")
    for each in summary(rows):
        star = "*" if each["significant"] else ""
        means = " ".join(f"{each[method]:>8.1f}" for method in METHODS)
        print(
            f"{each['measure']:<9} {each['set']:<16} {means} {each['ratio']:>6.1f} "
            f"{each['p']:>7.3f}{star}"
        )
    try:
        draw(rows, RESULTS.with_suffix(".svg"))
    except ImportError:
        print("No bars are drawn: matplotlib is not installed.")


if __name__ == "__main__":
    main()
