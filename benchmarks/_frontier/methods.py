"""The methods: each learns from some rows and says how likely each class is for others.

- our tree in three sizes; with hard leaves; graded with the class of the printed way, and freely;
  taught by a random forest;
- CART with cost-complexity pruning chosen by cross-validated error, and by log loss;
- L1 logistic regression, its penalty chosen by cross-validated log loss;
- histogram boosting, which nobody can read: it stands for what there is to be had;
- FasterRisk, at most five terms of whole points, for two classes;
- optbinning's scorecard: optimal bins of each column and logistic regression, for two classes;
- STreeD, the tree with the fewest training errors of its size;
- EBM, the explainable boosting machine, with fewer bags and rounds than it comes with.

CART and logistic regression choose on the same five shuffled folds of the rows learned from.
Boosting, optbinning and EBM take categories and missing values as they come; the other peers see
indicators for categories, and medians for missing numbers. The last four run in environments of
their own, which `_environment` makes; `worker` has their settings.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks._frontier.data import CACHE
from planetree import PlaneTreeClassifier

_FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)  # the rows of some sets have an order
_FOREST = RandomForestClassifier(300, min_samples_leaf=2, random_state=0)
_OWN_ENVIRONMENTS = {
    "FasterRisk": "fasterrisk",
    "optbinning": "optbinning",
    "STreeD": "pystreed",
    "EBM": "interpret-core",
}


class Answer(NamedTuple):
    """What a method says of the rows it did not learn from, its terms, and its CPU seconds."""

    probabilities: np.ndarray
    codes: np.ndarray
    terms: float
    seconds: float


class Method(NamedTuple):
    """How a method answers; whether it is ours; whether it takes two classes only."""

    answer: Callable[[pd.DataFrame, np.ndarray, pd.DataFrame], Answer]
    ours: bool = False
    two_classes: bool = False


def _timed(fit: Callable[..., tuple[Any, float]], encode: bool = True) -> Callable[..., Answer]:
    """An answer of a scikit-learn classifier; `fit` returns it with its terms."""

    def answer(X: pd.DataFrame, y: np.ndarray, unseen: pd.DataFrame) -> Answer:
        start = time.process_time()
        X, unseen = _encoded(X, unseen) if encode else (X, unseen)
        model, terms = fit(X, y)
        seconds = time.process_time() - start
        p = np.zeros((len(unseen), int(y.max()) + 1))
        p[:, model.classes_] = model.predict_proba(unseen)
        return Answer(p, model.predict(unseen), terms, seconds)

    return answer


def _encoded(X: pd.DataFrame, unseen: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Indicators for categories; medians of the rows learned from for missing values."""
    both = pd.get_dummies(pd.concat([X, unseen])).astype(float)
    numbers = both.iloc[: len(X)]
    medians = numbers.median().fillna(0.0)
    return numbers.fillna(medians), both.iloc[len(X) :].fillna(medians)


def _readable_tree(**parameters: Any) -> Callable[..., Answer]:
    def fit(X, y):
        model = PlaneTreeClassifier(**parameters).fit(X, y)
        return model, model.n_terms_

    return _timed(fit, encode=False)


def _cart(scoring: str) -> Callable[..., Answer]:
    def fit(X, y):
        tree = DecisionTreeClassifier(random_state=0)
        alphas = np.unique(tree.cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0))
        grid = {"ccp_alpha": alphas[:: max(1, len(alphas) // 20)]}
        model = GridSearchCV(tree, grid, cv=_FOLDS, scoring=scoring).fit(X, y).best_estimator_
        return model, model.get_n_leaves() - 1

    return _timed(fit)


def _l1_logistic(X, y):
    logistic = LogisticRegressionCV(
        Cs=8, cv=_FOLDS, l1_ratios=(1.0,), solver="saga", max_iter=300, scoring="neg_log_loss",
        use_legacy_attributes=False,
    )  # fmt: skip
    model = make_pipeline(StandardScaler(), logistic).fit(X, y)
    return model, int(np.count_nonzero(model[-1].coef_))


def _boosting(X, y):
    return HistGradientBoostingClassifier(random_state=0).fit(X, y), float("nan")


def _elsewhere(method: str, encode: bool) -> Callable[..., Answer]:
    """An answer by a worker in an environment of its own, through CSV files."""

    def answer(X: pd.DataFrame, y: np.ndarray, unseen: pd.DataFrame) -> Answer:
        X, unseen = _encoded(X, unseen) if encode else (X, unseen)
        python = _environment(method)
        with tempfile.TemporaryDirectory() as folder:
            X.assign(class_of_row=y).to_csv(f"{folder}/learn.csv", index=False)
            unseen.to_csv(f"{folder}/unseen.csv", index=False)
            words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
            Path(f"{folder}/words.json").write_text(json.dumps(words))
            worker = Path(__file__).with_name("worker.py")
            given = [str(python), str(worker), method, folder]
            subprocess.run(given, check=True, capture_output=True)
            p = np.loadtxt(f"{folder}/answer.csv", delimiter=",", ndmin=2)
            sizes = json.loads(Path(f"{folder}/sizes.json").read_text())
        return Answer(p, p.argmax(axis=1), sizes["terms"], sizes["seconds"])

    return answer


def _environment(method: str) -> Path:
    """Python of the environment of a peer, made when first asked for."""
    package = _OWN_ENVIRONMENTS[method]
    home = CACHE / f"{method.lower()}-venv"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", package, "pandas"]
        subprocess.run(install, check=True, capture_output=True)
    return python


def peer_version(method: str) -> str:
    """Name and version of the package of a peer."""
    if method not in _OWN_ENVIRONMENTS:
        return f"scikit-learn {sklearn.__version__}"
    package = _OWN_ENVIRONMENTS[method].replace("-", "_")
    environment = CACHE / f"{method.lower()}-venv"
    found = next(environment.glob(f"lib/*/site-packages/{package}-*.dist-info")).stem
    return found.replace("-", " ")


OURS = "graded tree"
METHODS = {
    OURS: Method(_readable_tree(), ours=True),
    "graded tree (soft)": Method(_readable_tree(grading="soft"), ours=True),
    "hard leaves": Method(_readable_tree(grading=None), ours=True),
    "smallest": Method(_readable_tree(size="smallest"), ours=True),
    "accurate": Method(_readable_tree(size="accurate"), ours=True),
    "taught by a forest": Method(_readable_tree(teacher=_FOREST), ours=True),
    "CART": Method(_cart("accuracy")),
    "CART (log loss)": Method(_cart("neg_log_loss")),
    "L1 logistic": Method(_timed(_l1_logistic)),
    "boosting": Method(_timed(_boosting, encode=False)),
    "FasterRisk": Method(_elsewhere("FasterRisk", encode=True), two_classes=True),
    "optbinning": Method(_elsewhere("optbinning", encode=False), two_classes=True),
    "STreeD": Method(_elsewhere("STreeD", encode=True)),
    "EBM": Method(_elsewhere("EBM", encode=False)),
}
