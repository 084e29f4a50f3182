"""Several trees: the one that costs least is kept, and the path is that of all."""

from types import SimpleNamespace

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, grading
from planetree.planes import Planes
from planetree.tree.graded_tree import recounted
from planetree.tree.impurity import entropy
from planetree.tree.plane import tree_choice
from planetree.tree.plane.candidate import Pricing
from planetree.tree.plane.plane_growth import PlaneNode
from planetree.tree.plane.tree_choice import FinishedTree, _cheapest_tree

pytestmark = pytest.mark.core


def test_the_path_leads_from_the_root_leaf_to_the_full_tree(cancer):
    X, y = cancer
    model = PlaneTreeClassifier(size=0.2, grading=None).fit(X, y)
    prices = [step.size_price for step in model.path_]
    terms = [step.n_terms for step in model.path_]
    left = [step.entropy for step in model.path_]
    assert terms[0] == 0
    assert model.path_[0].n_leaves == 1
    assert prices == sorted(prices, reverse=True)
    assert terms == sorted(terms)
    assert left == sorted(left, reverse=True)
    for step in model.path_:
        assert step.entropy == pytest.approx(entropy(leaf_weights(step.tree)).sum())


def leaf_weights(tree):
    return tree.class_weights[tree.n_branches == 0]


def test_select_gives_the_largest_member_within_the_terms(cancer):
    X, y = cancer
    model = PlaneTreeClassifier(size=0.2).fit(X, y)
    sizes = [step.n_terms for step in model.path_]
    for n_terms in (0, sizes[1], sizes[-1] + 5):
        member = model.select(n_terms=n_terms)
        assert member.n_terms_ == max(size for size in sizes if size <= n_terms)
        assert len(member.predict(X)) == len(y)
    with pytest.raises(ValueError, match="n_terms must not be negative"):
        model.select(n_terms=-1)


@pytest.mark.parametrize("seed", [0, 29])
def test_of_several_trees_the_one_that_costs_least_at_two_thirds_of_the_price_is_kept(
    monkeypatch, seed
):
    """Of one table it is the first tree, of the other the second, which the whole price bars."""
    kept = []

    def spy(trees, rows, pricing, weight_price):
        kept.extend((trees, rows, pricing))
        return _cheapest_tree(trees, rows, pricing, weight_price)

    monkeypatch.setattr(tree_choice, "_cheapest_tree", spy)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + 0.6 * X[:, 1] ** 2 - 0.5 + 0.8 * rng.normal(size=100) > 0
    model = PlaneTreeClassifier().fit(X, y)
    trees, rows, pricing = kept
    price = pricing.of_term
    costs, dear = (
        [cost(tree.graded, rows, of_term) for tree in trees] for of_term in (2 / 3 * price, price)
    )
    assert model.tree_ is trees[int(np.argmin(costs))].graded
    assert np.ptp(costs) > 1
    assert np.argmin(dear) == 0
    assert np.argmin(costs) == (seed == 29)


def cost(tree, rows, price):
    p = tree.distribution(rows.X)[np.arange(len(rows.codes)), rows.codes]
    return price * tree.n_terms - rows.weights @ np.log(p)


def test_a_tree_that_leaves_many_classes_mixed_costs_more():
    """Of two decisions with one term each, the likelier by half a nat tells no class apart."""
    rows = SimpleNamespace(X=np.zeros((40, 1)), codes=np.repeat(np.arange(4), 10), weights=WEIGHTS)
    alike, told = [[8, 3, 6, 4], [2, 7, 4, 6]], [[10, 0, 10, 0], [0, 10, 0, 10]]
    trees = [stub(alike, 0.5), stub(told, 0.5 * np.exp(-0.5 / 40))]
    assert _cheapest_tree(trees, rows, Pricing(1.0, 0.75), 0.0) == 1
    assert _cheapest_tree(trees, rows, Pricing(1.0, 0.0), 0.0) == 0


WEIGHTS = np.ones(40)


def stub(branches, share):
    """A tree of one decision, as far as its cost goes; each row has this share of its class."""
    split = Planes([[1.0]], [0.0])
    leaves = [PlaneNode(WEIGHTS, WEIGHTS, np.array(each, dtype=float)) for each in branches]
    whole = np.sum([each.class_weights for each in leaves], axis=0)
    node = PlaneNode(WEIGHTS, WEIGHTS, whole, split=split, children=leaves)
    graded = SimpleNamespace(distribution=lambda X: np.full((len(X), 4), share), splits=[split])
    return FinishedTree([node, *leaves], None, None, graded)


def test_the_proofs_of_all_decisions_share_the_seconds_that_are_left(monkeypatch):
    """Each had as many as the first, so a tree of ten decisions could take ten times as long."""
    given = []

    def spy(candidate, before, after, exponents, seconds):
        given.append(seconds)
        return candidate.certificate(seconds)

    monkeypatch.setattr(tree_choice, "decision_certificate", spy)
    X = np.random.default_rng(0).normal(size=(200, 2))
    PlaneTreeClassifier(time_limit=60.0, size="accurate").fit(X, (X[:, 0] > 0) ^ (X[:, 1] > 0))
    assert len(given) > 1
    assert given == sorted(given, reverse=True)
    assert len(set(given)) == len(given)


def test_trees_are_graded_by_the_rows_that_their_nodes_count(monkeypatch):
    """Else leaves that no row of a sample reaches hold all thresholds above them in place."""
    grade, seen = tree_choice.graded_tree, []

    def spied(tree, rows, **options):
        seen.append((tree.weights, recounted(tree, rows).weights))
        return grade(tree, rows, **options)

    monkeypatch.setattr(grading, "GRADED_ROWS", 200)
    monkeypatch.setattr(tree_choice, "graded_tree", spied)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    PlaneTreeClassifier(size=0.1).fit(X, (X[:, 0] > 0) ^ (np.abs(X - 1).max(axis=1) < 0.2))
    assert max(len(tree) for tree, _ in seen) > 5
    for tree, rows in seen:
        np.testing.assert_allclose(tree, rows)
