"""A peer in an environment of its own: reads CSV files of a folder, writes its probabilities there.

    python worker.py FasterRisk|optbinning|STreeD|EBM folder

Of planetree it imports nothing, and it needs no more than the peer and pandas.
"""

import importlib
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

N_TERMS, POINTS = 5, 5  # of FasterRisk
DEPTH = 3  # of STreeD: at 4 a fold of sonar takes more than a minute, at 3 seconds
EBM_SETTINGS = {"outer_bags": 4, "max_rounds": 500}  # with its defaults a fit takes minutes


def faster_risk(X, y, unseen):
    """Risk score of least logistic loss in FasterRisk's pool; thresholds by its own binarizer."""
    from fasterrisk.binarization_util import BinBinarizer
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

    binarizer = BinBinarizer()
    binarizer.fit(X)
    rows, unseen = (binarizer.transform(each)[0].to_numpy(float) for each in (X, unseen))
    optimizer = RiskScoreOptimizer(
        rows, np.where(y == 1, 1.0, -1.0), N_TERMS, lb=-POINTS, ub=POINTS
    )
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    model = RiskScoreClassifier(multiplier, intercept, points, X_train=rows)
    p = model.predict_prob(unseen)
    return np.column_stack([1 - p, p]), int(np.count_nonzero(points))


def opt_binning(X, y, unseen):
    """Scorecard: optimal bins of each column, and logistic regression on their weights of evidence.

    Its terms are the steps of its columns: a column of four bins has three.
    """
    from optbinning import BinningProcess, Scorecard
    from sklearn.linear_model import LogisticRegression

    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    bins = BinningProcess(list(X), categorical_variables=words)
    model = Scorecard(bins, LogisticRegression(max_iter=1000)).fit(X, y)
    steps = model.binning_process_.summary().set_index("name")["n_bins"] - 1
    return model.predict_proba(unseen), int(steps.sum())


def streed(X, y, unseen):
    """Tree of the fewest training errors of its size; the size is tuned on five folds.

    It has no probabilities of its own: they are the shares of the classes in its leaves.
    """
    from pystreed import STreeDClassifier

    model = STreeDClassifier(max_depth=DEPTH, hyper_tune=True, random_seed=0).fit(X, y)
    rows, unseen = (model.binarizer_.transform(each) for each in (X, unseen))
    leaves, others = (_leaves(model.get_tree(), np.asarray(each)) for each in (rows, unseen))
    counts = np.zeros((model.get_n_leaves(), y.max() + 1))
    np.add.at(counts, (leaves, y), 1.0)
    return (counts / counts.sum(axis=1, keepdims=True))[others], model.get_n_leaves() - 1


def _leaves(root, rows):
    """Number of the leaf of each row, from left to right."""
    numbers, found = itertools.count(), np.empty(len(rows), dtype=int)

    def visit(node, here):
        if node.is_leaf_node():
            found[here] = next(numbers)
            return
        yes = rows[here, node.feature] > 0
        visit(node.left_child, here[~yes])
        visit(node.right_child, here[yes])

    visit(root, np.arange(len(rows)))
    return found


def ebm(X, y, unseen):
    """Explainable boosting machine of fewer bags and rounds than it comes with."""
    from interpret.glassbox import ExplainableBoostingClassifier

    kinds = ["continuous" if pd.api.types.is_numeric_dtype(X[name]) else "nominal" for name in X]
    model = ExplainableBoostingClassifier(
        feature_types=kinds, random_state=0, n_jobs=1, **EBM_SETTINGS
    )
    model.fit(X, y)
    return model.predict_proba(unseen), len(model.term_features_)


_METHODS = {
    "FasterRisk": ("fasterrisk.fasterrisk", faster_risk),
    "optbinning": ("optbinning", opt_binning),
    "STreeD": ("pystreed", streed),
    "EBM": ("interpret.glassbox", ebm),
}


def _read(folder, name):
    """A table; codes made of digits stay categories, and only an empty cell is missing."""
    words = json.loads(Path(f"{folder}/words.json").read_text())
    kinds = dict.fromkeys(words, str)
    path = f"{folder}/{name}.csv"
    return pd.read_csv(path, dtype=kinds, keep_default_na=False, na_values=[""])


def main(method: str, folder: str) -> None:
    rows, unseen = (_read(folder, name) for name in ("learn", "unseen"))
    y = rows.pop("class_of_row").to_numpy()
    package, answer = _METHODS[method]
    importlib.import_module(package)  # its seconds are not those of the fit
    start = time.process_time()
    p, terms = answer(rows, y, unseen)
    sizes = {"terms": terms, "seconds": time.process_time() - start}
    np.savetxt(f"{folder}/answer.csv", p, delimiter=",")
    Path(f"{folder}/sizes.json").write_text(json.dumps(sizes))


if __name__ == "__main__":
    main(*sys.argv[1:])
