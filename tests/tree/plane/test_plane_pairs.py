"""Two planes in one decision: problems in which no single plane tells anything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from planetree import PlaneTreeClassifier
from planetree.planes import Planes
from planetree.table import Column
from planetree.tree.impurity import entropy
from planetree.tree.plane.plane_pairs import plane_pairs
from planetree.tree.plane.rounding import round_planes
from planetree.words import Wording

pytestmark = pytest.mark.core

SEEDS = range(20, 23)


def noisy(truth, rng, share=0.05):
    return truth ^ (rng.random(len(truth)) < share)


def exclusive_or(X):
    return X[:, 0] * X[:, 1] > 0


def interval(X):
    return np.abs(X[:, 0] + X[:, 1]) < 0.8


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("truth", [exclusive_or, interval])
def test_two_planes_find_what_no_plane_tells(truth, seed):
    """Greedy cuts divide the noise instead, and prune what they divided."""
    rng = np.random.default_rng(seed)
    X, more = rng.normal(size=(400, 8)), rng.normal(size=(2000, 8))
    model = PlaneTreeClassifier().fit(X, noisy(truth(X), rng))
    greedy = DecisionTreeClassifier(max_leaf_nodes=max(2, model.n_leaves_), random_state=0)
    greedy.fit(X, noisy(truth(X), rng))
    assert model.score(more, truth(more)) > 0.85
    assert model.score(more, truth(more)) > greedy.score(more, truth(more)) + 0.05


def test_exclusive_or_is_said_in_one_line():
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0], size=(200, 3))
    first, *rest = PlaneTreeClassifier().fit(X, X[:, 0] == X[:, 1]).to_text().splitlines()
    said, _, answer = first.partition(" (unsure between ")
    tests = said.removeprefix("if ").removesuffix(", or neither").split(" and ")
    assert sorted(tests) == ["x0 > 0.5", "x1 > 0.5"]
    assert "): True 99" in answer
    assert len(rest) == 1


def test_counting_is_learned_from_an_interval_of_a_sum():
    """Exactly two of five: no first cut of a column pays."""
    rng = np.random.default_rng(1)
    X = rng.choice([0.0, 1.0], size=(300, 5))
    y = X.sum(axis=1) == 2
    model = PlaneTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_terms_ <= 10


def test_noise_alone_is_seldom_divided():
    divided = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model = PlaneTreeClassifier().fit(rng.normal(size=(200, 10)), rng.random(200) < 0.5)
        divided += model.n_leaves_ > 1
    assert divided <= 1


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 3))
def test_a_pair_leaves_what_it_says(seed, n_classes):
    rng = np.random.default_rng(seed)
    E, codes = rng.integers(0, 6, size=(60, 4)) * 1.0, rng.integers(0, n_classes, size=60)
    classes = np.eye(n_classes)[codes] * rng.uniform(0.5, 2.0, size=60)[:, None]
    found = list(plane_pairs(E, codes == 0, classes, np.arange(4), 3, 2.0))
    assert {pair.rule for pair in found} <= {"both", "same_side"}
    for pair in found:
        branch = Planes(pair.weights, pair.offsets, pair.rule, pair.terms).branch(E)
        sides = np.array([classes[branch == b].sum(axis=0) for b in (0, 1)])
        assert sides.sum(axis=1).min() >= 2.0
        assert pair.entropy == pytest.approx(entropy(sides).sum(), abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(["both", "same_side"]))
def test_rounded_pairs_send_rows_the_same_way(seed, rule):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    weights = rng.normal(size=(2, 3))
    planes = Planes(weights, np.median(X @ weights.T, axis=0) + 1e-3, rule)
    assert np.array_equal(round_planes(planes, X).branch(X), planes.branch(X))


def test_an_interval_is_said_from_the_side_on_which_its_first_term_is_added():
    weights = np.array([-2.0, 1.0])
    planes = Planes([weights, -weights], [-5.0, -1.0], "both")
    words = Wording([Column("a"), Column("b")]).decision(planes)
    assert words.conditions == ("not -1 < 2 a - b < 5", "-1 < 2 a - b < 5")
    rows = np.array([[1.0, 0.0], [4.0, 0.0], [-1.0, 0.0]])
    assert planes.branch(rows).tolist() == [1, 0, 0]


def test_a_plane_is_said_from_the_side_on_which_its_first_term_is_added():
    words = Wording([Column("a"), Column("b")]).decision(Planes([[-2.0, 1.0]], [-5.0]))
    assert words.conditions == ("2 a - b >= 5", "2 a - b < 5")
