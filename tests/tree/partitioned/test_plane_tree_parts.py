"""The readable tree of a table in parts is that of memory, grown from the same drawn rows."""

import numpy as np
import pandas as pd
import pytest
from parted_tables import frame_of, parts_of

from planetree import PlaneTreeClassifier, load, save
from planetree.planes import Planes
from planetree.separators.problem import in_term_order
from planetree.table import Table
from planetree.tree.partitioned import plane_tree_parts
from planetree.tree.partitioned.finishing import LabeledParts
from planetree.tree.plane import plane_search, plane_tree


class Drawn:
    """Makes memory draw the rows that a fit of parts has drawn."""

    def __init__(self, monkeypatch):
        self.few = self.labeled = None
        monkeypatch.setattr(plane_tree_parts, "sampled_rows", self.of_parts)
        monkeypatch.setattr(plane_tree_parts, "LabeledParts", self.of_grading)
        monkeypatch.setattr(plane_tree, "sampled_rows", self.of_memory)
        monkeypatch.setattr("planetree.grading.chosen_rows", self.graded)
        monkeypatch.setattr("planetree.tree.graded_tree.chosen_rows", self.graded)

    def of_parts(self, rows):
        self.few = plane_search.sampled_rows(rows)
        return self.few

    def of_grading(self, X, codes, *others):
        self.labeled = _keys(X, codes)
        return LabeledParts(X, codes, *others)

    def of_memory(self, rows):
        place = {key: i for i, key in enumerate(_keys_of(rows.whole()))}
        chosen = np.array([place[key] for key in _keys_of(self.few)])
        order = np.argsort(chosen)
        graded = chosen if self.labeled is None else [place[key] for key in self.labeled]
        self.chosen = np.sort(graded)
        weights, draws = self.few.weights[order], self.few.draws[order]
        return rows.part(chosen[order])._replace(weights=weights, draws=draws)

    def graded(self, draws, n_rows):
        few = draws is None or n_rows <= len(self.few.codes)
        return np.arange(n_rows) if few else self.chosen


def _keys_of(rows):
    return _keys(rows.given_columns(rows.in_units().values), rows.order[rows.codes])


def _keys(X, codes):
    return [(c, *np.where(np.isnan(x), 1e300, x)) for c, x in zip(codes.tolist(), X, strict=True)]


def assert_same_tree(found, whole):
    one, other = found.tree_, whole.tree_
    assert one.n_nodes == other.n_nodes
    assert np.allclose(one.class_weights, other.class_weights, rtol=1e-9)
    assert np.allclose(one.leaf_distributions, other.leaf_distributions, rtol=1e-6)
    for a, b in zip(one.splits, other.splits, strict=True):
        assert type(a) is type(b)
        if isinstance(a, Planes):
            a, b = in_term_order(a), in_term_order(b)
            assert a.columns.tolist() == b.columns.tolist()
            assert a.weights == pytest.approx(b.weights, rel=1e-6)
            assert a.offsets == pytest.approx(b.offsets, rel=1e-6)
            assert (a.rule, a.unknown) == (b.rule, b.unknown)
            assert a.spread == pytest.approx(b.spread, rel=1e-2)


def assert_same_proofs(found, whole):
    for a, b in zip(found.certificates_, whole.certificates_, strict=True):
        assert a.kind == b.kind
        assert a.status == b.status
        if not np.isnan(b.bound):
            assert a.bound == pytest.approx(b.bound, rel=1e-7)
            assert b.bound <= a.objective * (1 + 1e-12)
            assert a.objective == pytest.approx(b.objective, rel=1e-3)  # some sizes are tried
        assert (a.moved is None) == (b.moved is None)


@pytest.mark.parametrize(
    ("k", "gaps", "weight", "options"),
    [
        (2, 0.0, None, {"max_splits": 4}),
        (3, 0.1, "times", {"class_weight": "balanced", "max_splits": 4}),
        (2, 0.05, None, {"grading": None, "costs": [[0, 1], [3, 0]], "max_splits": 4}),
    ],
)
def test_given_the_same_drawn_rows_the_tree_is_that_of_memory(few_rows, k, gaps, weight, options):
    # What the alternating pass finds stays as some rows found it, so it is skipped here.
    few_rows.setattr("planetree.tree.plane.tree_choice.alternate", lambda *given: None)
    frame = frame_of(4000, 1, k, gaps)
    frame = frame if weight else frame.drop(columns="times")
    drawn = Drawn(few_rows)
    found = PlaneTreeClassifier(**options).fit(parts_of(frame, 3, weight))
    X = frame.drop(columns=["kind", "times"], errors="ignore")
    whole = PlaneTreeClassifier(**options).fit(X, frame.kind, frame.get(weight))
    assert drawn.few is not None
    assert found.n_terms_ > 2
    assert_same_tree(found, whole)
    assert_same_proofs(found, whole)
    assert any(c.kind == "linear program" for c in found.certificates_)
    assert (found.predict(X) == whole.predict(X)).all()
    for name in ("low", "high", "deviation", "whole", "missing"):
        one, other = getattr(found.ranges_, name), getattr(whole.ranges_, name)
        assert np.allclose(one, other, rtol=1e-9, equal_nan=True)


def test_a_table_of_few_different_rows_has_the_tree_of_memory_to_the_bit():
    frame = frame_of(300, 2, gaps=0.02).drop(columns="times")
    twice = pd.concat([frame, frame])
    found = PlaneTreeClassifier(max_splits=2).fit(parts_of(twice, 4))
    whole = PlaneTreeClassifier(max_splits=2).fit(twice.drop(columns="kind"), twice.kind)
    assert found.to_text() == whole.to_text()
    assert np.array_equal(found.tree_.leaf_probabilities, whole.tree_.leaf_probabilities)
    assert found.certificates_ == whole.certificates_
    assert found.n_reads_ == 1


def test_a_tree_of_parts_is_saved_with_what_it_read(few_rows, tmp_path):
    frame = frame_of(3000, 4).drop(columns="times")
    model = PlaneTreeClassifier(max_splits=1).fit(parts_of(frame, 2))
    save(model, tmp_path / "tree.json")
    again, X = load(tmp_path / "tree.json"), frame.drop(columns="kind")
    assert again.n_reads_ == model.n_reads_
    assert (again.predict(X) == model.predict(X)).all()
    assert again.tree_.weights[0] == len(frame)


def test_limits_on_columns_hold_on_parts_too(few_rows):
    frame = frame_of(3000, 5).drop(columns="times")
    model = PlaneTreeClassifier(
        excluded_features=["b"], max_features_total=2, monotonic_cst={"a": 1}, max_splits=2
    ).fit(parts_of(frame, 2))
    assert model.n_features_used_ <= 2
    assert 1 not in model.features_used_
    X = pd.DataFrame(0.0, index=range(50), columns=list("abcd")).assign(color="red")
    X["a"] = np.linspace(-3, 3, 50)
    assert (np.diff(model.predict_proba(X)[:, 1]) >= -1e-12).all()


def test_a_teacher_and_a_time_limit_on_parts(few_rows):
    frame = frame_of(3000, 6).drop(columns="times")
    with pytest.raises(ValueError, match=r"teacher=None, or fit .*sample"):
        PlaneTreeClassifier(teacher=PlaneTreeClassifier()).fit(parts_of(frame, 2))
    with pytest.warns(Warning, match="time limit"):
        model = PlaneTreeClassifier(time_limit=0.0).fit(parts_of(frame, 2))
    assert model.status_ == "time_limit"
    assert model.tree_.weights[0] == len(frame)


def test_missing_cells_are_told_in_the_ranges(few_rows):
    frame = frame_of(3000, 7, gaps=0.2).drop(columns="times")
    model = PlaneTreeClassifier(max_splits=1).fit(parts_of(frame, 3))
    share = Table.read(frame.drop(columns="kind")).values
    assert model.ranges_.missing == pytest.approx(np.isnan(share).mean(axis=0))
