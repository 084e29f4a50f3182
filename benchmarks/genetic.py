"""Whole genetic searches on one thread: GeneticSelector against GAFeatureSelectionCV.

GAFeatureSelectionCV of sklearn-genetic-opt (`pip install sklearn-genetic-opt`, optional) searches
with scikit-learn's tree by entropy and ten folds, as ours does with C4.5. It takes no missing
values, so these are -1 for it. Its evaluations are those that it logs, the ones that its
cache answers included. Seconds are those of the processor.
"""

import contextlib
import io
import os
import time
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from planetree import GeneticSelector
from planetree.datasets import load
from planetree.table import Table

SETS = ("heart-cleveland", "credit-approval", "sonar")
N_EVALUATIONS = 5000
GENERATIONS = 24  # of the peer: 200 evaluations each after the first 100


def main() -> None:
    """Print evaluations a second of both, or why the peer is left out."""
    if not os.environ.get("PLANETREE_DATA"):
        print("PLANETREE_DATA does not name a folder of data sets: nothing is timed.")
        return
    print(f"{'':>18} {'seconds':>9} {'distinct':>9} {'evaluations a second':>21}")
    ours = {name: our_search(name) for name in SETS}
    try:
        theirs = their_search("heart-cleveland")
    except ImportError:
        print("GAFeatureSelectionCV is left out: sklearn-genetic-opt is not installed.")
        return
    print(f"{'GAFeatureSelectionCV on heart-cleveland':>49} {theirs:>10.0f}")
    print(f"{'ratio':>49} {ours['heart-cleveland'] / theirs:>10.0f}")


def our_search(name: str) -> float:
    data = load(name)
    model = GeneticSelector(n_evaluations=N_EVALUATIONS, random_state=0)
    start = time.process_time()
    model.fit(data.X, data.y)
    spent = time.process_time() - start
    rate = N_EVALUATIONS / spent
    print(f"{name:>18} {spent:>9.2f} {model.n_distinct_:>9} {rate:>21.0f}", flush=True)
    return rate


def their_search(name: str) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sklearn_genetic import GAFeatureSelectionCV

        data = load(name)
        X, y = (
            np.nan_to_num(Table.read(data.X).values, nan=-1.0),
            np.unique(data.y, return_inverse=True)[1],
        )
        search = GAFeatureSelectionCV(
            DecisionTreeClassifier(criterion="entropy", random_state=0),
            cv=StratifiedKFold(10),
            population_size=100,
            generations=GENERATIONS,
            verbose=False,
            n_jobs=1,
        )
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            search.fit(X, y)
        spent = time.process_time() - start
    return len(search.logbook) / spent


if __name__ == "__main__":
    main()
