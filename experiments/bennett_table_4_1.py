"""Trees of planes (MSMT), C4.5 and CART.

Test errors are of ten folds, five times over; training errors and leaves are of one tree of all
rows, as in the thesis. Heart's categories are ordered integers for MSMT and CART, categories for
C4.5. CART is scikit-learn's tree with cost-complexity pruning chosen by inner ten-fold cross-
validation. Cancer has 567 rows, the thesis 566. The bank failures are not public.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from experiments.harness import tables
from experiments.harness.bench import Bench, error, folds, grid, scores
from planetree import C45Classifier, SeparatorTreeClassifier

SETS = {
    ("Cancer", "MSMT"): tables.cancer_566,
    ("Cancer", "C4.5"): tables.cancer_566,
    ("Cancer", "CART"): tables.cancer_566,
    ("Heart", "MSMT"): tables.heart,
    ("Heart", "C4.5"): tables.heart_with_categories,
    ("Heart", "CART"): tables.heart,
}


class Cart:
    """CART: a tree that is cut back as cross-validation says."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Cart":
        tree = DecisionTreeClassifier(random_state=0)
        alphas = np.unique(tree.cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0))
        self.tree_ = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=10).fit(X, y).best_estimator_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)


METHODS: dict[str, Callable[[], Any]] = {
    "MSMT": SeparatorTreeClassifier,
    "C4.5": C45Classifier,
    "CART": Cart,
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold, and one for the tree of all rows."""
    sets = bench.pick(["Cancer", "Heart"], ["Heart"])
    repeats, n_folds = range(bench.pick(5, 1)), bench.pick(10, 2)
    cases = grid(set=sets, method=METHODS, repeat=repeats, n_folds=[n_folds])
    tested = bench.cells(cross_validate, cases).drop(columns=["n_folds", "training_error"])
    trained = bench.cells(all_rows, grid(set=sets, method=METHODS))
    return pd.concat([tested, trained], ignore_index=True)


def cross_validate(set: str, method: str, repeat: int, n_folds: int) -> list[dict[str, Any]]:
    X, y = SETS[set, method]()
    return scores(METHODS[method], X, y, folds(y, n_folds, repeat))


def all_rows(set: str, method: str) -> dict[str, Any]:
    X, y = SETS[set, method]()
    model = METHODS[method]().fit(X, y)
    return {"training_error": error(model, X, y), "leaves": leaves(model)}


def leaves(model: Any) -> int:
    tree = model.tree_
    return tree.n_leaves if hasattr(tree, "n_leaves") else tree.get_n_leaves()
