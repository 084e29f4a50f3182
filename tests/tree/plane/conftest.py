"""The breast cancer data, read once."""

import pytest
from sklearn.datasets import load_breast_cancer


@pytest.fixture(scope="session")
def cancer():
    data = load_breast_cancer()
    return data.data, data.target_names[data.target]
