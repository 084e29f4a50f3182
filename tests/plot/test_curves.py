"""Pictures of a search show every evaluation; those of nested subsets, each curve by name."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

from planetree import GeneticSelector, plot

matplotlib.use("agg")


@pytest.fixture(scope="module")
def selector():
    model = GeneticSelector(n_evaluations=60, population_size=10, random_state=0)
    return model.fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("measure", ["fitness", "accuracy", "size", "features"])
def test_every_evaluation_is_drawn_and_the_line_ends_at_the_chosen_subset(selector, measure):
    dots, line = plot.search_history(selector, measure).lines
    assert np.array_equal(dots.get_ydata(), selector.history_[measure])
    chosen = selector.history_[selector.history_["fitness"].argmax()]
    assert line.get_ydata()[-1] == chosen[measure]


def test_the_fitness_of_the_fittest_so_far_never_falls(selector):
    line = plot.search_history(selector).lines[1]
    assert (np.diff(line.get_ydata()) >= 0).all()


def test_an_unknown_measure_is_refused(selector):
    with pytest.raises(ValueError, match="'measure' parameter must be"):
        plot.search_history(selector, "speed")


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
