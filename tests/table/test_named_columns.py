"""Columns by name or number, and values for them: each way says the same, and nothing else does."""

import numpy as np
import pytest

from planetree.table.columns import column_number, column_numbers, column_values

NAMES = ["age", "dose", "color"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, set()), ([], set()), (["dose", 0, np.int64(2)], {0, 1, 2}), (("age", 0), {0})],
)
def test_names_and_numbers_mean_the_same_columns(given, expected):
    assert column_numbers(given, NAMES, "excluded_features") == expected


@pytest.mark.parametrize("feature", ["weight", 3, -1, True, 1.0, None])
def test_a_column_that_is_not_there_is_refused_with_those_that_are(feature):
    with pytest.raises(ValueError, match=r"required_features names .*'age', 'dose', 'color'"):
        column_number(feature, NAMES, "required_features")


@pytest.mark.parametrize("given", ["age", 1])
def test_one_column_alone_is_no_sequence_of_them(given):
    with pytest.raises(ValueError, match="must be a sequence of column names or numbers"):
        column_numbers(given, NAMES, "excluded_features")


@pytest.mark.parametrize(
    ("values", "expected"),
    [(None, [1, 1, 1]), ({"dose": 5, 2: 7}, [1, 5, 7]), ([3, 4, 5], [3, 4, 5])],
)
def test_values_by_name_by_number_and_in_order_agree(values, expected):
    assert column_values(values, 1.0, NAMES, "feature_costs").tolist() == expected


@pytest.mark.parametrize("values", [[1, 2], [1, 2, np.inf], [1, 2, np.nan], "abc", [1, "x", 2]])
def test_values_that_are_not_one_finite_number_a_column_are_refused(values):
    with pytest.raises(ValueError, match="feature_costs must hold"):
        column_values(values, 1.0, NAMES, "feature_costs")
