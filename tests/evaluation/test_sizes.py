"""The curve of sizes: every point is a cross-validation of its own, at the cost of one."""

import numpy as np
import pytest

from planetree import PlaneTreeClassifier
from planetree.evaluation.figures import figures_of
from planetree.evaluation.methods import method_named, wished_settings
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.sizes import of_size, path_sizes, validate_sizes
from planetree.evaluation.validation import stratified_folds, validate
from planetree.exceptions import MethodError
from planetree.table import Table


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    labels = np.where(X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=90) > 0, "ill", "well")
    return TrainingTable(Table.read(X), labels, None, {}, ())


def test_the_figures_of_each_size_are_those_of_folds_fitted_and_cut_by_hand(data):
    tree, folds = PlaneTreeClassifier(), stratified_folds(data.labels, 3, 0)
    sizes = path_sizes(tree.fit(data.table, data.labels))
    found = validate_sizes(PlaneTreeClassifier(), data, folds, [None, *sizes])
    assert found[0].figures == validate(PlaneTreeClassifier(), data, folds).figures
    for n_terms, each in zip(sizes, found[1:], strict=True):
        answers = np.empty_like(data.labels)
        for fold in folds.used:
            train = folds.of_rows != fold
            model = PlaneTreeClassifier().fit(data.table.take(train), data.labels[train])
            answers[~train] = model.select(n_terms).predict(data.table.take(~train))
        expected = figures_of(data.labels, answers, np.unique(data.labels))
        assert each.figures.error == expected.error
        assert each.figures.recall == expected.recall


def test_a_size_is_the_largest_tree_with_at_most_so_many_terms(data):
    model = PlaneTreeClassifier().fit(data.table, data.labels)
    assert of_size(model, None) is model
    for n_terms in path_sizes(model):
        assert of_size(model, n_terms).n_terms_ == n_terms


def test_wishes_are_parameters_of_the_readable_tree(data):
    wishes = wished_settings(
        data.labels,
        size="1.5",
        required=["x0"],
        excluded=["x2"],
        increasing=["x1"],
        feature_costs={"x1": 2.0},
        costs=["ill as well=5"],
    )
    from planetree.evaluation.methods import Settings

    made = method_named("sparse-planes").make(Settings(**wishes))
    assert (made.size, made.costs) == (1.5, [[0.0, 5.0], [1.0, 0.0]])
    assert (made.required_features, made.excluded_features) == (["x0"], ["x2"])
    assert (made.monotonic_cst, made.feature_costs) == ({"x1": 1}, {"x1": 2.0})
    with pytest.raises(MethodError, match="has no --require"):
        method_named("c45").make(Settings(required_features=["x0"]))
    with pytest.raises(MethodError, match="take a class for another"):
        wished_settings(data.labels, costs=["ill=5"])


def test_columns_may_raise_and_lower_the_share_of_named_classes():
    labels = np.array([3, 1, 2, 1])
    wishes = wished_settings(labels, increasing=["a"], decreasing=["b"], share_of=["3", "2"])
    assert wishes["monotonic_cst"] == {"a": (1, [3, 2]), "b": (-1, [3, 2])}
    with pytest.raises(MethodError, match=r"--share-of names '4'. Classes: 1, 2, 3\."):
        wished_settings(labels, increasing=["a"], share_of=["4"])
    with pytest.raises(MethodError, match="With 3 classes, --increasing and --decreasing need"):
        wished_settings(labels, decreasing=["a"])
