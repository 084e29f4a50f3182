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


def main() -> None:
    """Print the table."""
    warnings.filterwarnings("ignore", category=UserWarning)
    tables = {name: load(name) for name in MISSING + COMPLETE}
    cases = {name: (tables[name].X, tables[name].y) for name in MISSING}
    for share in REMOVED:
        for name in COMPLETE:
            data = tables[name]
            cases[f"{name}, {share:.0%} removed"] = with_holes(data.X, share), data.y
    print("| set | both branches | imputed |\n| --- | --- | --- |")
    results = []
    for name, (X, y) in cases.items():
        results.append(run(X, np.asarray(y)))
        own, filled = results[-1]
        print(f"| {name} | {own[0]:.2f} / {own[1]:.1f} | {filled[0]:.2f} / {filled[1]:.1f} |")
    own, filled = np.mean(results, axis=0)
    print(f"| mean | {own[0]:.2f} / {own[1]:.1f} | {filled[0]:.2f} / {filled[1]:.1f} |")


if __name__ == "__main__":
    main()
