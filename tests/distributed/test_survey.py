"""The first read: columns, classes and moments of all parts are those of one table."""

import numpy as np
import pandas as pd
import pytest
from parted_rows import assert_same, table

from planetree import RobustSeparator
from planetree.distributed import open_partitions


def test_categories_are_joined_by_their_labels():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"color": rng.choice(list("abcd"), 900), "size": rng.normal(size=900)})
    frame["kind"] = np.where(
        (frame.color == "a") | (frame["size"] + rng.normal(size=900) > 0.5), "yes", "no"
    )
    parts = [part for _, part in frame.groupby("color")] + [frame[:0]]
    found = RobustSeparator().fit(open_partitions(parts, target="kind"))
    whole = RobustSeparator().fit(frame[["color", "size"]], frame.kind)
    assert found.columns_ == whole.columns_
    assert found.classes_.tolist() == whole.classes_.tolist()
    assert_same(found, whole)
    some = frame[["color", "size"]][:100]
    assert (found.predict(some) == whole.predict(some)).all()


def test_a_column_that_is_text_in_one_part_and_numbers_in_another_is_named():
    one = pd.DataFrame({"age": [1.0, 2.0], "kind": [0, 1]})
    other = pd.DataFrame({"age": ["x", "y"], "kind": [0, 1]})
    with pytest.raises(ValueError, match=r"'age' .* in part 0, but text such as 'x' in part 1"):
        RobustSeparator().fit(open_partitions([one, other], target="kind"))
    with pytest.raises(ValueError, match="columns of part 1"):
        RobustSeparator().fit(open_partitions([one, one.assign(b=1)], target="kind"))


def test_rows_of_weight_0_are_none():
    """Neither their labels nor their categories nor their gaps exist."""
    rng = np.random.default_rng(10)
    frame = pd.DataFrame({"size": rng.normal(size=90), "color": rng.choice(["a", "b"], 90)})
    frame["kind"] = np.where(frame["size"] + rng.normal(size=90) > 0, "yes", "no")
    frame["times"] = 1.0
    frame.loc[7] = [np.nan, "q", "perhaps", 0.0]
    parts = open_partitions([frame[i::3] for i in range(3)], target="kind", weight="times")
    found, count = RobustSeparator().fit(parts), frame.times > 0
    whole = RobustSeparator().fit(frame[["size", "color"]][count], frame.kind[count])
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.columns_ == whole.columns_
    assert_same(found, whole)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ((["a"], ["apple"]), ["a", "apple"]),
        (([False], [2]), [0, 2]),
        (([1], [0.0]), [0.0, 1.0]),
    ],
)
def test_labels_of_several_types_are_those_of_all_parts_together(labels, classes):
    X = np.arange(8.0)[:, None]
    parts = [(X[4 * i : 4 * i + 4], np.array(labels[i] * 4)) for i in range(2)]
    for order in (parts, parts[::-1]):
        found = RobustSeparator().fit(open_partitions(order))
        assert found.classes_.tolist() == classes
        assert found.classes_.dtype == np.concatenate([y for _, y in parts]).dtype
        assert found.predict(X[:1]).tolist() == labels[0]


def test_labels_of_text_and_of_numbers_do_not_mix():
    X = np.arange(4.0)[:, None]
    parts = open_partitions([(X[:2], np.array([0, 1])), (X[2:], np.array(["0", "1"]))])
    with pytest.raises(ValueError, match=r"y holds whole numbers such as 0 in part 0, but text"):
        RobustSeparator().fit(parts)
    one = pd.DataFrame({"age": [1.0, 2.0], "kind": ["a", "b"]})
    parts = open_partitions([one, one.assign(kind=[True, False])], target="kind")
    with pytest.raises(ValueError, match=r"'kind' .* but booleans such as False in part 1"):
        RobustSeparator().fit(parts)


@pytest.mark.parametrize("factor", [1e200, 1e-250])
def test_numbers_whose_squares_are_none_are_named(factor):
    X, y = table(16, 100, 2, 2, "plain")
    X *= [1.0, factor]
    parts = open_partitions([(X[:50], y[:50]), (X[50:], y[50:])])
    with pytest.raises(ValueError, match="numbers of column 'x1' are too large, or differ too"):
        RobustSeparator().fit(parts)
