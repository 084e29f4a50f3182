"""A peer in an environment of its own: reads CSV files of a folder, writes its probabilities there.

    python worker.py FasterRisk|EBM folder

Of planetree it imports nothing, and it needs no more than the peer and pandas.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

N_TERMS, POINTS = 5, 5


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


def ebm(X, y, unseen):
    """Explainable boosting machine as it comes."""
    from interpret.glassbox import ExplainableBoostingClassifier

    kinds = ["continuous" if pd.api.types.is_numeric_dtype(X[name]) else "nominal" for name in X]
    model = ExplainableBoostingClassifier(feature_types=kinds, random_state=0, n_jobs=1).fit(X, y)
    return model.predict_proba(unseen), len(model.term_features_)


def main(method: str, folder: str) -> None:
    rows = pd.read_csv(f"{folder}/learn.csv")
    y = rows.pop("class_of_row").to_numpy()
    unseen = pd.read_csv(f"{folder}/unseen.csv")
    start = time.process_time()
    p, terms = {"FasterRisk": faster_risk, "EBM": ebm}[method](rows, y, unseen)
    sizes = {"terms": terms, "seconds": time.process_time() - start}
    np.savetxt(f"{folder}/answer.csv", p, delimiter=",")
    Path(f"{folder}/sizes.json").write_text(json.dumps(sizes))


if __name__ == "__main__":
    main(*sys.argv[1:])
