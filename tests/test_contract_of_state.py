"""A fit changes all of an estimator or nothing, and what it decided no parameter changes later."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import KNeighborsClassifier
from test_contract import (
    ESTIMATORS,
    answer,
    every_estimator,
    fitted,
    numbers,  # noqa: F401
    twin,
)

import planetree
from planetree import (
    C45Classifier,
    FloatingSelector,
    GeneticSelector,
    HoldoutTreeClassifier,
    PlaneTreeClassifier,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
    convert,
)
from planetree.tree import Explanations, explain, fitted_tree
from planetree.tree.score_sheet.score_sheet import ScoreSheet

pytestmark = pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")

COSTS = [[0.0, 9.0], [1.0, 0.0]]
WITH_COSTS = [
    PlaneTreeClassifier(costs=COSTS),
    SeparatorTreeClassifier(costs=COSTS),
    RobustSeparator(costs=COSTS),
    QuadraticSeparator(costs=COSTS),
    SparseSeparator(RobustSeparator(costs=COSTS), n_features=2),
    GeneticSelector(
        PlaneTreeClassifier(costs=COSTS), n_evaluations=3, cv=2, finish="published", random_state=0
    ),
    HoldoutTreeClassifier(separator=SparseSeparator(n_features=2)),
    FloatingSelector(C45Classifier(), n_features_to_select=2),
]
in_every_setting = pytest.mark.parametrize("estimator", [*ESTIMATORS, *WITH_COSTS], ids=repr)


def same_state(model, before):
    """Whether the attributes of a model are the very objects that they were."""
    now = vars(model)
    return list(now) == list(before) and all(now[name] is before[name] for name in before)


def fail_late(model, monkeypatch, failure):
    """Make a fit fail at the last attribute that it sets, when all others are set already."""
    fitted = [name for name in vars(model) if name.endswith("_")]
    last = fitted[-1]

    def refuse(self, name, value):
        object.__setattr__(self, name, value)
        if name == last:
            raise failure

    monkeypatch.setattr(type(model), "__setattr__", refuse, raising=False)


@every_estimator
def test_a_refit_that_refuses_its_data_changes_nothing(estimator, numbers):  # noqa: F811
    """The classes of the refused table once stood beside the planes of the last one."""
    X, y = numbers
    model, _ = fitted(estimator)
    before, answers = dict(vars(model)), answer(model, X)
    labels = np.where(y == "yes", "new", "old")
    for rows, given in ((X[:, :2], labels[:-1]), (X[:, :2] * np.inf, labels)):
        with pytest.raises(ValueError):
            model.fit(rows, given)
    assert same_state(model, before)
    assert np.array_equal(answer(model, X), answers)


@every_estimator
def test_a_fit_that_is_interrupted_late_changes_nothing(
    estimator,
    numbers,  # noqa: F811
    monkeypatch,
):
    """An interrupt and exhausted memory are no ordinary errors, and come at any time."""
    X, y = numbers
    (model, _), fresh = fitted(estimator), clone(estimator)
    before, untouched, answers = dict(vars(model)), dict(vars(fresh)), answer(model, X)
    labels = np.where(y == "yes", "new", "old")
    for each, failure in ((model, KeyboardInterrupt), (fresh, MemoryError)):
        fail_late(model, monkeypatch, failure)
        with pytest.raises(failure):
            each.fit(X[:, :4], labels)
        monkeypatch.undo()
    assert same_state(model, before)
    assert same_state(fresh, untouched)
    assert np.array_equal(answer(model, X), answers)


def test_pruning_that_fails_changes_nothing(numbers, monkeypatch):  # noqa: F811
    X, y = numbers
    model = C45Classifier().fit(X, y)
    before = dict(vars(model))
    late = C45Classifier.__setattr__

    def refuse(self, name, value):
        late(self, name, value)
        if name == "confidence_":
            raise KeyboardInterrupt

    monkeypatch.setattr(C45Classifier, "__setattr__", refuse, raising=False)
    with pytest.raises(KeyboardInterrupt):
        model.prune_to(0.9)
    monkeypatch.undo()
    assert same_state(model, before)


def test_a_batch_that_fails_is_not_among_the_rows(numbers):  # noqa: F811
    X, y = numbers
    model, other = QuadraticSeparator(l2=0.1), QuadraticSeparator(l2=0.1)
    for each in (model, other):
        each.partial_fit(X[:40], y[:40], classes=["no", "yes"])
    before = dict(vars(model))
    with pytest.raises(ValueError):
        model.partial_fit(X[40:], np.full(len(y) - 40, "maybe"))
    assert same_state(model, before)
    for each in (model, other):
        each.partial_fit(X[40:], y[40:])
    assert np.array_equal(model.coef_, other.coef_)


@every_estimator
def test_a_refit_leaves_nothing_of_the_last_fit(estimator, numbers):  # noqa: F811
    """Attributes that only some settings or frames set were left over from an earlier fit."""
    X, y = numbers
    model, _ = fitted(estimator)
    attributes = set(vars(model))
    model.left_over_ = "by an earlier version of the settings"
    if hasattr(model, "unpruned_tree_"):
        assert model.unpruned_tree_ is not None
    model.fit(X, y)
    assert set(vars(model)) == attributes


@every_estimator
def test_a_fit_leaves_the_estimators_it_is_given_alone(estimator, numbers):  # noqa: F811
    X, y = numbers
    model = clone(estimator)
    given = {name: value for name, value in model.get_params(deep=False).items()}
    inner = {n: dict(vars(v)) for n, v in given.items() if isinstance(v, BaseEstimator)}
    model.fit(X, y)
    for name, value in model.get_params(deep=False).items():
        assert value is given[name]
        if name in inner:
            assert same_state(value, inner[name])


def test_a_path_of_features_leaves_a_fitted_model_alone(numbers):  # noqa: F811
    """`feature_path` reads rows as `fit` does, and once put their classes into the model."""
    X, y = numbers
    model = SparseSeparator().fit(X, y)
    before = dict(vars(model))
    model.feature_path(X[:, :3], np.where(y == "yes", 1, 0))
    assert same_state(model, before)


METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "apply",
    "decision_path",
    "explain",
    "near_equal",
    "predict_or_ask",
    "transform",
    "get_support",
    "get_feature_names_out",
    "get_depth",
    "get_n_leaves",
    "score",
    "inverse_transform",
    "to_text",
    "prune",
    "prune_to",
    "select",
    "round_weights",
    "to_score_sheet",
)
EXEMPT = {  # they read parameters by right: they are about them, or they fit
    "fit",
    "partial_fit",
    "recount",  # of a table in parts
    "fit_transform",
    "feature_path",
    "tuned_n_features",
    "make_program",
    "get_params",
    "set_params",
    "get_metadata_routing",
    "set_fit_request",
    "set_partial_fit_request",
    "set_score_request",
    "set_output",
    "set_callbacks",
    "describe",  # the deprecated alias of to_text, which warns
}
ARGUMENTS = {"prune_to": (0.5,), "select": (2,)}


def plain(value):
    """An answer as something that `==` compares."""
    if isinstance(value, BaseEstimator):
        return plain(value.tree_.class_weights)
    if isinstance(value, ScoreSheet):
        shares = np.linspace(0.0, 1.0, 101)
        return value.to_csv(), plain(value.answers(np.column_stack([shares, 1.0 - shares])))
    if isinstance(value, Explanations):
        return repr([value[0], value.counterfactuals(), value.robustness()])
    if hasattr(value, "toarray"):
        value = value.toarray()
    return value.tolist() if isinstance(value, np.ndarray) else repr(value)


def answer_of(method, given):
    """What a method says; of products of columns also that it refuses."""
    try:
        return plain(method(*given))
    except ValueError as error:
        if "multiplies columns" not in str(error):
            raise
        return str(error)


def answers_of(model, X, y):
    """What every method and property of a fitted model says, by name."""
    found, rows = {}, model.transform(X) if hasattr(model, "transform") else None
    for name in METHODS:
        if not callable(getattr(type(model), name, None)) or not hasattr(model, name):
            continue
        method = getattr(twin(model) if name.startswith("prune") else model, name)
        given = ARGUMENTS.get(name, ())
        names = list(inspect.signature(method).parameters)
        if name == "score":
            given = (X, y)
        elif name == "inverse_transform":
            given = (rows,)
        elif names[:1] == ["X"]:
            given = (X,)
        found[name] = answer_of(method, given)
    for name, member in inspect.getmembers(type(model)):
        if isinstance(member, property) and not name.startswith("_"):
            found[name] = plain(getattr(model, name))
    return found


def readings_of(model, X, y, path):
    """What the rest of the library reads in a fitted classifier: exports, rules, report, words."""
    found = {}
    try:
        missing = "majority" if fitted_tree(model).missing else None
    except TypeError:
        return found  # neither a tree nor planes
    for name in ("to_sql", "to_python", "to_c", "to_rules"):
        found[name] = str(getattr(convert, name)(model, missing=missing))
    found["to_network"] = repr(convert.to_network(model))
    found["report"] = planetree.report(model, X, y, path).read_text()
    found["explain"] = [repr(explain(model, X, row)) for row in (0, 7)]
    found["tags"] = repr(model.__sklearn_tags__())
    return found


def without_parameters(model):
    """The same model after every parameter was set to something that has no meaning."""
    kept = {"n_jobs", "verbose"}
    names = [name for name in model.get_params(deep=False) if name not in kept]
    return model.set_params(**{name: object() for name in names})


@in_every_setting
def test_no_parameter_changes_what_a_fitted_model_says(
    estimator,
    numbers,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    """After `set_params(costs=...)` predictions, exports and the report once disagreed."""
    monkeypatch.setattr("planetree.reporting.sections._parameters", lambda model: [])  # as repr
    X, y = numbers
    model, _ = fitted(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said, read = answers_of(model, X, y), readings_of(model, X, y, tmp_path / "report.html")
        without_parameters(model)
        assert answers_of(model, X, y) == said
        assert readings_of(model, X, y, tmp_path / "report.html") == read


@pytest.mark.parametrize("kind", sorted({type(each) for each in ESTIMATORS}, key=repr))
def test_every_public_method_is_called_above(kind):
    members = inspect.getmembers(kind, callable)
    public = {name for name, _ in members if not name.startswith("_")}
    assert public <= {*METHODS, *EXEMPT}


@pytest.mark.parametrize("estimator", WITH_COSTS[:2], ids=repr)
def test_exports_and_predictions_keep_the_costs_of_the_fit(estimator, numbers):  # noqa: F811
    X, y = numbers
    model = clone(estimator).fit(X, y)
    before, fitted = model.predict(X), fitted_tree(model)
    model.set_params(costs=[[0.0, 1.0], [50.0, 0.0]])
    assert np.array_equal(model.predict(X), before)
    assert np.array_equal(fitted_tree(model).costs, fitted.costs)
    assert np.array_equal(fitted_tree(model).codes, fitted.codes)


def test_a_selector_takes_missing_values_as_at_its_fit(numbers):  # noqa: F811
    X, y = numbers
    X = X.copy()
    X[3, 0] = np.nan
    model = FloatingSelector(C45Classifier(), n_features_to_select=2).fit(X, y)
    kept = model.transform(X)
    model.set_params(estimator=KNeighborsClassifier())
    assert np.array_equal(model.transform(X), kept, equal_nan=True)


def test_a_warning_of_a_fit_names_the_line_that_called_it(numbers):  # noqa: F811
    """What restores the state after a failure stands between the caller and the fit."""
    X, y = numbers
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        C45Classifier().fit(np.where(X > 1, -999.0, X), y)
        C45Classifier().fit(X, y[:, None])
    assert [each.filename for each in found] == [__file__, __file__]
