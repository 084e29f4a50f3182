"""Busygin & Pardalos (2005), sections 4.1 and 4.2: leukemia and colon beside the paper."""

import time
import warnings

import numpy as np

from experiments._microarrays import Outcome, Part, colon_by_number, leukemia, run
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.exceptions import ConflictWarning

HEAD = ("what", "paper", "ours")
SIX = "normal 8, normal 12, normal 34, normal 36, tumor 30, tumor 36"
SEVEN = f"normal 2, {SIX}"


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore", ConflictWarning)
    print("Leukemia: 38 training and 34 test samples, 7070 genes")
    show(leukemia_rows(*leukemia()))
    print("\nColon: odd numbers for training, even ones for the test, 2000 genes")
    show(colon_rows(*colon_by_number()))
    print(
        "\nThe printed optimum of the k-means program on colon cannot be: 1901 weights of at most 1"
        "\nsum to at most 1901, and the paper's own count of features is 1901."
    )


def leukemia_rows(training: Part, test: Part) -> list[tuple[str, str, str]]:
    kmeans, spent = timed(CentroidSelector(), training, test)
    rows = [
        ("k-means (18)(2): optimum", "7069.3582", f"{kmeans.model.objective_:.4f}"),
        ("  errors", "AML 64, AML 66", named(kmeans)),
        ("  outliers, seconds", "-", f"{outliers(kmeans, training)}; {spent:.2f} s"),
    ]
    pairs, spent = timed(PairwiseSelector(), training, test)
    above = np.count_nonzero(pairs.model.weights_ > 1e-3)
    rows += [
        ("pairwise (20)(3)-(5): features above 1e-3", "1457", str(above)),
        ("  features above 0", "-", str(pairs.model.support_.sum())),
        ("  errors", "none", named(pairs)),
        ("  outliers, seconds", "-", f"{outliers(pairs, training)}; {spent:.2f} s"),
    ]
    pairs, spent = timed(PairwiseSelector(objective="features"), training, test)
    rows += [
        ("pairwise (18)(3)-(5): sum of weights, features", "-", summary(pairs)),
        ("  errors", "-", named(pairs)),
    ]
    for method, paper in (("iterative", ("3439 + 3242", "AML 66")), ("search", ("-", "-"))):
        found, spent = timed(BiclusteringSelector(0.1, method), training, test)
        rows += [
            (f"biclustering, t = 0.1, {method}: features", paper[0], sizes(found)),
            ("  errors", paper[1], named(found)),
            ("  consistent, steps, seconds", "-", steps(found, spent)),
        ]
    return rows


def colon_rows(training: Part, test: Part) -> list[tuple[str, str, str]]:
    kmeans = run(CentroidSelector(), training, test)
    pairs = run(PairwiseSelector(), training, test)
    found = run(BiclusteringSelector(0.1), training, test)
    return [
        ("k-means (18)(2): optimum", "1903.045", f"{kmeans.model.objective_:.3f}"),
        ("  features", "1901", str(kmeans.model.support_.sum())),
        ("  errors", SIX, named(kmeans)),
        ("pairwise (20)(3)-(5): relaxations", "2", str(pairs.model.n_relaxations_)),
        ("  features", "32", str(pairs.model.support_.sum())),
        ("  errors", SEVEN, named(pairs)),
        ("biclustering, t = 0.1: features", "-", sizes(found)),
        ("  errors", "-", named(found)),
    ]


def timed(model: object, training: Part, test: Part) -> tuple[Outcome, float]:
    start = time.perf_counter()
    return run(model, training, test), time.perf_counter() - start


def named(outcome: Outcome) -> str:
    return ", ".join(outcome.errors) or "none"


def outliers(outcome: Outcome, training: Part) -> str:
    rows = outcome.model.outliers_
    labels = zip(training.y[rows], training.numbers[rows], strict=True)
    return ", ".join(f"{label} {number}" for label, number in labels) or "none"


def summary(outcome: Outcome) -> str:
    return f"{outcome.model.objective_:.4f}, {outcome.model.support_.sum()}"


def sizes(outcome: Outcome) -> str:
    model = outcome.model
    of_class = [np.sum(model.support_ & (model.feature_classes_ == k)) for k in model.classes_]
    return " + ".join(str(size) for size in of_class)


def steps(outcome: Outcome, spent: float) -> str:
    return f"{outcome.model.consistent_}, {outcome.model.n_iter_}, {spent:.1f} s"


def show(rows: list[tuple[str, str, str]]) -> None:
    for what, paper, ours in (HEAD, *rows):
        print(f"{what:<48} {paper:<62} {ours}")


if __name__ == "__main__":
    main()
