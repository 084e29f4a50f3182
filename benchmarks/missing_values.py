"""Missing values in the readable tree: its own rule against imputation, the same ten folds.

Error in percent / terms. The tree's rule sends a row whose score is unknown down both branches, in
shares; imputation puts the median of a number's column, or the commonest category, in its place.
Beside the sets that miss values stand complete ones of which a tenth and three tenths are removed.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from planetree import PlaneTreeClassifier
from planetree.datasets import load

MISSING = (
    "heart-cleveland", "breast-cancer-wisconsin", "credit-approval", "hepatitis", "house-votes-84",
    "auto-imports", "lung-cancer",
)  # fmt: skip
COMPLETE = ("pima", "wdbc", "ionosphere", "sonar")
REMOVED = (0.1, 0.3)


def imputed(train: pd.DataFrame, test: pd.DataFrame) -> list[pd.DataFrame]:
    numbers = train.select_dtypes("number").median()
    others = train.drop(columns=numbers.index).mode().head(1).squeeze(axis=0)
    return [part.fillna(dict(numbers) | dict(others)) for part in (train, test)]


def with_holes(X: pd.DataFrame, share: float) -> pd.DataFrame:
    return X.mask(np.random.default_rng(0).random(X.shape) < share)


def run(X: pd.DataFrame, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean error and terms of the tree's rule and of imputation."""
    found = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        parts = X.iloc[train], X.iloc[test]
        row = []
        for known, new in (parts, imputed(*parts)):
            model = PlaneTreeClassifier().fit(known, y[train])
            row.append((100 * np.mean(model.predict(new) != y[test]), model.n_terms_))
        found.append(row)
    own, filled = np.mean(found, axis=0)
    return own, filled


def line(name: str, figures: np.ndarray) -> str:
    own, filled = figures
    return f"| {name} | {own[0]:.1f} / {own[1]:.1f} | {filled[0]:.1f} / {filled[1]:.1f} |"


def main() -> None:
    """Print a line for each set, and the means of each group."""
    warnings.filterwarnings("ignore", category=UserWarning)
    complete = {name: load(name) for name in COMPLETE}
    groups = {"sets that miss values": {name: (load(name).X, load(name).y) for name in MISSING}}
    for share in REMOVED:
        removed = {name: (with_holes(data.X, share), data.y) for name, data in complete.items()}
        groups[f"complete sets, {share:.0%} removed"] = removed
    print("| set | both branches | imputed |\n| --- | --- | --- |")
    means = []
    for group, cases in groups.items():
        found = {name: run(X, np.asarray(y)) for name, (X, y) in cases.items()}
        means.append(line(f"mean of the {group}", np.mean(list(found.values()), axis=0)))
        sign = "" if group.startswith("sets") else ", " + group.split(", ")[1]
        print(*(line(f"{name}{sign}", each) for name, each in found.items()), sep="\n", flush=True)
    print(*means, sep="\n")


if __name__ == "__main__":
    main()
