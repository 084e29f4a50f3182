"""Colon on 20 random halves: the paper shows one; here are the mean and the spread.

Each half has 11 normal and 20 tumor samples; the other half is the test.
"""

import warnings

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from experiments._microarrays import colon, run
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.exceptions import ConflictWarning

SELECTORS = {
    "k-means (18)(2)": (CentroidSelector, {}),
    "k-means, 50 features": (CentroidSelector, {"max_features": 50}),
    "pairwise (20)": (PairwiseSelector, {}),
    "pairwise (18)": (PairwiseSelector, {"objective": "features"}),
    "biclustering, t = 0.1": (BiclusteringSelector, {"separation": 0.1}),
    "biclustering, t = 0.1, Algorithm 1": (
        BiclusteringSelector,
        {"separation": 0.1, "method": "iterative"},
    ),
}


def main() -> None:
    """Print errors of 31 test samples and features, mean and standard deviation."""
    warnings.simplefilter("ignore", ConflictWarning)
    samples = colon()
    halves = list(StratifiedShuffleSplit(20, test_size=0.5, random_state=0).split(*samples[:2]))
    print(f"{'20 random halves of colon':<36} {'errors of 31':>14} {'features':>17}")
    for name, (kind, parameters) in SELECTORS.items():
        outcomes = [run(kind(**parameters), *map(samples.take, half)) for half in halves]
        errors = [len(each.errors) for each in outcomes]
        features = [each.model.support_.sum() for each in outcomes]
        print(f"{name:<36} {spread(errors):>14} {spread(features):>17}", flush=True)


def spread(values: list[int]) -> str:
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"


if __name__ == "__main__":
    main()
