"""Error against size: the readable tree beside its peers on public data sets, the same ten folds.

    python -m benchmarks frontier          prints the table
    python -m benchmarks.frontier --write  also writes it to docs/frontier.md

A term is one mention of a column in a decision. CART is scikit-learn's tree with cost-complexity
pruning chosen by inner cross-validation; L1 logistic regression has its penalty so chosen; boosting
is not readable, and stands for what accuracy there is to have. Peers see indicators for categories
and medians for missing values. Data sets are those of the folder that PLANETREE_DATA names.
"""

import platform
import sys
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import planetree
from planetree import PlaneTreeClassifier
from planetree.datasets import load

SETS = (
    "heart-cleveland", "breast-cancer-wisconsin", "house-votes-84", "sonar", "credit-approval",
    "hepatitis", "wdbc", "ionosphere", "pima", "credit-g", "tic-tac-toe", "monks-3-train",
    "iris", "wine", "glass", "vehicle",
)  # fmt: skip
PAGE = Path(__file__).parent.parent / "docs" / "frontier.md"


def readable_tree(X, y):
    model = PlaneTreeClassifier().fit(X, y)
    return model, model.n_terms_


def cart(X, y):
    alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
    alphas = np.unique(alphas.clip(min=0))
    tree = DecisionTreeClassifier(random_state=0)
    grid = {"ccp_alpha": alphas[:: max(1, len(alphas) // 20)]}
    model = GridSearchCV(tree, grid, cv=5).fit(X, y).best_estimator_
    return model, model.get_n_leaves() - 1


def l1_logistic(X, y):
    logistic = LogisticRegressionCV(
        Cs=8, cv=5, l1_ratios=(1.0,), solver="saga", max_iter=300, use_legacy_attributes=False
    )
    model = make_pipeline(StandardScaler(), logistic).fit(X, y)
    return model, int(np.count_nonzero(model[-1].coef_))


def boosting(X, y):
    return HistGradientBoostingClassifier(random_state=0).fit(X, y), float("nan")


METHODS = {
    "readable tree": readable_tree,
    "CART": cart,
    "L1 logistic": l1_logistic,
    "boosting": boosting,
}


def encoded(X: pd.DataFrame) -> pd.DataFrame:
    """Indicators for categories, medians for missing values."""
    numbers = pd.get_dummies(X).astype(float)
    return numbers.fillna(numbers.median())


def run(name: str) -> dict[str, tuple[float, float, float]]:
    """Mean error in percent, mean terms and median seconds of each method on one set."""
    data = load(name)
    y, frames = np.asarray(data.y), {True: data.X, False: encoded(data.X)}
    figures = {}
    for method, fit in METHODS.items():
        X, rows = frames[method == "readable tree"], []
        for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
            start = time.perf_counter()
            model, terms = fit(X.iloc[train], y[train])
            spent = time.perf_counter() - start
            rows.append((100 * np.mean(model.predict(X.iloc[test]) != y[test]), terms, spent))
        error, terms, _ = np.mean(rows, axis=0)
        figures[method] = error, terms, float(np.median([row[2] for row in rows]))
    return figures


def lines(results: dict[str, dict[str, tuple[float, float, float]]]) -> list[str]:
    """The table, a line a set, and the means."""
    head = "| set | " + " | ".join(METHODS) + " | seconds a readable tree |"
    table = [head, "|" + " --- |" * (len(METHODS) + 2)]
    for name, figures in results.items():
        cells = [cell(figures[method]) for method in METHODS]
        table.append(f"| {name} | {' | '.join(cells)} | {figures['readable tree'][2]:.2f} |")
    means = {m: np.mean([each[m] for each in results.values()], axis=0) for m in METHODS}
    cells = [f"**{cell(means[method])}**" for method in METHODS]
    seconds = np.median([each["readable tree"][2] for each in results.values()])
    table.append(f"| mean (median of seconds) | {' | '.join(cells)} | {seconds:.2f} |")
    wins = sum(each["readable tree"][0] < each["CART"][0] for each in results.values())
    table += ["", f"Lower error than CART on {wins} of {len(results)} sets."]
    return table


def cell(figures: tuple[float, float, float]) -> str:
    error, terms = figures[0], figures[1]
    return f"{error:.2f}" if np.isnan(terms) else f"{error:.2f} / {terms:.1f}"


def main(write: bool = False) -> None:
    """Print the table, and write the page if asked."""
    warnings.filterwarnings("ignore", category=UserWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
    results = {}
    for name in SETS:
        results[name] = run(name)
        print(name, {m: cell(figures) for m, figures in results[name].items()}, flush=True)
    table = lines(results)
    print("\n".join(table))
    if write:
        versions = f"planetree {planetree.__version__}, scikit-learn {sklearn.__version__}"
        python = f"Python {platform.python_version()}"
        title = "# Error against size\n\nError in percent / terms, ten folds, the same for all. "
        command = "`python -m benchmarks.frontier --write`"
        made = f"Made by {command} on {date.today()} with {versions}, {python}."
        PAGE.write_text(title + made + "\n\n" + "\n".join(table) + "\n")


if __name__ == "__main__":
    main("--write" in sys.argv)
