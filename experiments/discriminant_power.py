"""Figures 1 and 2 of Gracia, Pla, Ferri & Garcia (1995): error of nested subsets, by two rankings.

Features are ranked by discriminant power (Tree) and by sequential forward selection with the
accuracy of three nearest neighbors (SFS). Both see the same rows: those that trees grow from and
neighbors vote with, and those held out. Then two classifiers are trained on the first d features,
for every d, and tested on other rows: a Gini tree pruned by cost-complexity, and 3-NN.

Figure 1   waveform: 2000 + 600 training rows, 6000 test rows, 21 features
Figure 2   texture: 2145 + 1105 training rows, 3250 test rows, 13 classes, 15 features. The images
           of the paper are not public. PLANETREE_TEXTURES may name a folder of images; without it
           they are drawn by `make_textures`.

The paper shows one draw and says that the curves are similar. Here several draws give the mean over
d of the difference of the curves, with its 95 % interval. Curves are kept in `results/`.
"""

import csv
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from planetree import DiscriminantPowerSelector, FloatingSelector, nested_subset_errors
from planetree.datasets import (
    fourier_texture_features,
    make_textures,
    make_waveform,
    texture_windows,
)
from planetree.feature_selection import CostComplexityTree

RESULTS = Path(__file__).parent / "results"
N_DRAWS = {"figure 1": 10, "figure 2": 5}
N_CLASSES, N_WINDOWS = 13, 250
HEAD = ("figure", "draw", "classifier", "ranking", "features", "error")


class Problem(NamedTuple):
    """Training rows, divided in two, and test rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    division: tuple[np.ndarray, np.ndarray]


def waveform(draw: int) -> Problem:
    """Rows of Figure 1."""
    X, y = make_waveform(2600 + 6000, random_state=draw)
    return Problem(X[:2600], y[:2600], X[2600:], y[2600:], (np.arange(2000), np.arange(2000, 2600)))


def texture(draw: int) -> Problem:
    """Rows of Figure 2: of each class 165 windows to grow from, 85 held out and 250 to test."""
    images = images_of_folder() or make_textures(N_CLASSES, random_state=draw)
    windows, y = texture_windows(images, 2 * N_WINDOWS, random_state=1000 + draw)
    X = fourier_texture_features(windows)
    place = np.arange(len(y)) % (2 * N_WINDOWS)
    training = place < N_WINDOWS
    growing = place[training] < 165
    division = np.flatnonzero(growing), np.flatnonzero(~growing)
    return Problem(X[training], y[training], X[~training], y[~training], division)


def images_of_folder() -> list[np.ndarray]:
    """Images of the folder that PLANETREE_TEXTURES names, in the order of their names."""
    folder = os.environ.get("PLANETREE_TEXTURES")
    if not folder:
        return []
    from matplotlib.image import imread

    return [imread(path) for path in sorted(Path(folder).iterdir()) if path.is_file()]


PROBLEMS: dict[str, Callable[[int], Problem]] = {"figure 1": waveform, "figure 2": texture}


def by_power(problem: Problem) -> np.ndarray:
    """Features in the order of their discriminant power."""
    model = DiscriminantPowerSelector(holdout=problem.division)
    return model.fit(problem.X, problem.y).order_


def by_search(problem: Problem) -> np.ndarray:
    """Features in the order in which sequential forward selection takes them."""
    search = FloatingSelector(
        KNeighborsClassifier(3), full_ranking=True, cv=[problem.division], method="sequential"
    )
    return search.fit(problem.X, problem.y).order_


RANKINGS: dict[str, Callable[[Problem], np.ndarray]] = {"Tree": by_power, "SFS": by_search}


def curves(figure: str, draw: int) -> list[dict[str, Any]]:
    """Rows of one draw of a figure: one a classifier, a ranking and a number of features."""
    problem = PROBLEMS[figure](draw)
    classifiers = {
        "DT": CostComplexityTree(holdout=problem.division),
        "3NN": KNeighborsClassifier(3),
    }
    found = []
    for ranking, rank in RANKINGS.items():
        errors = nested_subset_errors(rank(problem), *problem[:4], classifiers)
        found += [
            dict(zip(HEAD, (figure, draw, name, ranking, d, error), strict=True))
            for name, values in errors.items()
            for d, error in enumerate(values.tolist(), 1)
        ]
    return found


def rows(figure: str) -> list[dict[str, Any]]:
    """Rows of all draws of a figure, from its file if they are there, else computed and kept."""
    path = file_of(figure, "csv")
    if not path.exists():
        found = [row for draw in range(N_DRAWS[figure]) for row in curves(figure, draw)]
        path.parent.mkdir(exist_ok=True)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, HEAD, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def file_of(figure: str, ending: str) -> Path:
    """Where the results of a figure are kept; those of a folder of images apart."""
    folder = os.environ.get("PLANETREE_TEXTURES", "") if figure == "figure 2" else ""
    name = "_".join(filter(None, ["discriminant_power", *figure.split(), Path(folder).name]))
    return RESULTS / f"{name}.{ending}"


def curve_of(found: Iterable[dict[str, Any]], classifier: str, ranking: str) -> np.ndarray:
    """Errors of a classifier under a ranking, draws down and numbers of features across."""
    errors: dict[int, list[float]] = {}
    for row in found:
        if (row["classifier"], row["ranking"]) == (classifier, ranking):
            errors.setdefault(int(row["draw"]), []).append(float(row["error"]))
    return np.array([errors[draw] for draw in sorted(errors)])


def differences(figure: str) -> list[dict[str, Any]]:
    """For each classifier the mean over d of Tree minus SFS, with its interval over the draws."""
    found, rows_of_figure = [], rows(figure)
    for classifier in ("DT", "3NN"):
        tree, search = (curve_of(rows_of_figure, classifier, ranking) for ranking in RANKINGS)
        means = (tree - search).mean(axis=1)
        half = stats.t.ppf(0.975, len(means) - 1) * stats.sem(means)
        found.append(
            {
                "figure": figure,
                "classifier": classifier,
                "Tree": tree.mean(),
                "SFS": search.mean(),
                "difference": means.mean(),
                "low": means.mean() - half,
                "high": means.mean() + half,
                "draws": len(means),
            }
        )
    return found


def draw_figure(figure: str, path: Path) -> None:
    """Draw the curves, averaged over the draws, as the paper does."""
    from matplotlib import pyplot as plt

    from planetree import plot

    found = rows(figure)
    sheet, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True, layout="constrained")
    for ax, classifier in zip(axes, ("DT", "3NN"), strict=True):
        means = {name: curve_of(found, classifier, name).mean(axis=0) for name in RANKINGS}
        plot.nested_subset_errors(means, ax=ax).set_title(f"{classifier} classifier")
    sheet.savefig(path)
    plt.close(sheet)


def costs(draw: int = 0) -> list[dict[str, Any]]:
    """Processor seconds of the ranking and of the searches on the rows of Figure 1."""
    problem = waveform(draw)
    peer = SequentialFeatureSelector(
        KNeighborsClassifier(3), n_features_to_select=20, cv=[problem.division]
    )
    peer_folds = SequentialFeatureSelector(KNeighborsClassifier(3), n_features_to_select=20, cv=5)
    ours_folds = FloatingSelector(KNeighborsClassifier(3), full_ranking=True, cv=5)
    tasks: dict[str, Callable[[], object]] = {
        "discriminant power": lambda: by_power(problem),
        "SFS, 600 rows held out, ours": lambda: by_search(problem),
        "SFS, 600 rows held out, scikit-learn": lambda: peer.fit(problem.X, problem.y),
        "SFS, 5 folds, ours": lambda: ours_folds.fit(problem.X, problem.y),
        "SFS, 5 folds, scikit-learn": lambda: peer_folds.fit(problem.X, problem.y),
    }
    spent = {name: min(seconds(task) for _ in range(2)) for name, task in tasks.items()}
    base = spent["discriminant power"]
    return [{"method": name, "seconds": s, "ratio": s / base} for name, s in spent.items()]


def seconds(task: Callable[[], object]) -> float:
    """Processor seconds of a task."""
    start = time.process_time()
    task()
    return time.process_time() - start


def main() -> None:
    """Print the differences of the curves and what the rankings cost."""
    print(
        f"{'figure':<9} {'classifier':<10} {'Tree':>7} {'SFS':>7} {'Tree - SFS':>11}  95 % interval"
    )
    for figure in PROBLEMS:
        for row in differences(figure):
            interval = f"[{row['low']:+.4f}, {row['high']:+.4f}], {row['draws']} draws"
            print(
                f"{figure:<9} {row['classifier']:<10} {row['Tree']:>7.4f} {row['SFS']:>7.4f} "
                f"{row['difference']:>+11.4f}  {interval}"
            )
        draw_figure(figure, file_of(figure, "svg"))
    print(f"\n{'method':<38} {'seconds':>8} {'times the ranking':>18}")
    for row in costs():
        print(f"{row['method']:<38} {row['seconds']:>8.3f} {row['ratio']:>18.1f}", flush=True)


if __name__ == "__main__":
    main()
