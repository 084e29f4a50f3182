"""What a parameter may be: the ends of its range, and the message that says so."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from planetree.parameters import (
    SECONDS,
    check_parameters,
    choice,
    classifier,
    count,
    either,
    flag,
    listed,
    number,
    optional,
    share,
)

HELD = [
    (count(2, 4), [2, np.int64(4)], [1, 5, 3.0, True, "3", None]),
    (number(0, 1), [0, 1, np.float32(0.5)], [-1e-9, 1.1, np.nan, np.inf, False, "0"]),
    (number(above=0, most=2), [1e-300, 2], [0, 2.1, -1]),
    (share(), [0.5], [0, 1, True]),
    (share(zero=True), [0, 0.5], [1, -0.1]),
    (share(one=True), [1, 0.5], [0, 1.1]),
    (choice("class", 1), ["class", 1], ["uniform", True, 1.0]),
    (flag(), [True, np.False_], [0, 1, None, "True"]),
    (optional(count()), [None, 1], [0, "None"]),
    (either(choice("best"), count()), ["best", 3], ["worst", 0]),
    (SECONDS, [1e-9, 60], [0, -1, np.inf]),
    (classifier(), [DecisionTreeClassifier()], [DecisionTreeClassifier, DecisionTreeRegressor()]),
]


@pytest.mark.parametrize(("allowed", "good", "bad"), HELD, ids=lambda each: str(each)[:30])
def test_values_within_are_held_and_those_outside_are_not(allowed, good, bad):
    assert [allowed.holds(value) for value in good] == [True] * len(good)
    assert [allowed.holds(value) for value in bad] == [False] * len(bad)


def test_the_first_parameter_that_is_wrong_is_named_with_its_owner_and_what_is_allowed():
    model = DecisionTreeClassifier(max_depth=0, criterion="wrong")
    with pytest.raises(ValueError) as caught:
        check_parameters(model, max_depth=optional(count()), criterion=choice("gini"))
    assert str(caught.value) == (
        "The 'max_depth' parameter of DecisionTreeClassifier must be a whole number of at least 1 "
        "or None. Got 0 instead."
    )


def test_a_long_list_says_how_many_more_there_are():
    assert listed("abc") == "'a', 'b', 'c'"
    assert listed(range(12), limit=2) == "0, 1 and 10 more"
