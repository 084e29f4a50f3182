"""Classes are sorted labels with codes that give them back; weights and costs are what they say."""

import numpy as np
import pytest

from planetree.table.labels import read_class_weight, read_classes, read_costs, read_weights

LABELS = [
    [3, 1, 2, 1],
    [2**62, -(2**62), 5],
    np.array([5, 250, 5], dtype=np.uint8),
    np.array([-128, 127], dtype=np.int8),
    [1.0, 3.0, 1.0],
    [True, False, True],
    ["b", "a", "b"],
    np.array(["b", "a"], dtype=object),
    np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]"),
]


@pytest.mark.parametrize("y", LABELS, ids=str)
def test_codes_give_back_the_labels_which_are_those_of_numpy(y):
    found = read_classes(y)
    assert np.array_equal(found.labels[found.codes], np.asarray(y))
    assert np.array_equal(found.labels, np.unique(y))
    assert found.labels.dtype == np.asarray(y).dtype


def test_a_label_that_no_kept_row_has_is_gone():
    found = read_classes(["a", "b", "c", "a"]).of_rows(np.array([True, False, True, True]))
    assert (found.codes.tolist(), found.labels.tolist()) == ([0, 1, 0], ["a", "c"])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.0], "continuous"),
        ([1.0, np.nan], "row 1 .* is missing"),
        (["a", None], "row 1 .* is missing"),
        (["a", 1], "mixes or nests"),
        ([1j, 2], "omplex"),
        ([[1, 2], [3, 4]], "1d array"),
    ],
)
def test_what_is_no_class_is_refused(y, words):
    with pytest.raises(ValueError, match=words):
        read_classes(np.array(y, dtype=object) if isinstance(y[0], str) else y)


@pytest.mark.parametrize("weights", [[1, -1], [1, np.nan], [1], [0, 0], [1, 1e60], [1, 1j]])
def test_weights_that_count_nothing_or_lose_their_sums_are_refused(weights):
    with pytest.raises(ValueError, match="weight"):
        read_weights(weights, 2)


def test_balanced_classes_weigh_the_same_and_as_much_as_before():
    codes, weights = np.array([0, 1, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0])
    factors = read_class_weight("balanced", np.array(["a", "b", "c"]), codes, weights)
    totals = np.bincount(codes, weights * factors[codes])
    np.testing.assert_allclose(totals, weights.sum() / 3)
    by_name = read_class_weight({"b": 5}, np.array(["a", "b"]), codes, weights)
    assert by_name.tolist() == [1, 5]


@pytest.mark.parametrize("costs", [[[0, 1]], [[1, 1], [1, 0]], [[0, -1], [1, 0]], "x"])
def test_costs_are_a_square_of_positive_numbers_with_a_diagonal_of_0(costs):
    with pytest.raises(ValueError, match="costs"):
        read_costs(costs, np.array(["a", "b"]))
    assert read_costs(None, np.array(["a", "b"])).tolist() == [[0, 1], [1, 0]]
