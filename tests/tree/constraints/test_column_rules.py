"""Rules for columns: what they ask for, in any order of the columns, and when they contradict."""

import numpy as np
import pytest

from planetree import PlaneTreeClassifier
from planetree.tree.constraints.column_rules import ColumnRules


def rules(required=(), excluded=(), groups=(), costs=(0.0, 1.0, 2.0, 3.0)):
    groups = tuple(map(frozenset, groups))
    return ColumnRules(frozenset(required), frozenset(excluded), groups, np.array(costs))


def test_rules_hold_of_the_sets_that_the_definition_names():
    asked = rules(required={0}, groups=[{1, 2}])
    for number in range(16):
        read = frozenset(j for j in range(4) if number >> j & 1)
        whole = {1, 2} <= read or not {1, 2} & read
        assert asked.hold(read) == (0 in read and whole)
    assert rules().are_free
    assert not asked.are_free


def test_a_required_column_brings_its_group_and_the_groups_of_that():
    asked = rules(groups=[{0, 1}, {1, 2}, {3}]).requiring(frozenset({0}))
    assert asked.required == {0, 1, 2}


def test_rules_of_moved_columns_are_those_of_the_columns():
    asked, places = rules({0}, {3}, [{1, 2}]), np.array([2, 0, 3, 1])
    moved = asked.of(places)
    assert (moved.required, moved.excluded, moved.groups) == ({2}, {1}, (frozenset({0, 3}),))
    assert moved.costs[places].tolist() == asked.costs.tolist()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"required_features": ["a"], "excluded_features": ["a"]}, r"excluded: \['a'\]"),
        ({"feature_groups": [["a", "b"]], "required_features": ["a"], "excluded_features": ["b"]},
         "by their groups"),
        ({"required_features": ["a", "b"], "max_features_total": 1}, "2 features are required"),
        ({"excluded_features": ["a", "b"]}, "leaves no feature"),
        ({"feature_groups": "ab"}, "must be lists of columns"),
        ({"feature_costs": {"a": -1.0}}, "must not be negative"),
        ({"products": "all", "required_features": ["a"]}, "Omit one of them"),
    ],
)  # fmt: skip
def test_rules_that_contradict_each_other_are_refused(given, says):
    import pandas as pd

    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0]})
    with pytest.raises(ValueError, match=says):
        PlaneTreeClassifier(**given).fit(X, [0, 0, 1, 1])
