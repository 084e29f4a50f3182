"""
How many features are enough?
=============================

The best error that a plane can have with 1, 2, 3, ... features.
"""

# %%
# ``feature_path`` finds the best plane known for every number of features.
from sklearn.datasets import load_breast_cancer

from planetree import SparseSeparator, plot

data = load_breast_cancer(as_frame=True)
columns = [name for name in data.data.columns if name.startswith("worst")]
path = SparseSeparator().feature_path(data.data[columns], data.target)

# %%
# Where the curve becomes flat, more features buy nothing.
plot.feature_path(path)
