"""Columns of hundreds of categories help where they tell the class, and else do no harm."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from planetree import PlaneTreeClassifier
from planetree.planes import Categories
from planetree.tree.category_order import category_orders
from planetree.tree.impurity import entropy

N, VALUES = 900, 300


def table(seed):
    """Two numbers that tell the class, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 2))
    y = (X @ [1.0, 0.7] + rng.normal(scale=0.7, size=N) > 0).astype(int)
    return rng, pd.DataFrame(X, columns=["a", "b"]), y


def wrong(frame, y):
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return cross_val_predict(PlaneTreeClassifier(), frame, y, cv=folds) != y


@pytest.mark.filterwarnings("ignore::planetree.exceptions.CategoryWarning")
def test_a_noise_column_of_three_hundred_values_changes_no_error_beyond_noise():
    """The paired difference is within two of its standard errors, and no tree reads the column."""
    rng, frame, y = table(0)
    noisy = frame.assign(city=[f"c{i}" for i in rng.integers(0, VALUES, N)])
    change = wrong(noisy, y).astype(float) - wrong(frame, y)
    assert change.mean() <= 2 * change.std() / np.sqrt(N) + 1e-12
    assert 2 not in PlaneTreeClassifier().fit(noisy, y).features_used_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_column_of_hundreds_of_values_that_tells_the_class_is_divided(n_classes):
    rng = np.random.default_rng(0)
    city = rng.integers(0, 100, 4000)
    y = np.where(rng.random(4000) < 0.9, city % n_classes, rng.integers(0, n_classes, 4000))
    frame = pd.DataFrame({"a": rng.normal(size=4000), "city": [f"c{i}" for i in city]})
    model = PlaneTreeClassifier().fit(frame[:3000], y[:3000])
    assert all(isinstance(each, Categories) for each in model.tree_.splits if each is not None)
    assert model.tree_.n_decisions == n_classes - 1
    best = 0.9 + 0.1 / n_classes  # what knowing the rule gives
    assert model.score(frame[3000:], y[3000:]) > best - 0.03


def test_a_table_of_nothing_but_one_such_column_grows_a_tree():
    rng = np.random.default_rng(1)
    city = rng.integers(0, 50, 2000)
    model = PlaneTreeClassifier().fit([[f"c{i}"] for i in city], city % 2)
    assert model.score([[f"c{i}"] for i in city], city % 2) == 1.0


def test_values_have_no_terms_so_that_their_cost_is_linear(monkeypatch):
    """What is searched by planes and cuts has as many columns for 100 values as for 1,000."""
    rng, frame, y = table(2)
    widths = set()
    for values in (100, 800):
        city = rng.permutation(np.arange(N) % values)
        model = PlaneTreeClassifier()
        found, grower = [], model._grower
        monkeypatch.setattr(
            model, "_grower", lambda *g, f=found, make=grower: f.append(make(*g)) or f[-1]
        )
        model.fit(frame.assign(city=[f"c{i}" for i in city]), y)
        widths.add(found[0].rows.E.shape[1])
    assert widths == {2}


def test_shares_of_rare_values_are_drawn_to_those_of_all():
    """One row of one class says less than 40 of which 36 are of it."""
    table = np.array([[0.0, 1.0], [4.0, 36.0], [36.0, 4.0], [20.0, 20.0]])
    assert category_orders(table, many=False)[0].tolist() == [2, 3, 1, 0]
    assert category_orders(table, many=True)[0].tolist() == [2, 3, 0, 1]


def test_the_direction_of_three_classes_is_the_first_principal_one():
    rng = np.random.default_rng(0)
    table = rng.dirichlet([1.0, 1.0, 0.3], 60) * rng.integers(5, 50, 60)[:, None]
    prior, weights = table.sum(axis=0) / table.sum(), table.sum(axis=1, keepdims=True)
    shares = (table + 5 * prior) / (weights + 5) - prior
    axis = np.linalg.eigh((weights * shares).T @ shares)[1][:, -1]
    order, expected = category_orders(table, many=True)[1], np.argsort(shares @ axis)
    assert order.tolist() in (expected.tolist(), expected[::-1].tolist())


def least_entropy(table, order):
    """What the best cut of categories in an order leaves."""
    below = table[order].cumsum(axis=0)
    return (entropy(below[:-1]) + entropy(below[-1] - below[:-1])).min()


def test_a_division_in_the_order_of_shrunk_shares_does_not_claim_to_be_the_best():
    """The order of the shares themselves, in which the best division is a cut, has a better one."""
    rng = np.random.default_rng(11)
    total = np.where(rng.random(40) < 0.5, rng.integers(1, 4, 40), rng.integers(10, 60, 40))
    second = rng.binomial(total, rng.random(40) ** 6)
    classes = np.column_stack([total - second, second]).astype(float)
    plain, shrunk = (category_orders(classes, many)[0] for many in (False, True))
    assert least_entropy(classes, plain) < least_entropy(classes, shrunk) - 0.1
    city, y = np.nonzero(classes)
    model = PlaneTreeClassifier(size=0.1, max_splits=1, grading=None)
    model.fit([[f"c{i}"] for i in city], y, classes[city, y])
    leaves = model.tree_.class_weights[1:]
    assert entropy(leaves).sum() == pytest.approx(least_entropy(classes, shrunk))
    assert model.certificates_[0].status == "stationary"
