"""The picture of a tree: every node is there, its rows are counted, and one way stands out."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402

from planetree import (  # noqa: E402
    BilinearSeparator,
    C45Classifier,
    MultisurfaceClassifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    RobustSeparator,
    plot,
)
from planetree.plot.tree import _HIGHLIGHT as HIGHLIGHT  # noqa: E402


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["$a_{", "_b", "c$"])
    X["color"] = pd.Categorical(rng.choice(["red", "green", "blue"], 200))
    y = np.where((X["$a_{"] > 0) ^ (X["color"] == "red"), "_yes", "$no")
    return X, y


def cards(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def ways(ax):
    return [patch for patch in ax.patches if isinstance(patch, PathPatch)]


def is_on(patch):
    return patch.get_edgecolor() == matplotlib.colors.to_rgba(HIGHLIGHT)


@pytest.mark.parametrize("make", [C45Classifier, PlaneTreeClassifier])
def test_every_node_has_a_card_and_every_child_a_way(make, rows):
    model = make().fit(*rows)
    tree = model.tree_
    ax = plot.tree(model, *rows)
    ax.figure.canvas.draw()
    assert len(cards(ax)) == tree.n_nodes > 3
    assert len(ways(ax)) == tree.n_nodes - 1


def test_cards_of_one_level_do_not_overlap(rows):
    ax = plot.tree(C45Classifier(prune=False).fit(*rows), *rows)
    boxes = [(card.get_x(), card.get_y(), card.get_height()) for card in cards(ax)]
    for level in {x for x, _, _ in boxes}:
        column = sorted((y, height) for x, y, height in boxes if x == level)
        for (low, height), (next_low, _) in pairwise(column):
            assert low + height < next_low


def test_the_way_of_a_row_is_highlighted(rows):
    model = C45Classifier().fit(*rows)
    ax = plot.tree(model, *rows, row=7)
    path = model.decision_path(rows[0].iloc[[7]])
    assert sum(map(is_on, cards(ax))) == path.sum()
    assert sum(map(is_on, ways(ax))) == path.sum() - 1
    assert not any(map(is_on, cards(plot.tree(model, *rows))))


def test_what_lies_below_the_depth_limit_is_summed_up(rows):
    model = C45Classifier().fit(*rows)
    ax = plot.tree(model, *rows, max_depth=1)
    n_children = len(model.tree_.children_of(0))
    assert len(cards(ax)) == 1 + n_children
    below = [t.get_text() for t in ax.texts if t.get_text().endswith(" leaves")]
    assert sum(int(text.split()[0]) for text in below) >= model.n_leaves_ - n_children + len(below)
    assert len(cards(plot.tree(model, *rows, max_depth=0))) == 1


def test_the_stripe_of_a_node_is_divided_as_its_rows(rows):
    X, y = rows
    ax = plot.tree(PlaneTreeClassifier(max_splits=0).fit(X, y), X, y)
    stripes = [patch for patch in ax.patches if type(patch) is Rectangle]
    wide = np.array([stripe.get_width() for stripe in stripes])
    assert wide / wide.sum() == pytest.approx([np.mean(y == "$no"), np.mean(y == "_yes")])


def test_names_are_drawn_as_they_are(rows):
    ax = plot.tree(C45Classifier().fit(*rows), *rows)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$no", "_yes"]
    two = rows[0][["$a_{", "_b"]], rows[1]
    ax = plot.decision(RobustSeparator().fit(*two), *two)
    ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$a_{", "_b")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$no", "_yes"]


@pytest.mark.parametrize("make", [RobustSeparator, BilinearSeparator, MultisurfaceClassifier])
def test_planes_of_every_rule_are_drawn(make):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    ax = plot.tree(make().fit(X, y), X, y)
    ax.figure.canvas.draw()
    assert len(cards(ax)) >= 3


def test_a_decision_of_a_tree_is_drawn_with_the_rows_that_come_there(rows):
    X = rows[0][["$a_{", "_b", "c$"]]
    y = np.digitize(X["$a_{"], [-0.5, 0.5])
    model = C45Classifier(prune=False).fit(X, y)
    node = int(np.flatnonzero(model.tree_.n_branches)[1])
    ax = plot.decision(model, X, y, node=node)
    drawn = sum(patch.get_height() for patch in ax.patches)
    assert drawn == model.decision_path(X)[:, node].sum() < 200
    assert ax.lines[0].get_xdata()[0] == pytest.approx(model.tree_.splits[node].offsets[0])


def test_what_cannot_be_drawn_is_refused(rows):
    X, y = rows
    model = C45Classifier().fit(X, y)
    leaf = int(np.flatnonzero(model.tree_.n_branches == 0)[0])
    with pytest.raises(ValueError, match=f"but it is {leaf}"):
        plot.decision(model, X, y, node=leaf)
    with pytest.raises(ValueError, match="'max_depth' parameter must be"):
        plot.tree(model, X, y, max_depth=-1)
    with pytest.raises(ValueError, match="one of the 200 rows"):
        plot.tree(model, X, y, row=200)
    with pytest.raises(ValueError, match="y holds 'z'"):
        plot.tree(model, X, np.where(y == "$no", "z", y))
    small, labels = [[0.0, 5.0], [1.0, 0.0], [4.0, 4.0], [5.0, 1.0]], ["a", "a", "b", "b"]
    with pytest.raises(TypeError, match="neither a tree nor planes"):
        plot.tree(PairwiseSelector().fit(small, labels), small, labels)


def test_a_large_tree_is_folded_unless_told_otherwise():
    """One of 98 leaves made a figure of 113 inches."""
    X, y = load_digits(return_X_y=True)
    model = C45Classifier().fit(X[:600], y[:600])
    assert model.n_leaves_ > 40
    axes = plot.tree(model, X[:600], y[:600])
    assert axes.get_ylim()[0] <= 40
    assert any("leaves" in text.get_text() for text in axes.texts)


def test_columns_that_do_not_count_have_no_bar():
    axes = plot.ranking(["a", "b", "c"], [0.0, 2.0, -1.0])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "c"]
