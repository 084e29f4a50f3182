"""C45Classifier: what it promises for any table, and trees that are known by heart."""

import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import C45Classifier, _core
from planetree.exceptions import CategoryWarning
from planetree.planes import Categories
from planetree.table import Column, Table
from planetree.tree import Growth, PreparedTable

pytestmark = pytest.mark.core

GOLF = pd.DataFrame(
    {
        "outlook": ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5,
        "temperature": [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70],
        "humidity": [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96],
        "windy": list("TTFFFTFTFTTFFF"),
    }
)
PLAY = ["yes", "no", "no", "no", "yes", *["yes"] * 4, "no", "no", "yes", "yes", "yes"]


def same_tree(tree, other):
    assert tree.n_nodes == other.n_nodes
    for name in ("n_branches", "children", "class_weights", "predicted", "weights", "errors"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name))
    for name in ("columns", "thresholds", "n_mapped", "branches"):
        np.testing.assert_array_equal(getattr(tree.splits, name), getattr(other.splits, name))


def random_table(seed, max_rows=60):
    """Numbers with ties, categories of which some do not occur, and missing cells."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, max_rows), rng.integers(1, 6)
    values, columns = np.empty((n, d)), []
    for j in range(d):
        k = int(rng.integers(1, 9))
        if rng.random() < 0.5:
            columns.append(Column(f"c{j}", tuple(f"v{i}" for i in range(k))))
            values[:, j] = rng.integers(0, k, n)
        else:
            columns.append(Column(f"n{j}"))
            values[:, j] = np.round(rng.normal(size=n), int(rng.integers(0, 4)))
    values[rng.random((n, d)) < rng.choice([0.0, 0.1, 0.5])] = np.nan
    y = rng.integers(0, rng.integers(1, 5), n)
    y = np.where(rng.random(n) < 0.5, y, np.nan_to_num(values[:, 0]).astype(int) % 3)
    return Table(values, tuple(columns)), y


options = st.fixed_dictionaries(
    {
        "confidence": st.sampled_from([0.001, 0.05, 0.25, 0.95, 1.0]),
        "min_cases": st.sampled_from([0.5, 1, 2, 5]),
        "criterion": st.sampled_from(["gain_ratio", "gain"]),
        "subsets": st.booleans(),
        "arithmetic": st.sampled_from(["single", "double"]),
    }
)
seeds = st.integers(0, 2**32 - 1)


def best_cut(x, y, least):
    """The cut of the largest gain with `least` cases on both sides, by trying all of them."""
    order = np.argsort(x)
    x, ones = x[order], np.cumsum(y[order])
    n, total = len(x), ones[-1]
    low = np.arange(1, n)
    counts = np.array([ones[:-1], low - ones[:-1], total - ones[:-1], n - low - total + ones[:-1]])
    sides = np.array([low, low, n - low, n - low])
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.nansum(counts * np.log2(counts / sides), axis=0)
    bits[(low < least) | (n - low < least)] = np.inf
    return x[np.argmin(bits)]


@pytest.mark.parametrize("seed", range(5))
def test_a_side_that_is_too_small_does_not_hide_the_others(seed):
    """Once it did: a first cut of little mass and fewer than `min_cases` cases beat all later ones.

    Sides of 25 cases are tried, and count in the correction, even where more are asked for.
    """
    rng = np.random.default_rng(seed)
    x = np.arange(1000.0)
    y = np.where(x < 25, 1, (x >= 600) & (rng.random(1000) < 0.1)).astype(int)
    model = C45Classifier(min_cases=40, prune=False).fit(x[:, None], y)
    assert model.tree_.n_nodes > 1
    assert model.tree_.splits.thresholds[0] == best_cut(x, y, 40)


@settings(max_examples=30)
@given(seeds, st.integers(2, 40))
def test_a_row_given_several_times_counts_as_often(seed, times):
    """More cases than the table has rows: counts beyond what was prepared."""
    table, y = random_table(seed)
    codes = np.unique(y, return_inverse=True)[1]
    rows = np.tile(np.arange(len(y)), times)
    repeated = Table(table.values[rows], table.columns)
    given_often = PreparedTable(table, codes).grow(rows)
    grown = PreparedTable(repeated, codes[rows]).grow()
    same_tree(given_often.tree(), grown.tree())
    same_tree(given_often.prune(0.25), grown.prune(0.25))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("criterion", ["gain_ratio", "gain"])
def test_sorted_lists_and_counts_grow_the_same_tree(n_classes, criterion):
    """A constant column with a missing cell is never tested, but keeps lists from being used."""
    rng = np.random.default_rng(n_classes)
    n = 5000
    numbers = rng.normal(size=(n, 3))
    numbers[:, 1] = np.round(numbers[:, 1], 3)
    numbers[:, 2] = np.round(numbers[:, 2], 1)
    place = rng.integers(0, 4, n)
    score = numbers[:, 0] + numbers[:, 1] * (place > 1) + rng.normal(size=n)
    codes = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    columns = (Column("a"), Column("b"), Column("c"), Column("place", tuple("NESW")))
    complete = Table(np.column_stack([numbers, place]), columns)
    constant = np.where(np.arange(n) == 7, np.nan, 0.0)
    hindered = Table(
        np.column_stack([complete.values, constant]), (*columns, Column("same", ("x",)))
    )
    growth = Growth(criterion=criterion)
    for rows in (None, rng.permutation(n)[:4000]):
        grown = PreparedTable(complete, codes).grow(rows, growth=growth)
        counted = PreparedTable(hindered, codes).grow(rows, growth=growth)
        assert grown.tree().n_nodes > 20
        same_tree(grown.tree(), counted.tree())
        same_tree(grown.prune(0.25), counted.prune(0.25))


@pytest.mark.parametrize("seed", range(12))
def test_categories_that_do_not_occur_change_no_bit(seed):
    """Once they could: cases were put in another order where a test had more than 16 branches."""
    rng = np.random.default_rng(seed)
    n = 400
    place = rng.integers(0, 10, n)
    numbers = np.round(rng.normal(size=(n, 2)), 1)
    likely = np.where(numbers[:, 0] > 0, 0.5 + 0.4 * (place % 3 == 0), 0.4 * (place % 2))
    codes = (rng.random(n) < likely).astype(int)
    numbers[rng.random((n, 2)) < 0.1] = np.nan
    values = np.column_stack([numbers, place])
    grown = []
    for n_declared in (10, 40):
        categories = tuple(f"v{i:02}" for i in range(n_declared))
        columns = (Column("a"), Column("b"), Column("place", categories))
        grown.append(PreparedTable(Table(values, columns), codes).grow())
    few, many = (each.tree() for each in grown)
    assert 2 in few.features
    assert np.count_nonzero(few.weights % 1) > 5
    for tree, other in ((few, many), (grown[0].prune(0.9), grown[1].prune(0.9))):
        for name in ("weights", "class_weights"):
            mine, theirs = (getattr(each, name)[each.weights > 0] for each in (tree, other))
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("arithmetic", ["single", "double"])
def test_sums_that_rounding_drives_off_lead_nowhere_else(arithmetic):
    """Many fractional weights: what is left of a class comes out below 0, or too large."""
    rng = np.random.default_rng(0)
    x = rng.permutation(30_000).astype(float)
    y = (x > len(x) / 3).astype(int)
    spread = rng.random(len(x)) * 10.0 ** rng.integers(-6, 3, len(x))
    for weights in (np.full(len(x), 0.1), spread):
        model = C45Classifier(arithmetic=arithmetic, prune=False).fit(x[:, None], y, weights)
        wrong = model.predict(x[:, None]) != y
        assert np.sum(weights[wrong]) <= 1e-5 * np.sum(weights)


def test_the_golf_tree_is_quinlans():
    model = C45Classifier().fit(GOLF, PLAY)
    assert model.to_text().splitlines() == [
        "outlook = overcast : yes (4.0/1.2)",
        "outlook = rain :",
        "|   windy = F : yes (3.0/1.1)",
        "|   windy = T : no (2.0/1.0)",
        "outlook = sunny :",
        "|   humidity <= 75 : yes (2.0/1.0)",
        "|   humidity > 75 : no (3.0/1.1)",
    ]
    assert model.get_depth() == 2
    assert model.get_n_leaves() == 5
    assert model.n_nodes_ == 8
    assert model.features_used_.tolist() == [0, 2, 3]
    assert "humidity > 75 : no (3.0)" in C45Classifier(prune=False).fit(GOLF, PLAY).to_text()


def test_a_declared_category_that_no_row_has_makes_an_empty_branch():
    declared = GOLF.assign(
        outlook=pd.Categorical(GOLF.outlook, ["fog", "overcast", "rain", "sunny"])
    )
    model = C45Classifier().fit(declared, PLAY)
    assert model.n_nodes_ == 9
    fog = model.apply(
        declared.assign(outlook=pd.Categorical(["fog"] * 14, declared.outlook.dtype.categories))
    )
    assert set(fog) == {1}
    assert model.tree_.weights[1] == 0
    assert model.tree_.predicted[1] == 1  # the majority of the node above, "yes"


def test_a_missing_value_is_shared_out():
    """outlook unknown: 4 of 14 rows say yes, 5 of 14 depend on windy, 5 of 14 on humidity."""
    model = C45Classifier().fit(GOLF, PLAY)
    row = pd.DataFrame({"outlook": [None], "temperature": [70], "humidity": [90], "windy": ["T"]})
    np.testing.assert_allclose(model.predict_proba(row), [[10 / 14, 4 / 14]])


def test_a_category_that_training_did_not_have_counts_as_missing():
    model = C45Classifier().fit(GOLF, PLAY)
    missing = model.predict_proba(GOLF.assign(outlook=None))
    with pytest.warns(CategoryWarning):
        unseen = model.predict_proba(GOLF.assign(outlook="hail"))
    np.testing.assert_array_equal(unseen, missing)


@settings(max_examples=150)
@given(seeds, options)
def test_a_tree_is_never_worse_on_its_rows_than_its_root(seed, chosen):
    """Errors by weight: a case with a missing value is partly right and partly wrong."""
    table, y = random_table(seed)
    model = C45Classifier(**chosen).fit(table, y)
    tree = model.unpruned_tree_
    leaves = tree.n_branches == 0
    right = tree.class_weights[np.arange(tree.n_nodes), tree.predicted]
    wrong = np.sum((tree.weights - right)[leaves & (tree.weights > 0)])
    assert wrong <= tree.weights[0] - right[0] + 1e-3
    assert model.tree_.n_nodes <= tree.n_nodes
    assert model.estimated_errors_ <= tree.weights[0] + 1e-3
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1.0)


@settings(max_examples=100)
@given(seeds, options)
def test_a_prepared_table_grows_what_fit_grows(seed, chosen):
    table, y = random_table(seed)
    rng = np.random.default_rng(seed)
    codes = np.unique(y, return_inverse=True)[1]
    rows = np.sort(rng.choice(len(y), size=max(1, len(y) // 2), replace=False))
    features = np.flatnonzero(rng.random(len(table.columns)) < 0.7)
    arithmetic = chosen.pop("arithmetic")
    confidence = chosen.pop("confidence")
    growth = Growth(**chosen)
    n_classes = int(codes.max()) + 1
    whole = PreparedTable(table, codes, n_classes=n_classes, arithmetic=arithmetic)
    part = Table(table.values[np.ix_(rows, features)], tuple(table.columns[j] for j in features))
    alone = PreparedTable(part, codes[rows], n_classes=n_classes, arithmetic=arithmetic)
    some, all_of_part = whole.grow(rows, features, growth), alone.grow(growth=growth)
    for tree, other in (
        (some.tree(), all_of_part.tree()),
        (some.prune(confidence), all_of_part.prune(confidence)),
    ):
        inner = tree.splits.columns >= 0
        assert np.array_equal(tree.splits.columns[inner], features[other.splits.columns[inner]])
        np.testing.assert_array_equal(tree.splits.thresholds, other.splits.thresholds)
        np.testing.assert_array_equal(tree.class_weights, other.class_weights)
        np.testing.assert_array_equal(tree.errors, other.errors)


@settings(max_examples=60)
@given(seeds, options)
def test_cross_validation_counts_what_fit_and_predict_count(seed, chosen):
    table, y = random_table(seed)
    codes = np.unique(y, return_inverse=True)[1]
    folds = np.arange(len(y)) % 3
    if len(y) < 3:
        return
    arithmetic, confidence = chosen.pop("arithmetic"), chosen.pop("confidence")
    prepared = PreparedTable(table, codes, arithmetic=arithmetic)
    growth = Growth(**chosen)
    found = prepared.cross_val_errors(folds, confidences=[confidence, None], growth=growth)
    for fold in range(3):
        grown = prepared.grow(np.flatnonzero(folds != fold), growth=growth)
        for level, tree in enumerate((grown.prune(confidence), grown.tree())):
            out = folds == fold
            wrong = tree.distribution(table.values[out]).argmax(axis=1) != codes[out]
            assert found.errors[fold, level] == wrong.sum()
            assert found.n_nodes[fold, level] == tree.n_nodes


@settings(max_examples=60)
@given(seeds, options)
def test_a_whole_weight_is_that_many_rows(seed, chosen):
    """With no missing cell, so that no weight is a fraction that rounding could move."""
    table, y = random_table(seed)
    table = Table(np.nan_to_num(table.values), table.columns)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    if not weights.any():
        return
    weighted = C45Classifier(**chosen).fit(table, y, sample_weight=weights)
    repeated = C45Classifier(**chosen).fit(
        Table(np.repeat(table.values, weights, axis=0), table.columns), np.repeat(y, weights)
    )
    same_tree(weighted.tree_, repeated.tree_)


@settings(max_examples=60)
@given(seeds, options)
def test_thresholds_send_every_training_row_where_32_bits_send_it(seed, chosen):
    """Leaf weights counted by the tree are those that growing left there, if none is missing."""
    table, y = random_table(seed)
    rng = np.random.default_rng(seed)
    values = np.nan_to_num(table.values)
    numbers = [j for j, column in enumerate(table.columns) if column.categories is None]
    values[:, numbers] += rng.choice([0.0, 1e-9, 1e-6], size=(len(y), len(numbers)))
    table = Table(values, table.columns)
    tree = C45Classifier(**chosen).fit(table, y).unpruned_tree_
    counted = np.bincount(tree.apply(values), minlength=tree.n_nodes)
    leaves = tree.n_branches == 0
    np.testing.assert_array_equal(counted[leaves], tree.weights[leaves])


def test_pruning_again_is_pruning_a_new_fit():
    table, y = random_table(3, max_rows=200)
    model = C45Classifier(confidence=0.9).fit(table, y)
    for confidence in (0.01, 0.5):
        again = C45Classifier(confidence=confidence).fit(table, y)
        same_tree(model.prune_to(confidence).tree_, again.tree_)
        assert model.confidence_ == confidence
    with pytest.raises(AttributeError, match="Fit it again"):
        pickle.loads(pickle.dumps(model)).prune_to(0.3)


def test_threads_grow_the_same_trees():
    table, y = random_table(9, max_rows=200)
    prepared = PreparedTable(table, np.unique(y, return_inverse=True)[1])
    expected = prepared.grow().prune(0.25)
    found = []
    grow = lambda: found.extend(prepared.grow().prune(0.25) for _ in range(20))  # noqa: E731
    threads = [threading.Thread(target=grow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    for tree in found:
        same_tree(tree, expected)


def test_the_confidence_chosen_makes_the_fewest_errors_in_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = C45Classifier(confidence="cv").fit(X, y)
    assert model.confidence_ in [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    assert model.confidence_ < 0.5  # a noisy line wants pruning
    order = rng.permutation(200)
    assert C45Classifier(confidence="cv").fit(X[order], y[order]).confidence_ == model.confidence_
    same_tree(model.tree_, C45Classifier(confidence=model.confidence_).fit(X, y).tree_)


def test_minus_999_is_missing_in_single_and_a_number_in_double():
    X = np.array([[-999.0], [-999.0], [-999.0], [1.0], [1.0], [1.0]])
    y = [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match=r"'x0'.*'double'"):
        single = C45Classifier().fit(X, y)
    assert single.n_nodes_ == 1
    assert C45Classifier(arithmetic="double").fit(X, y).n_nodes_ == 3


def test_categories_are_grouped_with_subsets():
    colors = np.array(["red", "rose", "pink", "blue", "navy", "teal"] * 6)[:, None]
    y = np.isin(colors[:, 0], ["red", "rose", "pink"])
    model = C45Classifier(subsets=True).fit(colors, y)
    assert model.n_nodes_ == 3
    assert isinstance(model.tree_.splits[0], Categories)
    assert "x0 in {blue, navy, teal} : False (18.0/1.3)" in model.to_text()
    assert C45Classifier().fit(colors, y).n_nodes_ == 7


def test_class_weights_are_row_weights():
    table, y = random_table(21, max_rows=200)
    factors = {label: 1.0 + label for label in np.unique(y).tolist()}
    weighted = C45Classifier(class_weight=factors).fit(table, y)
    rows = np.array([factors[label] for label in y.tolist()])
    same_tree(weighted.tree_, C45Classifier().fit(table, y, sample_weight=rows).tree_)
    with pytest.raises(ValueError, match=r"\[77\]"):
        C45Classifier(class_weight={77: 2.0}).fit(table, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"confidence": 0.0},
            "'confidence' parameter of C45Classifier must be a number above 0 and at most 1",
        ),
        ({"confidence": "best"}, "'confidence' parameter of C45Classifier must be"),
        (
            {"min_cases": 0},
            "'min_cases' parameter of C45Classifier must be a number above 0. Got 0",
        ),
        (
            {"criterion": "gini"},
            "'criterion' parameter of C45Classifier must be 'gain_ratio' or 'gain'",
        ),
        (
            {"arithmetic": "half"},
            "'arithmetic' parameter of C45Classifier must be 'single' or 'double'",
        ),
        ({"class_weight": "equal"}, "class_weight must be"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, message):
    with pytest.raises(ValueError, match=message):
        C45Classifier(**parameters).fit(GOLF, PLAY)


def test_bad_rows_and_columns_are_refused():
    prepared = PreparedTable(Table.read(np.eye(4)), [0, 1, 0, 1])
    with pytest.raises(IndexError, match="4 rows, but number 4"):
        prepared.grow(rows=[0, 4])
    with pytest.raises(IndexError, match="4 columns, but number -1"):
        prepared.grow(features=[-1])
    with pytest.raises(ValueError, match="whole numbers"):
        prepared.grow(rows=[0.5])
    with pytest.raises(ValueError, match="mask of features"):
        prepared.grow(features=[True, False])
    with pytest.raises(ValueError, match="weight 0"):
        prepared.grow(rows=[])
    with pytest.raises(ValueError, match="needs a fold"):
        prepared.cross_val_errors([0, 1])
    other = PreparedTable(Table.read(np.eye(3)), [0, 1, 0])
    with pytest.raises(ValueError, match="not grown from this table"):
        other._core.arrays(prepared.grow()._tree)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": np.array([0, 2, 0])}, "class code 2"),
        ({"classes": np.array([0, 1])}, "differ in length"),
        ({"weights": np.array([1.0, -1.0, 1.0])}, "not negative"),
        ({"weights": np.array([1.0, np.inf, 1.0])}, "finite"),
        ({"values": np.array([[0.0], [5.0], [0.0]])}, "2 categories, but row 1"),
    ],
)
def test_the_core_refuses_what_would_lead_it_astray(change, message):
    arrays = {
        "values": np.array([[0.0], [1.0], [0.0]]),
        "n_categories": np.array([2]),
        "classes": np.array([0, 1, 0]),
        "n_classes": 2,
        "weights": np.ones(3),
    }
    with pytest.raises(ValueError, match=message):
        _core.C45TableSingle(**{**arrays, **change})


def test_a_deep_tree_needs_no_deep_stack():
    """Weights that fall off geometrically: each cut splits the heaviest row off, one level each."""
    n = 700
    table = Table.read(np.arange(n, dtype=float)[:, None])
    weights = 2.0 ** np.minimum(0.05 * np.arange(n)[::-1], 60)
    prepared = PreparedTable(table, np.arange(n) % 2, weights, arithmetic="double")
    trees = []

    def grow_and_prune():
        grown = prepared.grow(growth=Growth(min_cases=1e-3, criterion="gain"))
        trees.extend([grown.tree(), grown.prune(1.0)])

    usual = threading.stack_size(128 * 1024)
    try:
        thread = threading.Thread(target=grow_and_prune)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    assert trees[0].depth > 600
    counted = np.bincount(trees[0].apply(table.values), weights, trees[0].n_nodes)
    leaves = trees[0].n_branches == 0
    np.testing.assert_allclose(counted[leaves], trees[0].weights[leaves])


def chain_of_tests(n):
    """Column j tells row j from all later ones, so that the tree is a chain."""
    X = np.triu(np.ones((n, n)))
    return X, np.arange(n) % 2


def test_a_chain_of_tests_is_grown_and_pruned():
    X, y = chain_of_tests(400)
    model = C45Classifier(min_cases=1, confidence=1.0).fit(X, y)
    assert model.unpruned_tree_.depth > 50
    assert np.mean(model.unpruned_tree_.distribution(X).argmax(axis=1) == y) > 0.9


def test_a_thousand_categories_and_ten_thousand_columns():
    rng = np.random.default_rng(0)
    labels = tuple(range(1000))
    codes = rng.integers(0, 1000, size=(2000, 1)).astype(float)
    codes[::50] = np.nan
    y = rng.integers(0, 3, 2000)
    model = C45Classifier(prune=False).fit(Table(codes, (Column("zip", labels),)), y)
    assert model.n_nodes_ == 1001
    wide = rng.normal(size=(30, 10_000))
    assert C45Classifier().fit(wide, np.arange(30) % 2).n_nodes_ >= 3


def test_many_categories_are_grouped():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 60, size=(500, 1)).astype(float)
    y = (codes[:, 0] % 2).astype(int) ^ (rng.random(500) < 0.1)
    table = Table(codes, (Column("code", tuple(range(60))),))
    model = C45Classifier(subsets=True).fit(table, y)
    assert model.n_nodes_ < 60
    assert np.mean(model.predict(table) == y) > 0.85


@pytest.mark.parametrize("value", [1e300, 1e38, 1e-300, np.finfo(float).max])
def test_numbers_beyond_32_bits_are_no_trouble(value):
    X = np.array([[-value], [-value], [0.0], [0.0], [value], [value]])
    model = C45Classifier().fit(X, [0, 0, 0, 0, 1, 1])
    assert model.predict(X).tolist() in ([0, 0, 0, 0, 1, 1], [0] * 6)


def test_one_row_one_class_and_no_value_make_a_leaf():
    for X, y in (
        ([[1.0]], ["a"]),
        ([[1.0], [2.0]], ["a", "a"]),
        ([[np.nan], [np.nan]], ["a", "b"]),
    ):
        model = C45Classifier().fit(np.array(X), y)
        assert model.n_nodes_ == 1
        assert model.to_text().startswith(" a (")
        assert model.predict(np.array(X))[0] == "a"
