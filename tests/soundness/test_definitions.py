"""Where answers depend on order, names or units by definition of a method: a table for each."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from campaigns import invariance, plain_tables
from campaigns.definitions import BY_DEFINITION
from planetree import (
    BilinearSeparator,
    C45Classifier,
    FloatingSelector,
    GeneticSelector,
)
from planetree.solvers import max_norm_planes
from tests.test_contract import ESTIMATORS

EQUAL_COLUMNS = np.array([[0.0, 0.0], [1.0, 1.0]]).repeat(3, axis=0)


def test_every_reason_is_that_of_an_estimator():
    names = [invariance.name_of(each) for each in ESTIMATORS]
    assert all(any(part in name for name in names) for part, _, _ in BY_DEFINITION)


def test_c45_takes_the_first_of_columns_with_equal_gain_ratio():
    """Release 8 keeps the best column so far unless a later one is better."""
    y = [0, 0, 0, 1, 1, 1]
    model = C45Classifier().fit(EQUAL_COLUMNS, y)
    assert model.tree_.splits[0].columns.tolist() == [0]
    assert model.predict([[0.0, 1.0]]).tolist() == [0]
    turned = C45Classifier().fit(EQUAL_COLUMNS[:, ::-1], y)
    assert turned.predict([[1.0, 0.0]]).tolist() == [1]


def test_c45_takes_the_first_of_equally_frequent_classes():
    """Release 8 looks for the class with the most cases, and a later one must have more."""
    X = np.ones((4, 1))
    assert C45Classifier().fit(X, ["a", "a", "b", "b"]).predict(X[:1]).tolist() == ["a"]
    assert C45Classifier().fit(X, ["z", "z", "b", "b"]).predict(X[:1]).tolist() == ["b"]


def test_c45_rounds_the_sums_of_fractional_weights_in_the_order_of_the_cases():
    """Weights that are multiples of 1/64 have exact sums, and then repetition is weight."""
    table = plain_tables.draw(0, 12, n_classes=(2, 3), odd=True, most_rows=40)
    shares = len(table.y) / (2 * np.bincount(table.y))
    exact = {label: round(64 * share) / 64 for label, share in enumerate(shares)}

    def is_changed(class_weight):
        model = C45Classifier(class_weight=class_weight, prune=False, subsets=True)
        return "weights" in invariance.changed(model, table, np.random.default_rng([0, 12, 1]))

    assert is_changed("balanced")
    assert not is_changed(exact)


def test_scikit_learns_tree_chooses_among_equal_columns_by_their_places():
    """Its seed shuffles the places of the columns, and the first of equals there is taken."""
    y = [0, 0, 0, 1, 1, 1]
    one, turned = (DecisionTreeClassifier(random_state=0).fit(EQUAL_COLUMNS, y) for _ in range(2))
    assert one.tree_.feature[0] == turned.tree_.feature[0]
    assert one.predict([[0.0, 1.0]]) != turned.predict([[1.0, 0.0]])  # one row, columns turned


def test_a_genome_is_drawn_as_numbers_of_columns():
    """Of a search that looks at one subset, the seed says at which places its columns stand."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.arange(12) % 2
    settings = {"n_evaluations": 1, "population_size": 1, "cv": 2, "random_state": 1}
    search = GeneticSelector(DecisionTreeClassifier(), **settings, finish="published")
    first, turned = search.fit(X, y).support_, search.fit(X[:, ::-1], y).support_
    assert first.tolist() == turned.tolist() != turned[::-1].tolist()


def test_scikit_learn_breaks_a_tied_vote_by_the_names_of_classes_and_we_do_not():
    """A row of class 0 has one neighbor of each class; renamed classes vote another way there."""
    X = np.array([[0.0], [1.0], [1.5], [-1.25]])
    y = np.array([0, 0, 1, 2])
    parts = [(np.array([1, 2, 3]), np.array([0]))]
    found = {"scikit-learn": [], "ours": []}
    for names in ([0, 1, 2], [2, 1, 0]):
        labels = np.array(names)[y]
        voters = KNeighborsClassifier(3)
        found["scikit-learn"].append(voters.fit(X[1:], labels[1:]).score(X[:1], labels[:1]))
        ours = FloatingSelector(voters, cv=parts).fit(X, labels)
        found["ours"].append(ours.scores_[1])
    assert found["scikit-learn"] == [1.0, 0.0]
    assert found["ours"][0] == found["ours"][1]


def test_a_unit_decides_which_neighbor_is_nearest():
    X, row = np.array([[0.0, 0.0], [3.0, 1.0]]), np.array([[1.0, 1.0]])
    found = [
        KNeighborsClassifier(1).fit(X * unit, [0, 1]).predict(row * unit).tolist()
        for unit in ([1.0, 1.0], [1.0, 1024.0])
    ]
    assert found == [[0], [1]]


def test_naive_bayes_adds_a_share_of_the_largest_variance_to_all_variances():
    X, y = np.arange(12.0).reshape(6, 2) ** 2, [0, 1] * 3
    plain, scaled = GaussianNB().fit(X, y), GaussianNB().fit(X * [1.0, 1024.0], y)
    assert (plain.var_[:, 0] < scaled.var_[:, 0]).all()


def test_the_widest_pair_of_planes_is_another_in_other_units():
    """(2.2) bounds the weights of raw columns by 1: x + y > c becomes x + 1024 y > c."""
    above, below = np.array([[1.0, 1.0]]), np.array([[0.0, 0.0]])
    for unit in ([1.0, 1.0], [1.0, 1024.0]):
        assert max_norm_planes(above * unit, below * unit).weights.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("number", [0, 3])
def test_a_topology_names_a_class_by_its_place(number):
    """So it is renamed with the classes, and then nothing changes."""
    table = plain_tables.draw(0, number, n_classes=(2, 2), odd=False, most_rows=12)
    first, second = (
        BilinearSeparator(topology=topology, max_restarts=0).fit(table.X, y).predict(table.fresh)
        for topology, y in (("first", 1 - table.y), ("second", table.y))
    )
    assert (1 - first).tolist() == second.tolist()


def test_weights_of_few_digits_name_other_planes_in_other_units():
    """a + 3 b > 1 with b times 1024: no two weights of two digits have the ratio 1024 : 3."""
    ratios = {
        Fraction(a, b) * Fraction(10) ** power
        for a in range(1, 100)
        for b in range(1, 100)
        for power in range(-4, 5)
    }
    assert Fraction(1, 3) in ratios
    assert Fraction(1024, 3) not in ratios
