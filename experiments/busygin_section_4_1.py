"""Selection under clustering constraints on leukemia.

38 training and 34 test samples, 7070 genes. Features are counted whose weight is above 0.001, and
beside them those with any weight, which `support_` holds.
"""

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd

from experiments.harness.bench import Bench, grid
from experiments.harness.tables import fit_and_test, leukemia
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.exceptions import ConflictWarning

METHODS: dict[str, Any] = {
    "k-means (18)(2)": CentroidSelector(),
    "pairwise (20)(3)-(5)": PairwiseSelector(),
    "pairwise (18)(3)-(5)": PairwiseSelector(objective="features"),
    "biclustering, Algorithm 1": BiclusteringSelector(separation=0.1, method="iterative"),
    "biclustering, our search": BiclusteringSelector(separation=0.1, method="search"),
}


def run(bench: Bench) -> pd.DataFrame:
    """A row a method."""
    methods = bench.pick(list(METHODS), ["k-means (18)(2)"])
    return bench.cells(one, grid(method=methods))


def one(method: str) -> dict[str, Any]:
    return outcome(METHODS[method], *leukemia())


def outcome(model: Any, training: Any, test: Any) -> dict[str, Any]:
    """What is selected, which test samples are wrong, and at what cost."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConflictWarning)
        found = fit_and_test(model, training, test)
    seconds = time.process_time() - start
    return {
        "misclassified": ", ".join(found.errors) or "none",
        "seconds": round(seconds, 3),
        **selected(found.model),
    }


def selected(model: Any) -> dict[str, Any]:
    """The optimum, or the number of features, or the number of each class."""
    if isinstance(model, BiclusteringSelector):
        of_class = [np.sum(model.support_ & (model.feature_classes_ == k)) for k in model.classes_]
        return {"selected": " + ".join(map(str, of_class))}
    weighty = int(np.count_nonzero(model.weights_ > 1e-3))
    counts = {"features": weighty, "support": int(model.support_.sum())}
    if isinstance(model, PairwiseSelector):
        return counts | {"relaxations": model.n_relaxations_}
    return counts | {"optimum": model.objective_}
