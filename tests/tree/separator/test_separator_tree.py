"""Trees of separators: growth, missing values, costs, weights and pruning."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from separator_tables import SEEDS, overlapping, same_tree
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning

from planetree import (
    BilinearSeparator,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)
from planetree.tree import Tree

pytestmark = pytest.mark.core


def exclusive_or(copies=1):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]] * copies)
    return X, np.array(["same", "same", "differ", "differ"] * copies)


# Growth


def test_two_planes_solve_exclusive_or():
    X, y = exclusive_or()
    model = SeparatorTreeClassifier(min_samples_split=2, pruning=None).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_leaves_ == 3
    assert model.get_depth() == 2


@pytest.mark.parametrize("solver", ["newton", "gradient_distribution"])
def test_a_tree_of_quadratic_separators_divides_what_one_leaves(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0.7, 2, np.where(np.abs(X[:, 1]) > 0.8, 1, 0))
    separator = QuadraticSeparator(solver=solver)
    tree = SeparatorTreeClassifier(separator, pruning=None).fit(X, y)
    assert tree.score(X, y) > max(0.95, clone(separator).fit(X, y).score(X, y))


def test_a_bilinear_separator_solves_exclusive_or_in_one_split():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    X = X[np.abs(X.prod(axis=1)) > 0.02]
    tree = SeparatorTreeClassifier(BilinearSeparator()).fit(X, X.prod(axis=1) > 0)
    assert tree.get_depth() == 1
    assert tree.score(X, X.prod(axis=1) > 0) == 1.0


def test_a_separable_problem_takes_one_split():
    X, y = load_wine(return_X_y=True)
    model = SeparatorTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert (model.n_leaves_, model.get_depth()) == (3, 1)
    assert model.certificates_[0].objective == 0.0


def test_many_classes_make_one_branch_each():
    X, y = np.arange(200.0)[:, None] // 4, np.arange(200) // 4
    X = np.column_stack([np.cos(X * 0.125), np.sin(X * 0.125)])
    model = SeparatorTreeClassifier().fit(X, y)
    assert model.tree_.n_branches[0] == 50
    assert model.score(X, y) == 1.0


def test_every_split_is_proved():
    X, y = load_iris(return_X_y=True)
    model = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.0, pruning=None).fit(X, y)
    assert len(model.certificates_) == np.count_nonzero(model.unpruned_tree_.n_branches)
    assert all(each.status == "optimal" and each.gap <= 1e-9 for each in model.certificates_)
    root = RobustSeparator().fit(X, y)
    assert model.certificates_[0].objective == pytest.approx(root.objective_, rel=1e-9)


def test_each_decision_left_by_pruning_keeps_its_certificate():
    X, y = overlapping(0, n=300)
    model = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.0, pruning=None).fit(X, y)
    splits = [split for split in model.tree_.splits if split is not None]
    whole = dict(zip(map(id, splits), model.certificates_, strict=True))
    for pruning in ("pessimistic", "cost_complexity"):
        model.prune(pruning)
        kept = [split for split in model.tree_.splits if split is not None]
        assert len(kept) < len(splits)
        assert model.certificates_ == [whole[id(split)] for split in kept]


@pytest.mark.parametrize("pruning", ["pessimistic", "cost_complexity"])
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_weight_is_that_many_rows(seed, pruning):
    X, y = overlapping(seed, n=200, k=3)
    weight = np.random.default_rng(seed).integers(0, 4, size=len(y))
    X[np.random.default_rng(seed).random(X.shape) < 0.02] = np.nan
    model, other = (SeparatorTreeClassifier(max_splits=3, pruning=pruning) for _ in range(2))
    weighted = model.fit(X, y, sample_weight=weight)
    repeated = other.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    same_tree(weighted.tree_, repeated.tree_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-7)


# Planes as they enter the tree


# Missing values


def test_a_row_with_a_needed_value_missing_takes_every_branch():
    X, y = overlapping(5, n=200)
    model = SeparatorTreeClassifier(max_splits=1, pruning=None).fit(X, y)
    unknown = np.array([[np.nan, 0.0, 0.0, 0.0]])
    tree = model.tree_
    shares = tree.weights[1:] / tree.weights[0] @ tree.leaf_distributions[1:]
    np.testing.assert_allclose(model.predict_proba(unknown), [shares], rtol=1e-12)
    assert model.decision_path(unknown).toarray().tolist() == [[1, 1, 1]]


def test_training_weight_is_divided_by_the_rule_that_predicts():
    X, y = overlapping(7, n=300, p=3)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = SeparatorTreeClassifier(min_samples_split=2, pruning=None).fit(X, y)
    tree = model.tree_
    reached = np.zeros(tree.n_nodes)
    for leaf, _, shares in tree._leaf_visits(X):
        reached[leaf] += shares.sum()
    leaves = tree.n_branches == 0
    np.testing.assert_allclose(reached[leaves], tree.weights[leaves], rtol=1e-9)


def test_a_column_that_is_hardly_known_does_not_blind_the_tree():
    """The hardly known column would separate the classes, but only for the rows that have it."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=300)
    X = np.column_stack([y + 0.3 * rng.normal(size=300), 2.0 * y])
    X[rng.random(300) < 0.9, 1] = np.nan
    model = SeparatorTreeClassifier().fit(X, y)
    assert model.features_used_.tolist() == [0]
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("separator", [RobustSeparator(), SparseSeparator()], ids=repr)
def test_forty_percent_missing_makes_a_sensible_tree(separator):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = np.nan
    assert SeparatorTreeClassifier(separator).fit(X, y).score(X, y) > 0.6


# Categories


def test_categories_keep_their_names():
    frame = pd.DataFrame({"color": ["red", "blue", "green"] * 20, "size": np.arange(60.0)})
    y = np.where(frame.color == "red", "stop", "go")
    model = SeparatorTreeClassifier(SparseSeparator()).fit(frame, y)
    assert model.score(frame, y) == 1.0
    assert model.n_features_used_ == 1
    assert "color is red" in model.to_text()


def test_a_table_of_categories_only_has_a_tree():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["a", "b", "c"], size=(200, 4)))
    frame.columns = list("wxyz")
    y = (frame.w == frame.x).to_numpy()
    frame.iloc[:10, 0] = None
    model = SeparatorTreeClassifier(min_samples_split=2).fit(frame, y)
    assert model.score(frame, y) > 0.7


# Costs and class weights


def test_costs_change_what_leaves_predict():
    X, y = np.zeros((10, 1)), np.array([0] * 7 + [1] * 3)
    assert SeparatorTreeClassifier().fit(X, y).predict([[0.0]]) == [0]
    dear = SeparatorTreeClassifier(costs=[[0, 1], [5, 0]]).fit(X, y)
    assert dear.predict([[0.0]]) == [1]
    smoothed = (
        np.array([[7, 3]]) + np.array([[8, 4]]) / 12
    ) / 11  # one row of the whole table more
    np.testing.assert_allclose(dear.predict_proba([[0.0]]), smoothed)


@settings(max_examples=25)
@given(SEEDS)
def test_a_leaf_predicts_the_least_expected_cost(seed):
    X, y = overlapping(seed, k=3)
    costs = np.random.default_rng(seed).uniform(0.5, 5.0, size=(3, 3)) * (1 - np.eye(3))
    tree = SeparatorTreeClassifier(costs=costs).fit(X, y).tree_
    expected = tree.leaf_distributions @ costs
    chosen = expected[np.arange(tree.n_nodes), tree.predicted]
    np.testing.assert_allclose(chosen, expected.min(axis=1), rtol=1e-12)


def test_costs_are_charged_by_the_program():
    X, y = overlapping(4, k=3)
    costs = np.array([[0, 1, 2], [3, 0, 1], [1, 6, 0.0]])
    model = SeparatorTreeClassifier(costs=costs).fit(X, y)
    alone = RobustSeparator(costs=costs).fit(X, y)
    assert model.certificates_[0].objective == pytest.approx(alone.objective_, rel=1e-9)
    inside = SparseSeparator(RobustSeparator(costs=costs), error_increase=0.1).fit(X, y)
    sparse = SeparatorTreeClassifier(SparseSeparator(), costs=costs).fit(X, y)
    assert sparse.certificates_[0].objective == pytest.approx(inside.objective_, rel=1e-9)


def test_equal_costs_are_no_costs():
    X, y = overlapping(6, k=3)
    plain = SeparatorTreeClassifier().fit(X, y)
    same_tree(plain.tree_, SeparatorTreeClassifier(costs=1 - np.eye(3)).fit(X, y).tree_)
    same_tree(plain.tree_, SeparatorTreeClassifier(costs=7 * (1 - np.eye(3))).fit(X, y).tree_)


def test_dear_mistakes_become_rare():
    X, y = overlapping(8, n=400)
    dear = np.array([[0.0, 1.0], [10.0, 0.0]])
    missed = [
        np.sum(SeparatorTreeClassifier(costs=costs).fit(X, y).predict(X)[y == 1] == 0)
        for costs in (None, dear)
    ]
    assert missed[1] < missed[0]


def test_class_weight_is_weight_of_the_rows():
    X, y = overlapping(9, n=200)
    factor = {0: 1, 1: 4}
    weighted = SeparatorTreeClassifier(class_weight=factor).fit(X, y)
    rows = SeparatorTreeClassifier().fit(X, y, sample_weight=np.where(y == 1, 4.0, 1.0))
    same_tree(weighted.tree_, rows.tree_)


# Pruning


@settings(max_examples=25)
@given(SEEDS, st.lists(st.floats(0.01, 1.0), min_size=2, max_size=4))
def test_a_smaller_confidence_prunes_more(seed, levels):
    X, y = overlapping(seed, n=150, k=3, p=2)
    model = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.0).fit(X, y)
    sizes = [model.prune("pessimistic", level).n_leaves_ for level in sorted(levels)]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= model.unpruned_tree_.n_leaves


@pytest.mark.parametrize("pruning", ["pessimistic", "cost_complexity", None])
def test_pruning_after_fit_is_fitting_with_that_pruning(pruning):
    X, y = overlapping(11, n=200, k=3)
    limits = {"min_samples_split": 2, "min_impurity": 0.0}
    later = SeparatorTreeClassifier(**limits, pruning=None).fit(X, y)
    at_once = SeparatorTreeClassifier(**limits, pruning=pruning, confidence=0.1).fit(X, y)
    grown = later.unpruned_tree_
    same_tree(later.prune(pruning, confidence=0.1).tree_, at_once.tree_)
    assert later.unpruned_tree_ is grown


@pytest.mark.parametrize("seed", range(3))
def test_cross_validation_cuts_a_tree_of_noise_to_its_root(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(600, 3)), rng.random(600) < 0.3
    whole = SeparatorTreeClassifier(min_samples_split=2, pruning=None).fit(X, y)
    assert whole.n_leaves_ > 5
    assert whole.prune("cost_complexity").n_leaves_ == 1


def test_a_copy_prunes_pessimistically_but_cannot_cross_validate():
    X, y = overlapping(0)
    copy = pickle.loads(pickle.dumps(SeparatorTreeClassifier().fit(X, y)))
    assert copy.prune("pessimistic", 0.01).n_leaves_ >= 1
    with pytest.raises(AttributeError, match="no training rows"):
        copy.prune("cost_complexity")


# A budget of features


@settings(max_examples=25)
@given(SEEDS, st.integers(1, 4))
def test_a_tree_never_exceeds_its_budget_of_features(seed, budget):
    X, y = make_classification(
        n_samples=120, n_features=8, n_informative=6, n_redundant=0, random_state=seed
    )
    model = SeparatorTreeClassifier(
        SparseSeparator(error_increase=0.0),
        max_splits=4,
        min_samples_split=2,
        max_features_total=budget,
        pruning=None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert 1 <= model.fit(X, y).n_features_used_ <= budget


def test_features_in_use_are_free_to_later_splits():
    X, y = load_breast_cancer(return_X_y=True)
    limits = {"min_samples_split": 2, "min_impurity": 0.0, "pruning": None, "max_splits": 5}
    separator = SparseSeparator(n_features=3)
    free = SeparatorTreeClassifier(separator, **limits).fit(X, y)
    tight = SeparatorTreeClassifier(separator, **limits, max_features_total=4).fit(X, y)
    assert tight.n_features_used_ <= 4 < free.n_features_used_
    assert tight.score(X, y) > 0.93


# Words


def test_the_text_says_decisions_with_names_in_units_of_the_user():
    X = pd.DataFrame({"weight (kg)": [50.0, 60, 70, 80], "noise": [0.1, 0.3, 0.2, 0.1]})
    model = SeparatorTreeClassifier(SparseSeparator()).fit(X, ["light", "light", "heavy", "heavy"])
    assert model.to_text(graded=False).splitlines() == [
        "if weight (kg) > 65: heavy (2 rows)",
        "otherwise: light (2 rows)",
    ]


def test_largest_standardized_weights_come_first():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.assign(**{"petal width (m)": X.pop("petal width (cm)") / 100})
    model = SeparatorTreeClassifier(max_splits=1, pruning=None).fit(X, y)
    lines = model.to_text(graded=False).splitlines()
    assert lines[0] == "scores"
    virginica = 1 + model.class_order_.tolist().index(2)  # planes stand in the order of classes
    assert lines[virginica].strip().startswith(f"({virginica}) ")
    assert lines[virginica].split()[2:5] == ["petal", "width", "(m)"]


# Bad input and pathologies


def test_constant_features_make_one_leaf():
    model = SeparatorTreeClassifier().fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert model.n_leaves_ == 1
    assert model.predict([[5.0, 5.0]]) == [0]


def test_equal_rows_of_different_classes_end_in_one_leaf():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    y = np.array([0, 1] * 5 + [1] * 10)
    model = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.0, pruning=None).fit(X, y)
    assert model.n_leaves_ == 2
    assert model.tree_.class_weights[model.apply([[0.0]])].tolist() == [[5.0, 5.0]]


def test_two_rows_are_separated():
    model = SeparatorTreeClassifier(pruning=None).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.1], [0.9]]).tolist() == ["a", "b"]


def test_one_class_is_a_leaf():
    model = SeparatorTreeClassifier().fit([[0.0], [1.0]], ["a", "a"])
    assert (model.n_leaves_, model.to_text()) == (1, "a 100% (2 rows)")


def test_a_class_with_one_row_is_found():
    X, y = load_iris(return_X_y=True)
    X, y = np.vstack([X, [[100.0, 100.0, 100.0, 100.0]]]), np.append(y, 3)
    model = SeparatorTreeClassifier(min_samples_split=2, pruning=None).fit(X, y)
    assert model.predict([[100.0] * 4]) == [3]


def test_two_thousand_features_are_no_obstacle():
    X, y = make_classification(n_samples=60, n_features=2000, n_informative=20, random_state=0)
    model = SeparatorTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0


def test_two_planes_at_once_separate_three_classes_in_a_tree():
    """One class is in the middle of a strip, where no single plane separates it from the rest."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(150, 2))
    y = np.where(np.abs(X[:, 0]) < 0.4, "strip", np.where(X[:, 1] > 0, "up", "down"))
    model = SeparatorTreeClassifier(BilinearSeparator(), pruning=None, min_impurity=0.0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.n_decisions == 2
    assert model.multi_class_ is False


def test_one_class_against_the_rest_does_not_depend_on_the_names_of_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["b", "c", "a"])
    separator = BilinearSeparator(max_restarts=0)
    model = SeparatorTreeClassifier(separator).fit(X, y)
    named = SeparatorTreeClassifier(separator).fit(X, names[y])
    assert np.array_equal(names[model.predict(X)], named.predict(X))


def test_a_bad_parameter_of_the_separator_is_reported():
    X, y = overlapping(0)
    with pytest.raises(ValueError, match=r"'perturbation' .* must be"):
        SeparatorTreeClassifier(RobustSeparator(perturbation=2.0)).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"max_splits": -1},
            "'max_splits' parameter of SeparatorTreeClassifier must be a whole number "
            "of at least 0",
        ),
        (
            {"max_splits": 2.5},
            "'max_splits' parameter of SeparatorTreeClassifier must be a whole number",
        ),
        ({"min_samples_split": -1}, "'min_samples_split' parameter .* must be a number"),
        ({"min_impurity": "no"}, "'min_impurity' parameter .* must be a number"),
        (
            {"pruning": "much"},
            "'pruning' parameter .* must be 'pessimistic', 'standard_error', 'cost_complexity'",
        ),
        ({"confidence": 0.0}, "confidence"),
        ({"max_features_total": 3}, "SparseSeparator"),
        (
            {"max_features_total": 0},
            "'max_features_total' parameter .* must be a whole number of at least 1",
        ),
        ({"costs": [[0, 1]]}, "a row and a column for each of 2 classes"),
        ({"costs": [[1, 1], [1, 1]]}, "0 on the diagonal"),
        ({"costs": [[0, -1], [1, 0]]}, "positive elsewhere"),
        ({"class_weight": {7: 2.0}}, "class_weight names the classes"),
        ({"class_weight": {0: -2.0}}, "class_weight must hold positive numbers"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = overlapping(0)
    with pytest.raises(ValueError, match=message):
        SeparatorTreeClassifier(**parameters).fit(X, y)


def test_what_is_fitted_agrees_with_the_tree():
    X, y = load_iris(return_X_y=True)
    model = SeparatorTreeClassifier().fit(X, y)
    tree = model.tree_
    assert isinstance(tree, Tree)
    assert model.get_n_leaves() == model.n_leaves_ == tree.n_leaves
    assert model.get_depth() == tree.depth
    assert model.n_terms_ == sum(s.n_terms for s in tree.splits if s is not None)
    assert (tree.n_branches[model.apply(X)] == 0).all()
    assert np.array_equal(model.predict(X), model.classes_[tree.predicted[model.apply(X)]])


def test_the_order_of_terms_in_the_text_counts_a_repeated_row_as_a_weight():
    """Repeated rows were merged, and then each of them counted with the weight of all."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    X[0] = [9.0, 0.0]
    weight = np.append(6, np.ones(11, dtype=int))
    weighted = SeparatorTreeClassifier().fit(X, y, sample_weight=weight)
    repeated = SeparatorTreeClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert repeated._scales == pytest.approx(weighted._scales)
    deviation = np.repeat(X, weight, axis=0).std(axis=0)
    assert [repeated._scales[j, -1] for j in range(2)] == pytest.approx(deviation)
