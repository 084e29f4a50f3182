"""C45Classifier against what the original program printed: every number, every node, every fold."""

import json

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, _core
from planetree.planes import Categories
from planetree.table import Table
from planetree.tree import PreparedTable

pytestmark = pytest.mark.core

NAMES = (
    "iris",
    "wine",
    "house-votes-84",
    "heart-cleveland",
    "credit-approval",
    "glass",
    "tic-tac-toe",
    "pima",
)
OPTIONS = {
    "default": {},
    "c1": {"confidence": 0.01},
    "c5": {"confidence": 0.05},
    "c95": {"confidence": 0.95},
    "gain": {"criterion": "gain"},
    "subset": {"subsets": True},
    "gain_subset": {"criterion": "gain", "subsets": True},
    "m1": {"min_cases": 1},
    "m5": {"min_cases": 5},
}
HALF_A_DIGIT = 0.51e-4  # the truth has four decimals, of numbers of 32 bits


@pytest.fixture(scope="module")
def truth_folder(data_folder):
    folder = data_folder.parent / "truth"
    if not (folder / "c45.json").exists():
        pytest.skip("there is no truth/c45.json beside the data sets")
    return folder


@pytest.fixture(scope="module")
def truth(truth_folder):
    return json.loads((truth_folder / "c45.json").read_text())


@pytest.fixture(scope="module")
def tables(truth, data_folder):
    """Frames with the values that the original was told to expect, and class codes."""
    return {name: read(truth["shared"][name]["encoding"], data_folder) for name in NAMES}


def read(encoding, folder):
    path = folder / encoding["csv"].split("/")[-1]
    cells = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    columns = {}
    for attribute in encoding["attributes"]:
        column = cells[attribute["name"]]
        if attribute["type"] == "continuous":
            columns[attribute["name"]] = column.astype(float)
        else:
            columns[attribute["name"]] = pd.Categorical(column, categories=attribute["values"])
    codes = pd.Categorical(cells["class"], categories=encoding["classes"]).codes
    return pd.DataFrame(columns), codes.astype(int)


def near(found, printed):
    """Equal to the digits printed, of a number that has 24 bits."""
    np.testing.assert_allclose(found, printed, rtol=2.0**-23, atol=HALF_A_DIGIT)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", NAMES)
def test_sizes_errors_and_estimates_are_those_of_the_original(name, option, truth, tables):
    X, y = tables[name]
    expected = truth["shared"][name]["c45_r8"][option]
    model = C45Classifier(**OPTIONS[option]).fit(X, y)
    for state, tree in (("unpruned", model.unpruned_tree_), ("pruned", model.tree_)):
        assert tree.n_nodes == expected[f"{state}_size"]
        assert tree.n_leaves == expected[f"{state}_leaves"]
        assert tree.depth == expected[f"{state}_depth"]
        predicted = tree.distribution(Table.read(X).values).argmax(axis=1)
        assert np.sum(predicted != y) == expected[f"{state}_train_errors"]
    near(model.estimated_errors_, expected["estimated_errors"])


@pytest.mark.parametrize("option", ["default", "c5", "c95", "gain", "subset"])
@pytest.mark.parametrize("name", NAMES)
def test_trees_are_those_of_the_original_node_by_node(name, option, truth_folder, truth, tables):
    X, y = tables[name]
    encoding = truth["shared"][name]["encoding"]
    expected = json.loads((truth_folder / "trees" / f"{name}.{option}.json").read_text())
    model = C45Classifier(**OPTIONS[option]).fit(X, y)
    compare(model.unpruned_tree_, expected["unpruned"], encoding)
    compare(model.tree_, expected["pruned"], encoding)


def compare(tree, root, encoding):
    pending, n_seen = [(0, root)], 0
    while pending:
        node, expected = pending.pop()
        n_seen += 1
        assert encoding["classes"][tree.predicted[node]] == expected["cls"]
        near(tree.weights[node], expected["items"])
        near(tree.errors[node], expected["errors"])
        near(tree.class_weights[node], expected["dist"])
        assert (tree.splits[node] is None) == ("att" not in expected)
        if "att" in expected:
            labels = compare_test(tree.splits[node], expected, encoding)
            assert labels == [label for label, _ in expected["branches"]]
            children = tree.children_of(node)
            pending += [(c, e) for c, (_, e) in zip(children, expected["branches"], strict=True)]
    assert n_seen == tree.n_nodes


def compare_test(split, expected, encoding):
    """Compare the column and the threshold; give the labels of the branches."""
    if not isinstance(split, Categories):
        assert split.columns.tolist() == [expected["att_index"]]
        assert np.float32(split.offsets[0]) == np.float32(expected["cut"])
        return ["<=", ">"]
    assert split.column == expected["att_index"]
    values = encoding["attributes"][split.column]["values"]
    taken = [np.flatnonzero(split.branches == b).tolist() for b in range(split.n_branches)]
    labels = [[values[code] for code in codes] for codes in taken]
    return [label[0] for label in labels] if expected["kind"] == "multiway" else labels


@pytest.mark.parametrize("name", NAMES)
def test_folds_are_those_of_the_original(name, truth, tables):
    """Row i is left out by fold i % 10; both ways to cross-validate agree with the truth."""
    X, y = tables[name]
    folds = np.arange(len(y)) % 10
    prepared = PreparedTable(Table.read(X), y)
    errors, n_nodes = prepared.cross_val_errors(folds, confidences=[None, 0.25])
    for fold, expected in enumerate(truth["shared"][name]["c45_r8_cv10_index_mod_10"]["folds"]):
        out = folds == fold
        model = C45Classifier().fit(X[~out], y[~out])
        near(model.estimated_errors_, expected["estimated_errors"])
        wrong = np.sum(model.predict(X[out]) != y[out])
        assert wrong == errors[fold, 1] == expected["pruned_test_errors"]
        assert errors[fold, 0] == expected["unpruned_test_errors"]
        assert n_nodes[fold, 0] == expected["unpruned_size"] == model.unpruned_tree_.n_nodes
        assert n_nodes[fold, 1] == expected["pruned_size"] == model.n_nodes_


@pytest.mark.parametrize("name", NAMES)
def test_double_arithmetic_gives_what_the_original_gave_in_double(name, truth, tables):
    X, y = tables[name]
    expected = truth["shared"][name]["r8_compiled_in_double"]
    model = C45Classifier(arithmetic="double").fit(X, y)
    assert model.unpruned_tree_.n_nodes == expected["unpruned_size"]
    assert model.n_nodes_ == expected["pruned_size"]
    near(model.estimated_errors_, expected["estimated_errors"])


def test_added_errors_are_those_of_the_original_to_seven_digits(truth):
    n_compared = 0
    for percent, rows in truth["meta"]["adderrs"].items():
        if percent == "note":
            continue
        for n, errors, expected in rows:
            added = _core.c45_added_errors(n, errors, float(percent) / 100)
            assert float(f"{added:.7g}") == expected
            n_compared += 1
    assert n_compared > 1000
