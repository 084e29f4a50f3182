"""Tables of numbers and of categories that searches look through."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="session")
def numbers():
    """Twelve features of which three tell the classes apart."""
    return make_classification(
        n_samples=150, n_features=12, n_informative=3, n_redundant=0, shuffle=False, random_state=1
    )


@pytest.fixture(scope="session")
def mixed(numbers):
    """Numbers and categories, some missing."""
    X, y = numbers
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X[:, :5], columns=list("abcde"))
    frame["kind"] = pd.Categorical(
        np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [0, 1])]
    )
    frame["other"] = rng.choice(["x", "y"], len(y))
    return frame.mask(rng.random(frame.shape) < 0.05), np.array(["no", "yes"])[y]
