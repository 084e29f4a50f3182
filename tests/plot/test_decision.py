"""Pictures of decisions and paths: what is drawn lies where the model says."""

import numpy as np
import pandas as pd
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402

from planetree import RobustSeparator, SparseSeparator, plot  # noqa: E402


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.resize(["no", "yes"], 100)
    X = rng.normal(size=(100, 5)) + (y == "yes")[:, None] * [2.0, 1.5, 1.0, 0.5, 0.0]
    return pd.DataFrame(X, columns=list("abcde")), y


def test_one_feature_is_drawn_with_its_threshold(rows):
    model = SparseSeparator(n_features=1).fit(*rows)
    ax = plot.decision(model, *rows)
    threshold = ax.lines[0].get_xdata()[0]
    at = pd.DataFrame(0.0, index=range(2), columns=rows[0].columns)
    at.iloc[:, model.features_[0]] = [threshold - 1e-6, threshold + 1e-6]
    assert model.decision_function(at) == pytest.approx([0.0, 0.0], abs=1e-4)
    assert ax.get_xlabel() == "abcde"[model.features_[0]]
    assert sum(patch.get_height() for patch in ax.patches) == 100


def test_the_curve_of_a_decision_is_its_probability_and_the_band_its_gray_zone(rows):
    model = SparseSeparator(n_features=1).fit(*rows)
    ax = plot.decision(model, *rows)
    (beside,) = [each for each in ax.figure.axes if each is not ax]
    at, curve = beside.lines[0].get_data()
    X = pd.DataFrame(0.0, index=range(len(at)), columns=rows[0].columns)
    X.iloc[:, model.features_[0]] = at
    assert curve == pytest.approx(model.predict_proba(X)[:, 1])
    (band,) = beside.patches
    ends = np.array([band.get_x(), band.get_x() + band.get_width()])
    scores = model.decision_function(X.iloc[:2].assign(**{ax.get_xlabel(): ends}))
    assert np.abs(scores) == pytest.approx(np.log(9) * model.curve_.spread)


def test_points_of_calibration_lie_where_the_rows_are(rows):
    y = rows[1]
    shares = np.column_stack([np.full(100, 0.75), np.full(100, 0.25)])
    shares[:40] = 0.5
    ax = plot.calibration(y, shares)
    points = [line.get_xydata()[0].tolist() for line in ax.lines if line.get_marker() == "o"]
    assert points == [[0.25, 0.5], [0.5, 0.5]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("probability of yes", "share of yes")
    with pytest.raises(ValueError, match=r"shape \(100, 2\)"):
        plot.calibration(y, shares[:, :1])


def test_two_features_are_drawn_with_the_line_where_the_score_is_0(rows):
    model = SparseSeparator(n_features=2).fit(*rows)
    ax = plot.decision(model, *rows)
    line = ax.lines[0]
    points = np.zeros((2, 5))
    points[:, model.features_] = [line.get_xy1(), line.get_xy2()]
    scores = model.decision_function(pd.DataFrame(points, columns=rows[0].columns))
    assert scores == pytest.approx([0.0, 0.0], abs=1e-9)
    drawn = np.concatenate([part.get_offsets() for part in ax.collections])
    assert len(drawn) == 100
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]


def test_three_features_are_drawn_in_space(rows):
    model = SparseSeparator(n_features=3).fit(*rows)
    ax = plot.decision(model, *rows)
    assert ax.name == "3d"
    assert {ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()} == {
        "abcde"[j] for j in model.features_
    }


def test_more_features_and_categories_are_drawn_by_their_scores(rows):
    X, y = rows
    assert plot.decision(RobustSeparator().fit(X, y), X, y).get_xlabel() == "score"
    word = pd.DataFrame({"word": pd.Categorical(np.where(X["a"] > 1, "p", "q"))})
    assert plot.decision(SparseSeparator().fit(word, y), word, y).get_xlabel() == "score"


def test_several_planes_are_refused(rows):
    X, _ = rows
    y = np.resize([0, 1, 2], 100)
    with pytest.raises(ValueError, match="draws one plane, but RobustSeparator has 3"):
        plot.decision(RobustSeparator().fit(X, y), X, y)


def test_the_path_is_drawn_on_the_axes_given(rows):
    path = SparseSeparator().feature_path(*rows)
    ax = plt.subplots()[1]
    assert plot.feature_path(path, ax=ax) is ax
    assert np.array_equal(ax.lines[0].get_xdata(), path.n_features)
    assert np.array_equal(ax.lines[0].get_ydata(), path.errors)
