"""Trees inside scikit-learn's tools, and what they say of themselves to its users."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import planetree
from planetree import C45Classifier, PlaneTreeClassifier


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def tree(iris):
    return PlaneTreeClassifier().fit(*iris)


def test_importances_are_shares_of_the_columns_that_are_read(tree):
    shares = tree.feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert np.flatnonzero(shares).tolist() == tree.features_used_.tolist()
    names = tree.feature_names_in_[tree.features_used_].tolist()
    assert tree.feature_names_used_ == names


def test_importances_of_an_unpruned_axis_tree_are_those_of_mutual_information():
    """Two independent columns that decide two bits of the class each tell half of its entropy."""
    X = np.array([[a, b, 7.0] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 5)
    y = 2 * X[:, 0] + X[:, 1]
    model = C45Classifier(prune=False).fit(X, y)
    np.testing.assert_allclose(model.feature_importances_, [0.5, 0.5, 0.0])
    leaf = PlaneTreeClassifier(size="smallest").fit([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1])
    assert leaf.feature_importances_.tolist() == [0.0]


def test_importances_select_columns(iris):
    chosen = SelectFromModel(C45Classifier()).fit(*iris)
    kept = chosen.estimator_.feature_importances_ >= chosen.threshold_
    assert chosen.get_support().tolist() == kept.tolist()


def test_a_grid_is_searched_over_size(iris):
    search = GridSearchCV(PlaneTreeClassifier(), {"size": ["balanced", "smallest"]}, cv=3)
    best = search.fit(*iris).best_estimator_
    scores = [
        cross_val_score(PlaneTreeClassifier(size=s), *iris, cv=3).mean()
        for s in ("balanced", "smallest")
    ]
    assert search.best_score_ == pytest.approx(max(scores))
    assert best.size == ["balanced", "smallest"][int(np.argmax(scores))]


def test_calibration_and_stacking_take_trees(iris):
    X, y = iris
    calibrated = CalibratedClassifierCV(C45Classifier(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    stacked = StackingClassifier(
        [("plane", PlaneTreeClassifier()), ("c45", C45Classifier())],
        LogisticRegression(max_iter=1000),
        cv=3,
    )
    assert stacked.fit(X, y).score(X, y) > 0.9
    assert stacked.transform(X).shape == (150, 6)


def test_permutation_and_partial_dependence_see_only_what_is_read(iris, tree):
    X, y = iris
    read = tree.features_used_
    found = permutation_importance(tree, X, y, n_repeats=2, random_state=0).importances_mean
    unread = np.setdiff1d(np.arange(4), read)
    assert found[unread].tolist() == [0.0] * len(unread)
    assert found[read].max() > 0
    for column in range(4):
        curves = partial_dependence(tree, X, [column], grid_resolution=5)["average"]
        assert (np.ptp(curves, axis=1).max() > 0) == (column in read)


def test_weights_are_routed_and_output_is_set(iris):
    X, y = iris
    weights = np.where(y == 2, 1.0, 0.0) + (y == 1)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = C45Classifier().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scaler, tree).set_output(transform="pandas")
        pipe.fit(X, y, sample_weight=weights)
    assert pipe[-1].classes_.tolist() == [1, 2]  # rows of weight 0 are no rows
    assert pipe[-1].feature_names_in_.tolist() == X.columns.tolist()


def test_explanations_are_a_method_of_the_model(iris, tree):
    X, _ = iris
    found = tree.explain(X.iloc[[0, 60]])
    assert len(found) == 2
    assert "petal" in str(found[0])


def test_a_notebook_shows_the_tree_in_words_without_a_script_of_ours(tree):
    shown = tree._repr_mimebundle_()["text/html"]
    words = shown.split("<pre>")[-1]
    assert "petal" in words
    assert "<script" not in words


def test_dir_shows_public_names_only():
    assert set(dir(planetree)) == {
        *planetree.__all__,
        *("convert", "datasets", "exceptions", "plot", "__version__"),
    }
