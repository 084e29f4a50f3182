"""Tables 4.1, 5.1, 6.1 and 6.2 of Bennett (1993) on the public sets: the thesis's figures and ours.

Accuracy in percent. Table 4.1 is ten-fold cross-validation of trees (MSMT), with the leaves and
the training accuracy of the tree of all rows; Table 5.1 is leave-one-out of the multicategory
linear program; Tables 6.1 and 6.2 are ten-fold cross-validation of that program and of
piecewise-quadratic minimization (PQM, MCD-PGD). The thesis's folds are not known, so ours are
averages over several divisions into folds. `below` is the probability that a method as accurate as
the printed one scores as low as ours or lower (binomial in the number of rows, both sides random):
small values would mean that ours is worse.
"""

import numpy as np
from scipy import stats
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_validate

from planetree import QuadraticSeparator, RobustSeparator, SeparatorTreeClassifier
from planetree.datasets import load

REPEATS = 5

TABLE_4_1 = {  # training accuracy, cross-validated accuracy, leaves
    "breast-cancer-wisconsin": (97.6, 97.0, 2),
    "heart-cleveland": (84.5, 81.8, 2),
}
TABLE_5_1 = {"wine": (100.0, 91.0), "iris": (98.7, 96.7)}  # training, leave-one-out
TABLE_6 = {  # testing accuracy: LP and PQM of Table 6.1, MCD-PGD and quasi-Newton of Table 6.2
    "wine": (89.4, 93.9, 91.6, 91.1),
    "iris": (94.7, 97.3, 96.0, 96.7),
    "glass": (60.8, 61.3, 63.1, 63.1),
    "segmentation-train": (79.1, 85.3, 86.7, 86.7),
    "segmentation": (None, None, 95.5, 95.4),
}


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Complete rows of a set, categories as the ordered integers that the thesis made of them."""
    if name == "segmentation":
        parts = [rows_of(f"segmentation-{part}") for part in ("train", "test")]
        return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])
    data = load(name)
    X = data.X.copy()
    for column in data.categorical:
        X[column] = X[column].cat.codes.where(X[column].notna())
    complete = X.notna().all(axis=1).to_numpy()
    return X[complete].to_numpy(dtype=float), data.y[complete]


def ten_folds(model: object, X: np.ndarray, y: np.ndarray, repeats: int) -> tuple[float, float]:
    """Mean accuracies on training and left-out rows over several divisions."""
    found = []
    for seed in range(repeats):
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        scores = cross_validate(model, X, y, cv=folds, return_train_score=True)
        found.append((scores["train_score"].mean(), scores["test_score"].mean()))
    return tuple((100.0 * np.mean(found, axis=0)).tolist())


def below(ours: float, printed: float, n_rows: int) -> float:
    """Probability of a difference so far down if both methods are equally accurate."""
    share = np.clip((ours + printed) / 200.0, 1e-9, 1 - 1e-9)
    spread = 100.0 * np.sqrt(2.0 * share * (1.0 - share) / n_rows)
    return float(stats.norm.cdf((ours - printed) / spread))


def line(name: str, what: str, printed: float, ours: float, n_rows: int) -> None:
    tail = f"{below(ours, printed, n_rows):>8.2f}"
    print(f"{name:<24} {what:<22} {printed:>8.1f} {ours:>8.1f} {tail}", flush=True)


def table_4_1() -> None:
    for name, (training, testing, leaves) in TABLE_4_1.items():
        X, y = rows_of(name)
        tree = SeparatorTreeClassifier().fit(X, y)
        line(name, "training, all rows", training, 100.0 * tree.score(X, y), len(y))
        line(
            name,
            "ten-fold",
            testing,
            ten_folds(SeparatorTreeClassifier(), X, y, REPEATS)[1],
            len(y),
        )
        print(f"{name:<24} {'leaves':<22} {leaves:>8} {tree.n_leaves_:>8}")


def table_5_1() -> None:
    for name, (training, testing) in TABLE_5_1.items():
        X, y = rows_of(name)
        scores = cross_validate(RobustSeparator(), X, y, cv=LeaveOneOut(), return_train_score=True)
        line(name, "training", training, 100.0 * scores["train_score"].mean(), len(y))
        line(name, "leave-one-out", testing, 100.0 * scores["test_score"].mean(), len(y))


def table_6() -> None:
    published = QuadraticSeparator(solver="gradient_distribution")
    for name, printed in TABLE_6.items():
        X, y = rows_of(name)
        large = len(y) > 2000
        methods = ("LP, 6.1", RobustSeparator()), ("PQM, 6.1", QuadraticSeparator())
        methods += ("MCD-PGD, 6.2", published), ("Newton, 6.2", QuadraticSeparator())
        for (what, model), value in zip(methods, printed, strict=True):
            if value is not None:
                line(name, what, value, ten_folds(model, X, y, 1 if large else REPEATS)[1], len(y))


def main() -> None:
    """Print each table."""
    for table in (table_4_1, table_5_1, table_6):
        print(f"\n{table.__name__.replace('_', ' ', 1).replace('_', '.')}\n")
        print(f"{'set':<24} {'':<22} {'thesis':>8} {'ours':>8} {'below':>8}")
        table()


if __name__ == "__main__":
    main()
