"""Methods by name, made with what was asked for, or refused."""

import numpy as np
import pytest

from planetree.evaluation.methods import Settings, chosen_methods, method_named, wished_settings
from planetree.evaluation.reading import TrainingTable
from planetree.exceptions import MethodError
from planetree.table import Table


def test_a_method_that_is_not_there_is_named_with_what_is_near():
    with pytest.raises(MethodError, match="did you mean c45"):
        method_named("c54")
    with pytest.raises(MethodError, match="--max-splits"):
        method_named("plane").make(Settings(max_splits=2))


def test_a_method_is_graded_as_asked_or_refuses():
    make = method_named("sparse-planes").make
    assert [make(Settings(grading=each)).grading for each in (None, "leaf", "soft", "none")] == [
        "leaf",
        "leaf",
        "soft",
        None,
    ]
    with pytest.raises(MethodError, match="--grading"):
        method_named("c45").make(Settings(grading="soft"))


def test_methods_are_asked_to_fill_gaps_only_where_there_are_some():
    table, labels = Table.read([[0.0], [np.nan]]), np.array(["no", "yes"])
    complete = Table(np.nan_to_num(table.values), table.columns)
    plane = chosen_methods(["plane"])[0]
    for each, missing in ((table, "impute"), (complete, "refuse")):
        rows = TrainingTable(each, labels, None, {}, ())
        assert plane.make(Settings(missing=rows.missing)).missing == missing


def test_wishes_are_parameters_of_the_readable_tree():
    labels = np.array(["ill", "well"])
    wishes = wished_settings(
        labels,
        size="1.5",
        required=["x0"],
        excluded=["x2"],
        increasing=["x1"],
        feature_costs={"x1": 2.0},
        costs=["ill as well=5"],
    )
    made = method_named("sparse-planes").make(Settings(**wishes))
    assert (made.size, made.costs) == (1.5, [[0.0, 5.0], [1.0, 0.0]])
    assert (made.required_features, made.excluded_features) == (["x0"], ["x2"])
    assert (made.monotonic_cst, made.feature_costs) == ({"x1": 1}, {"x1": 2.0})
    with pytest.raises(MethodError, match="has no --require"):
        method_named("c45").make(Settings(required_features=["x0"]))
    with pytest.raises(MethodError, match="predicting one class as another"):
        wished_settings(labels, costs=["ill=5"])


def test_columns_may_raise_and_lower_the_share_of_named_classes():
    labels = np.array([3, 1, 2, 1])
    wishes = wished_settings(labels, increasing=["a"], decreasing=["b"], share_of=["3", "2"])
    assert wishes["monotonic_cst"] == {"a": (1, [3, 2]), "b": (-1, [3, 2])}
    with pytest.raises(MethodError, match=r"--share-of names '4'. Classes: 1, 2, 3\."):
        wished_settings(labels, increasing=["a"], share_of=["4"])
    with pytest.raises(MethodError, match="With 3 classes, --increasing and --decreasing need"):
        wished_settings(labels, decreasing=["a"])
