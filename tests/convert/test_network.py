"""The network of a model says what the model says."""

import numpy as np
import pandas as pd
import pytest

from planetree import (
    BilinearSeparator,
    C45Classifier,
    GrinoldSeparator,
    MaxNormSeparator,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)
from planetree.convert import to_network, to_pytorch
from planetree.convert.network import _output_unit
from planetree.convert.network import _tree_network as tree_network
from planetree.convert.plan import plan_of
from planetree.datasets import parity

TWO_CLASSES = [
    BilinearSeparator(topology="first", max_restarts=1),
    BilinearSeparator(topology="alternating", max_restarts=1),
    C45Classifier(),
    GrinoldSeparator(),
    MaxNormSeparator(),
    MultisurfaceClassifier(),
    MultisurfaceClassifier(max_pairs=2),
    PlaneTreeClassifier(),
    RobustSeparator(),
    SeparatorTreeClassifier(BilinearSeparator(max_restarts=1), pruning=None),
    SeparatorTreeClassifier(costs=[[0, 1], [5, 0]]),
    SparseSeparator(),
]
THREE_CLASSES = [
    C45Classifier(),
    C45Classifier(subsets=True),
    PlaneTreeClassifier(costs=[[0, 1, 3], [1, 0, 1], [2, 1, 0]]),
    RobustSeparator(),
    SeparatorTreeClassifier(),
]


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "round": rng.random(n) < 0.5,
            "weight": rng.normal(scale=100.0, size=n),
        }
    )


def labels(frame, n_classes, seed=1):
    noise = np.random.default_rng(seed).normal(scale=0.5, size=len(frame))
    score = frame["size"] + (frame["color"] == "red") - 0.01 * frame["weight"] + noise
    return np.array(["low", "middle", "high"])[np.digitize(score, [0.0, 1.0][: n_classes - 1])]


@pytest.mark.parametrize("model", TWO_CLASSES, ids=repr)
def test_two_classes_agree_on_ten_thousand_rows(model):
    train, fresh = rows(150), rows(10_000, seed=2)
    model.fit(train, labels(train, 2))
    assert np.array_equal(to_network(model).predict(fresh), model.predict(fresh))


@pytest.mark.parametrize("model", THREE_CLASSES, ids=repr)
def test_three_classes_agree_on_ten_thousand_rows(model):
    train, fresh = rows(150), rows(10_000, seed=2)
    model.fit(train, labels(train, 3))
    network = to_network(model)
    assert np.array_equal(network.predict(fresh), model.predict(fresh))
    assert np.array_equal(network.outputs(fresh).sum(axis=1), np.ones(len(fresh)))


@pytest.mark.parametrize("n_bits", range(2, 8))
def test_the_multisurface_network_has_the_units_of_figure_2_3(n_bits):
    X, y = parity(n_bits)
    model = MultisurfaceClassifier().fit(X, y)
    network = to_network(model)
    assert network.n_units == (2 * model.n_pairs_ - 1, 1)
    assert network.n_hidden_units == model.n_planes_
    assert np.array_equal(network.predict(X), y)


def test_the_predetermined_weights_let_the_first_unit_decide():
    X, y = parity(6)
    output = to_network(MultisurfaceClassifier().fit(X, y)).layers[-1].weights[0]
    assert all(abs(w) > np.abs(output[k + 1 :]).sum() for k, w in enumerate(output))


def test_a_long_multisurface_falls_back_on_regions_and_still_agrees():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    model = MultisurfaceClassifier().fit(X, y)
    assert model.n_planes_ > 52
    network, fresh = to_network(model), rng.normal(size=(10_000, 2))
    assert len(network.n_units) == 3
    assert network.n_units[1] <= model.tree_.n_leaves // 2
    assert np.array_equal(network.predict(fresh), model.predict(fresh))


def test_exclusive_or_has_the_networks_of_figures_7_3_and_7_4():
    """One layer of two units and an output; for the same side two layers of two."""
    X, y = parity(2)
    fresh = np.random.default_rng(5).uniform(-1, 2, size=(5_000, 2))
    for topology, units in (("first", (2, 1)), ("second", (2, 1)), ("alternating", (2, 2, 1))):
        model = BilinearSeparator(topology=topology).fit(X, y)
        network = to_network(model)
        assert network.n_units == units
        assert np.array_equal(network.predict(X), y)
        assert np.array_equal(network.predict(fresh), model.predict(fresh))


def test_no_single_unit_over_two_planes_says_the_same_side():
    """Figure 7.4 needs its second layer: the vertices of the square are exclusive-or again."""
    regions = [({0: a, 1: b}, int(a == b)) for a in (True, False) for b in (True, False)]
    assert _output_unit(regions, 1, 2) is None
    both = [({0: True, 1: True}, 1), ({0: False}, 0), ({0: True, 1: False}, 0)]
    weights, threshold = _output_unit(both, 1, 2)
    fires = [weights @ [a, b] > threshold for a in (0, 1) for b in (0, 1)]
    assert fires == [False, False, False, True]


def test_three_planes_have_the_network_of_figure_1_5():
    """The first set is beyond one plane, or beyond both others: 3 + 1 units, as 3 r1 + r2 + r3."""
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = ((X[:, 0] > 0.5) | ((X[:, 0] > -0.5) & (X[:, 1] > 0))).astype(int)
    model = C45Classifier().fit(X, y)
    network, fresh = to_network(model), rng.uniform(-1, 1, size=(5_000, 2))
    assert network.n_units == (3, 1)
    assert np.array_equal(network.predict(fresh), model.predict(fresh))


def test_a_plane_is_one_threshold_unit_and_k_scores_have_one_layer_of_pairs():
    train = rows(150)
    assert to_network(RobustSeparator().fit(train, labels(train, 2))).n_units == (1,)
    model = RobustSeparator().fit(train, labels(train, 3))
    assert to_network(model).n_units == (3, 3)
    pairs = SeparatorTreeClassifier(pruning=None, max_splits=3).fit(train, labels(train, 3))
    fresh = rows(5_000, seed=2)
    assert np.array_equal(to_network(pairs).predict(fresh), pairs.predict(fresh))


def test_both_ways_to_a_multisurface_agree():
    train, fresh = rows(100), rows(2_000, seed=3)
    model = MultisurfaceClassifier().fit(train, labels(train, 2))
    general = tree_network(plan_of(model))
    assert np.array_equal(general.predict(fresh), to_network(model).predict(fresh))


def test_steep_sigmoids_come_to_threshold_units():
    train, fresh = rows(150), rows(1_000, seed=4)
    model = C45Classifier().fit(train, labels(train, 3))
    network = to_network(model)
    agree = [
        np.mean(network.smooth(s).predict(fresh) == network.predict(fresh)) for s in (1, 10, 1e4)
    ]
    assert agree[-1] > 0.99
    assert agree[0] <= agree[-1]
    outputs = network.smooth(2.0).outputs(fresh)
    assert np.all((outputs > 0) & (outputs < 1))


def test_rows_with_missing_values_are_refused():
    train = rows(100)
    network = to_network(RobustSeparator().fit(train, labels(train, 2)))
    with pytest.raises(ValueError, match="size"):
        network.predict(train.assign(size=np.nan))


def test_a_tree_of_one_leaf_is_a_network_that_always_says_it():
    X, y = np.zeros((6, 1)), ["a", "a", "a", "a", "b", "a"]
    network = to_network(C45Classifier().fit(X, y))
    assert network.predict(X).tolist() == ["a"] * 6


def test_steepness_must_be_positive():
    X, y = parity(2)
    with pytest.raises(ValueError, match="'steepness' parameter must be a number above 0"):
        to_network(BilinearSeparator().fit(X, y)).smooth(0.0)


def test_pytorch_gives_the_same_outputs():
    torch = pytest.importorskip("torch")
    X, y = parity(3)
    network = to_network(MultisurfaceClassifier().fit(X, y)).smooth(3.0)
    outputs = to_pytorch(network)(torch.from_numpy(network.inputs(X))).detach().numpy()
    np.testing.assert_allclose(outputs, network.outputs(X), atol=1e-9)


def test_threshold_units_are_not_given_to_pytorch():
    X, y = parity(2)
    with pytest.raises(ValueError, match="smooth"):
        to_pytorch(to_network(MultisurfaceClassifier().fit(X, y)))


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_a_tree_without_decisions_is_a_network_too(n_classes):
    X = np.arange(30.0)[:, None]
    model = C45Classifier(min_cases=30).fit(X, np.arange(30) % n_classes)
    assert model.tree_.n_leaves == 1
    assert np.array_equal(to_network(model).predict(X), model.predict(X))
