"""Rules for features number the columns that may be used, whatever way they are given."""

from types import SimpleNamespace

import pytest

from planetree import SparseSeparator
from planetree.separators.sparse.feature_rules import read_rules


def rules(**given):
    model = SparseSeparator(**given)
    model.columns_ = tuple(SimpleNamespace(name=name) for name in "abcd")
    return read_rules(model)


def test_what_is_left_is_numbered_anew():
    found = rules(
        excluded_features=["b"],
        required_features=[3],
        feature_costs={"a": 0, "d": 2},
        monotonic_cst={"c": -1},
    )
    assert found.columns.tolist() == [0, 2, 3]
    assert found.required == {2}
    assert found.costs.tolist() == [0, 1, 2]
    assert found.signs.tolist() == [0, -1, 0]
    assert found.always == {0, 2}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"excluded_features": ["a"], "required_features": [0]}, r"required and excluded: \['a'\]"),
        ({"excluded_features": list("abcd")}, "no feature to choose from"),
        ({"feature_costs": {"a": -1}}, "must not be negative"),
        ({"monotonic_cst": {"a": 2}}, "must hold -1, 0 or 1"),
    ],
)
def test_rules_that_no_planes_can_keep_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        rules(**given)
