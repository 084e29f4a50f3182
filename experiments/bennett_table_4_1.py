"""Trees of planes (MSMT), C4.5 and CART.

Test errors are of ten folds, five times over; training errors and leaves are of one tree of all
rows, as in the thesis. Heart's categories are ordered integers for MSMT and CART, categories for
C4.5. CART is scikit-learn's tree with cost-complexity pruning chosen by inner ten-fold cross-
validation and the rule of one standard error. The thesis takes its pruning from Quinlan (1987), so
MSMT is shown under that rule too: a subtree becomes a leaf if that errs, with half an error more
per leaf, within one standard error of it. Cancer has 567 rows, the thesis 566. The bank
failures are not public.
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


class Cart:
    """CART: a tree that is cut back as cross-validation says, by the rule of one standard error."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Cart":
        """Grow a tree and cut it as far as its error stays within one standard error."""
        tree = DecisionTreeClassifier(random_state=0)
        alphas = np.unique(tree.cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0))
        grid = {"ccp_alpha": alphas}
        self.tree_ = GridSearchCV(tree, grid, cv=10, refit=simplest).fit(X, y).best_estimator_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Classes of rows."""
        return self.tree_.predict(X)


def simplest(results: dict[str, Any]) -> int:
    """The strongest pruning within one standard error of the best (Breiman et al. 1984)."""
    means, spreads = results["mean_test_score"], results["std_test_score"]
    best = int(np.argmax(means))
    return int(np.flatnonzero(means >= means[best] - spreads[best] / np.sqrt(10))[-1])


METHODS: dict[str, Callable[[], Any]] = {
    "MSMT": SeparatorTreeClassifier,
    "MSMT, pruned as in 1987": lambda: SeparatorTreeClassifier(pruning="standard_error"),
    "C4.5": C45Classifier,
    "CART": Cart,
}


def rows_for(set: str, method: str) -> tables.Rows:
    """The table, as the thesis gave it to each method."""
    if set == "Cancer":
        return tables.cancer_566()
    return tables.heart_with_categories() if method == "C4.5" else tables.heart()


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold, and one for the tree of all rows."""
    sets = bench.pick(["Cancer", "Heart"], ["Heart"])
    methods = bench.pick(list(METHODS), ["MSMT", "MSMT, pruned as in 1987", "C4.5"])
    repeats, n_folds = range(bench.pick(5, 1)), bench.pick(10, 2)
    cases = grid(set=sets, method=methods, repeat=repeats, n_folds=[n_folds])
    tested = bench.cells(cross_validate, cases).drop(columns=["n_folds", "training_error"])
    trained = bench.cells(all_rows, grid(set=sets, method=methods))
    return pd.concat([tested, trained], ignore_index=True)


def cross_validate(set: str, method: str, repeat: int, n_folds: int) -> list[dict[str, Any]]:
    X, y = rows_for(set, method)
    return scores(METHODS[method], X, y, folds(y, n_folds, repeat))


def all_rows(set: str, method: str) -> dict[str, Any]:
    X, y = rows_for(set, method)
    model = METHODS[method]().fit(X, y)
    return {"training_error": error(model, X, y), "leaves": leaves(model)}


def leaves(model: Any) -> int:
    tree = model.tree_
    return tree.n_leaves if hasattr(tree, "n_leaves") else tree.get_n_leaves()
