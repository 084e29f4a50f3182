"""The picture of nested subsets shows each curve under its name."""

import matplotlib as mpl

mpl.use("agg")

import numpy as np
from matplotlib import pyplot as plt

from planetree import plot


def test_every_curve_is_drawn_from_one_feature_on():
    curves = {"Tree": np.array([0.4, 0.3, 0.2]), "SFS": np.array([0.5, 0.2])}
    _, ax = plt.subplots()
    assert plot.nested_subset_errors(curves, ax=ax) is ax
    for line, (name, errors) in zip(ax.lines, curves.items(), strict=True):
        assert line.get_label() == name
        assert np.array_equal(line.get_xdata(), np.arange(1, len(errors) + 1))
        assert np.array_equal(line.get_ydata(), errors)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("features", "test error")
    plt.close(ax.figure)
