"""What every public estimator promises, checked for every one of them in several settings."""

import inspect
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import planetree
from planetree import (
    BiclusteringSelector,
    BilinearSeparator,
    C45Classifier,
    CentroidSelector,
    DiscriminantPowerSelector,
    FloatingSelector,
    GeneticSelector,
    GrinoldSeparator,
    HoldoutTreeClassifier,
    MaxNormSeparator,
    MisclassificationSeparator,
    MultisurfaceClassifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)

# Selectors leave out samples in conflict with a warning, and most data here is made of conflicts.
pytestmark = pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")

ESTIMATORS = [
    BilinearSeparator(max_restarts=1),
    BilinearSeparator(topology="second", algorithm="parallel", max_restarts=0),
    BilinearSeparator(topology="alternating", max_restarts=2),
    BilinearSeparator(start="thesis"),
    C45Classifier(),
    C45Classifier(confidence="cv", criterion="gain", arithmetic="double"),
    C45Classifier(prune=False, subsets=True, class_weight="balanced"),
    GeneticSelector(n_evaluations=40, population_size=10, random_state=0),
    GeneticSelector(
        n_evaluations=40,
        population_size=10,
        random_state=0,
        n_jobs=2,
        max_features=2,
        multi_objective=True,
    ),
    GeneticSelector(
        DecisionTreeClassifier(max_depth=3),
        n_evaluations=6,
        cv=2,
        finish="published",
        random_state=0,
        verbose=-1,
    ),
    DiscriminantPowerSelector(),
    DiscriminantPowerSelector(n_features_to_select=2, repeats=3, patience=2, n_jobs=2),
    FloatingSelector(KNeighborsClassifier(3), n_features_to_select="best"),
    FloatingSelector(
        KNeighborsClassifier(1), direction="backward", method="floating", cv=0.3, full_ranking=True
    ),
    FloatingSelector(GaussianNB(), method="plus_l_take_r", n_features_to_select=0.1, cv=0.3),
    GrinoldSeparator(),
    HoldoutTreeClassifier(),
    HoldoutTreeClassifier(criterion="entropy", holdout=0.5, patience=3, ties="stop"),
    HoldoutTreeClassifier(separator=RobustSeparator()),
    MaxNormSeparator(),
    MisclassificationSeparator(),
    MultisurfaceClassifier(conflicts="majority"),
    MultisurfaceClassifier(max_pairs=2, conflicts="majority"),
    MultisurfaceClassifier(normalize=False, thresholds="published", conflicts="majority"),
    PlaneTreeClassifier(),
    PlaneTreeClassifier(size="accurate", class_weight="balanced"),
    PlaneTreeClassifier(max_features_total=2, max_features_per_split=2, size=0.1),
    PlaneTreeClassifier(products="all"),
    QuadraticSeparator(),
    QuadraticSeparator(l2=0.01, weighting="uniform", warm_start=True),
    QuadraticSeparator(validation_fraction=0.2),
    QuadraticSeparator(solver="gradient_distribution", n_jobs=2),
    QuadraticSeparator(solver="gradient_distribution", partition="attributes", tol=1e-6),
    BiclusteringSelector(),
    BiclusteringSelector(separation=0.1, method="iterative"),
    BiclusteringSelector(method="exact"),
    CentroidSelector(),
    CentroidSelector(margin=0.1, max_features=2),
    CentroidSelector(principle="k_medoids"),
    PairwiseSelector(),
    PairwiseSelector(objective="features"),
    RobustSeparator(),
    RobustSeparator(weighting="uniform", perturbation=0.05),
    RobustSeparator(refine_offset=True, time_limit=60.0),
    RobustSeparator(missing="impute"),
    RobustSeparator(products="squares"),
    SeparatorTreeClassifier(),
    SeparatorTreeClassifier(pruning=None, class_weight="balanced", n_jobs=2),
    SeparatorTreeClassifier(
        SparseSeparator(), max_splits=2, pruning="cost_complexity", max_features_total=3
    ),
    SeparatorTreeClassifier(GrinoldSeparator(), max_splits=2),
    SparseSeparator(),
    SparseSeparator(n_features=2),
    SparseSeparator(RobustSeparator(perturbation=0.02), algorithm="published"),
    SparseSeparator(feature_price=0.01, exact=True),
    SparseSeparator(QuadraticSeparator(), n_features=2),
]

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
FIRST = {type(each): repr(each) for each in reversed(ESTIMATORS)}


def is_first(estimator):
    """Whether a setting is the first of its class."""
    return repr(estimator) == FIRST[type(estimator)]


def public_estimators():
    named = [getattr(planetree, name) for name in planetree.__all__]
    return [each for each in named if isinstance(each, type) and issubclass(each, BaseEstimator)]


def test_every_public_estimator_is_in_the_contract():
    assert set(public_estimators()) == {type(each) for each in ESTIMATORS}


WRAPPED = {
    "FloatingSelector": "estimator",
    "GeneticSelector": "tree",
    "SeparatorTreeClassifier": "separator",
    "SparseSeparator": "separator",
}


@pytest.mark.parametrize(
    "kind", sorted(public_estimators(), key=repr), ids=lambda each: each.__name__
)
def test_parameters_are_given_by_name_but_for_the_estimator_that_another_wraps(kind):
    named = inspect.signature(kind).parameters.values()
    places = [each.name for each in named if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert places == [WRAPPED[kind.__name__]] if kind.__name__ in WRAPPED else not places


# How rows, classes and weights are read is no matter of settings: every class has one door for
# them, which these checks try, and one setting of each class is enough for it.
OF_THE_DOOR = {
    "check_classifier_data_not_an_array",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_fit_returns_self",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_fit2d_predict1d",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
    "check_transformer_data_not_an_array",
    "check_transformer_preserve_dtypes",
}


def is_of_the_door(check):
    return check.func.__name__ in OF_THE_DOOR or "readonly_memmap" in check.keywords


def scikit_learns_checks():
    """All checks for the first setting of each class; for others those that settings decide."""
    named, cases = parametrize_with_checks(ESTIMATORS).args
    cases = [*cases]
    chosen = [
        (estimator, check)
        for estimator, check in cases
        if is_first(estimator) or not is_of_the_door(check)
    ]
    assert {type(estimator) for estimator, _ in chosen} == set(FIRST)
    unknown = OF_THE_DOOR - {check.func.__name__ for _, check in cases}
    # Version 1.6 has other names for some.
    assert not unknown or sklearn.__version__.startswith("1.6."), unknown
    return pytest.mark.parametrize(named, chosen, ids=check_name)


def check_name(value):
    """Name of a check with its options, or an estimator."""
    if not hasattr(value, "func"):
        return repr(value)
    options = ",".join(f"{name}={option}" for name, option in value.keywords.items())
    return f"{value.func.__name__}({options})" if options else value.func.__name__


def with_two_classes(estimator, y):
    """Classes as checks have them from 1.7 on: for estimators of two, the least and all others."""
    tags = get_tags(estimator).classifier_tags
    return y if tags is None or tags.multi_class else np.where(y == y.min(), y, y.min() + 1)


@scikit_learns_checks()
def test_scikit_learns_checks(estimator, check, monkeypatch):
    if sklearn.__version__.startswith("1.6."):
        # It took the class of the first row, which is another one in the table that it compares.
        monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_y", with_two_classes)
    check(estimator)


def two_classes():
    """Two classes that overlap; a continuous draw, so that the optimum is unique."""
    X, y = make_classification(
        n_samples=61, n_features=5, n_informative=3, n_redundant=0, flip_y=0.1, random_state=0
    )
    return X, np.array(["no", "yes"])[y]


@pytest.fixture
def numbers():
    return two_classes()


def named(X, frame=pd.DataFrame):
    return frame({f"column {j}": X[:, j] for j in range(X.shape[1])})


ONCE = {}


def fitted(estimator, frame=np.asarray):
    """A model of `numbers`, fitted once for all tests of a setting, and the rows it was given."""
    key = repr(estimator), frame
    if key not in ONCE:
        X, y = two_classes()
        given = X if frame is np.asarray else named(X, frame)
        ONCE[key] = clone(estimator).fit(given, y), given
    model, given = ONCE[key]
    return twin(model), given


def twin(model):
    """A copy with the training rows, which `copy` leaves out."""
    other = type(model).__new__(type(model))
    vars(other).update(vars(model))
    return other


def answer(model, X):
    """Predictions, or the selected columns of a selector that only selects."""
    return np.asarray(model.predict(X) if hasattr(model, "predict") else model.transform(X))


def agree(model, other, X, other_X):
    """Equal answers, and equal scores to rounding where there are scores."""
    assert np.array_equal(answer(model, X), answer(other, other_X))
    if hasattr(model, "decision_function"):
        scores, others = model.decision_function(X), other.decision_function(other_X)
        np.testing.assert_allclose(scores, others, rtol=1e-6, atol=1e-6)


FRAMES = [(each, pd.DataFrame) for each in ESTIMATORS]
FRAMES += [(each, pl.DataFrame) for each in ESTIMATORS if is_first(each)]  # a matter of the door


@pytest.mark.parametrize(("estimator", "frame"), FRAMES, ids=repr)
def test_frames_give_the_predictions_of_arrays(estimator, frame):
    (array_model, X), (model, rows) = fitted(estimator), fitted(estimator, frame)
    assert list(model.feature_names_in_) == list(rows.columns)
    agree(array_model, model, X, rows)


@every_estimator
def test_copies_predict_as_the_original(estimator, numbers):
    X, y = numbers
    model, _ = fitted(estimator)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for copy in (clone(model).fit(X, y), pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert repr(copy) == repr(estimator)
        assert np.array_equal(answer(copy, X), answer(model, X))


@every_estimator
def test_a_whole_weight_is_that_many_rows(estimator, numbers):
    X, y = numbers
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    agree(weighted, repeated, X, X)


@every_estimator
def test_the_order_of_rows_does_not_matter(estimator, numbers):
    X, y = numbers
    order = np.random.default_rng(0).permutation(len(y))
    agree(fitted(estimator)[0], clone(estimator).fit(X[order], y[order]), X, X)


@every_estimator
def test_fit_leaves_its_input_alone(estimator, numbers):
    model, given = fitted(estimator)
    answer(model, given)
    assert np.array_equal(given, numbers[0])


@every_estimator
def test_what_classifies_says_itself_in_words(estimator):
    if not hasattr(estimator, "predict"):
        return
    with pytest.raises(NotFittedError):
        clone(estimator).to_text()
    model, _ = fitted(estimator, pd.DataFrame)
    assert "column " in model.to_text() or model.n_leaves_ == 1
