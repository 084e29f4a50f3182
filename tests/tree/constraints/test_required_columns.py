"""Trees that read what is asked of them: groups whole, required columns by a cut of their own."""

import pytest
from plane_tables import read, table

from planetree import PlaneTreeClassifier


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_read_all_or_none(seed):
    X, y = table(seed)
    groups = [["a", "d"], [1, 2]]
    model = PlaneTreeClassifier(feature_groups=groups, size=0.4).fit(X, y)
    for group in ({"a", "d"}, {"b", "c"}):
        assert not group & read(model) or group <= read(model)
    needed = PlaneTreeClassifier(feature_groups=groups, required_features=["d"]).fit(X, y)
    assert {"a", "d"} <= read(needed)


@pytest.mark.parametrize("seed", range(2))
def test_required_columns_leave_the_other_limits_in_force(seed):
    X, y = table(seed)
    for limits in ({"max_splits": 2}, {"max_features_total": 2}, {"max_depth": 2}):
        model = PlaneTreeClassifier(required_features=["c", "d"], size=0.2, **limits).fit(X, y)
        assert {"c", "d"} <= read(model)
        assert model.tree_.n_decisions <= limits.get("max_splits", 40)
        assert len(model.features_used_) <= limits.get("max_features_total", 5)
        assert max(len(way) for _, way in model.tree_.ways()) <= limits.get("max_depth", 10)
    for limits in ({"max_splits": 0}, {"max_depth": 0}, {"max_features_total": 1}):
        with pytest.raises(ValueError, match="required"):
            PlaneTreeClassifier(required_features=["c", "d"], **limits).fit(X, y)


def test_a_group_that_cannot_be_read_whole_is_not_read():
    X, y = table(0)
    model = PlaneTreeClassifier(feature_groups=[["a", "constant"]]).fit(X.assign(constant=1.0), y)
    assert read(model)
    assert "a" not in read(model)


def test_the_cut_of_a_required_column_does_not_claim_to_be_the_best_of_every_column():
    X, y = table(0)
    model = PlaneTreeClassifier(required_features=["d"], max_splits=1).fit(X, y)
    assert [each.kind for each in model.certificates_] == [
        "best cut of a required column, by entropy"
    ]
