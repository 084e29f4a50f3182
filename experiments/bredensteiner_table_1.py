"""Database marketing: the data is not public; a synthetic stand-in of the same shape.

The 1979 and 1491 customers with 147 attributes, young or old, were never published. The stand-in
has as many rows and columns. Five carry the class and 142 are noise, and 15% of its
labels are flipped. It shows what the paper's table shows, that few of many columns are enough; its
numbers are not to be compared with the printed ones.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
from sklearn.datasets import make_classification

from experiments.bredensteiner_table_2 import METHODS, count
from experiments.harness.bench import Bench, error, grid

N_TRAINING, N_TEST, N_COLUMNS = 1979, 1491, 147


def run(bench: Bench) -> pd.DataFrame:
    """A row a method."""
    methods = bench.pick(list(METHODS), ["RLP-P", "FM_RLP-P"])
    size = bench.pick((N_TRAINING, N_TEST, N_COLUMNS), (150, 100, 20))
    return bench.cells(one, grid(method=methods, size=[size])).drop(columns="size")


def one(method: str, size: tuple[int, int, int]) -> dict[str, Any]:
    n_training, n_test, n_columns = size
    X, y = make_classification(
        n_training + n_test, n_columns, n_informative=5, n_redundant=0,
        n_clusters_per_class=1, class_sep=1.5, flip_y=0.3, random_state=0,
    )  # fmt: skip
    make: Callable[[], Any] = METHODS[method]
    model = make().fit(X[:n_training], y[:n_training])
    training = 100 - error(model, X[:n_training], y[:n_training])
    test = 100 - error(model, X[n_training:], y[n_training:])
    return {"training_accuracy": training, "accuracy": test} | count(model)
