"""Why a row gets its class: what is named as a change is one, and none is smaller."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from planetree import (
    BilinearSeparator,
    C45Classifier,
    MultisurfaceClassifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.planes import Planes
from planetree.tree import explain
from planetree.tree.inspection.explanation import _CLEARANCE as CLEARANCE

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target_names[IRIS.target]
TWO = Y != "setosa"

MODELS = {
    "plane tree": PlaneTreeClassifier(size="accurate"),
    "c45": C45Classifier(),
    "separator tree": SeparatorTreeClassifier(),
    "argmax": RobustSeparator(),
    "two planes": BilinearSeparator(max_restarts=1),
    "slabs": MultisurfaceClassifier(max_pairs=3, conflicts="majority"),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    rows = TWO if request.param in ("two planes", "slabs") else slice(None)
    return MODELS[request.param].fit(X[rows], Y[rows])


@pytest.mark.parametrize("row", [0, 60, 77, 120, 149])
def test_the_change_named_changes_the_answer_and_no_smaller_one_does(model, row):
    why = explain(model, X, row)
    assert why.answer == model.predict(X.iloc[[row]])[0]
    for change in why.changes:
        copies = X.iloc[[row] * 200].reset_index(drop=True)
        largest = max(abs(change.value), abs(change.new_value))
        nearer = abs(change.new_value - change.value) - 8 * CLEARANCE * largest
        copies[change.column] = change.value + np.linspace(-1, 1, 200) * max(0.0, nearer)
        copies.loc[199, change.column] = change.new_value
        answers = model.predict(copies)
        assert np.all(answers[:199] == why.answer)
        assert answers[199] == change.answer != why.answer


def test_a_row_in_too_many_regions_is_explained_without_a_radius():
    """Once the radius refused the whole explanation of a row with a missing cell."""
    grid = np.stack(np.meshgrid(np.arange(24.0), np.arange(24.0)), axis=-1).reshape(-1, 2)
    across, down = (grid // 3).astype(int).T
    model, row = C45Classifier().fit(grid, 8 * across + down), [[np.nan, 3.0]]
    with pytest.raises(ValueError, match="A row lies in one of"):
        model.explain(row).robustness()
    why = explain(model, row)
    assert np.isnan(why.radius)
    assert why.answer == model.predict(row)[0]


def test_a_column_without_a_change_has_none_anywhere_in_its_range(model):
    has_ranges = hasattr(model, "ranges_")  # of a separator anywhere
    for row in (3, 100):
        why = explain(model, X, row)
        named = {change.column for change in why.changes}
        for column in set(X.columns) - named:
            copies = X.iloc[[row] * 400].reset_index(drop=True)
            ends = (X[column].min(), X[column].max()) if has_ranges else (-50, 50)
            copies[column] = np.linspace(*ends, 400)
            assert np.all(model.predict(copies) == why.answer)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([C45Classifier(), PlaneTreeClassifier()]))
def test_single_changes_are_the_smallest_whole_numbers_within_the_data(seed, model):
    """A change once named 0.26 vessels, and 13 years for rows of people from 20 to 70."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(20, 60, size=(80, 3)).astype(float)
    weights = rng.normal(size=3)
    model.fit(rows, rows @ weights + rng.normal(size=80) > np.median(rows @ weights))
    for row in rng.choice(80, 5, replace=False):
        why = explain(model, rows, row)
        named = {change.column: change for change in why.changes}
        for j in range(3):
            values = np.arange(rows[:, j].min(), rows[:, j].max() + 1)
            copies = np.tile(rows[row], (len(values), 1))
            copies[:, j] = values
            other = values[model.predict(copies) != why.answer]
            found = named.get(f"x{j}")
            assert (found is None) == (len(other) == 0)
            if found is not None:
                assert found.new_value in other
                assert abs(found.new_value - rows[row, j]) == np.abs(other - rows[row, j]).min()


def test_a_row_beyond_the_data_may_move_toward_it():
    model = C45Classifier().fit(np.arange(40.0)[:, None], np.arange(40) > 19)
    (change,) = explain(model, [[75.0]]).changes
    assert (change.value, change.new_value) == (75.0, 19.0)


@pytest.mark.parametrize("row", [0, 77])
def test_what_the_terms_add_sums_to_the_score(model, row):
    for step in explain(model, X, row).steps:
        assert step.contributions.shape == step.split.weights.shape
        sums = step.contributions.sum(axis=1) - step.split.offsets
        np.testing.assert_allclose(sums, step.scores, atol=1e-9)


def test_the_smallest_change_comes_first_in_units_of_the_columns():
    why = explain(RobustSeparator().fit(X, Y), X, 77)
    sizes = [change.size for change in why.changes]
    assert sizes == sorted(sizes)
    first = why.changes[0]
    assert first.size == pytest.approx(
        abs(first.new_value - first.value) / X[first.column].std(ddof=0)
    )


def test_the_steps_are_the_way_of_the_row(model):
    for row in (0, 77, 149):
        why = explain(model, X, row)
        if hasattr(model, "decision_path"):
            nodes = model.decision_path(X.iloc[[row]]).indices
            assert sorted([*(step.node for step in why.steps), why.leaf]) == sorted(nodes)
        for step in why.steps:
            assert step.share == 1.0
            if isinstance(step.split, Planes) and step.split.rule != "argmax":
                lengths = np.linalg.norm(step.split.weights, axis=1)
                assert step.distances == pytest.approx(np.abs(step.scores) / lengths)


def test_the_distance_from_the_largest_score_is_to_where_another_is_as_large():
    model = RobustSeparator().fit(X, Y)
    step = explain(model, X, 77).steps[0]
    winner = int(np.argmax(step.scores))
    point, weights = X.to_numpy()[77], step.split.weights
    for other in {0, 1, 2} - {winner}:
        normal = weights[winner] - weights[other]
        gap = step.scores[winner] - step.scores[other]
        border = point - normal * gap / (normal @ normal)
        scores = step.split.scores(border[None])[0]
        assert scores[winner] == pytest.approx(scores[other])
        assert np.linalg.norm(border - point) == pytest.approx(step.distances[other])


def test_a_category_is_changed_by_name_and_a_missing_value_divides_the_row():
    frame = pd.DataFrame({"color": ["red", "blue", "green"] * 20, "size": np.arange(60.0)})
    labels = np.where((frame["color"] == "red") | (frame["size"] > 50), "warm", "cold")
    model = C45Classifier(min_cases=1).fit(frame, labels)
    (change,) = [each for each in explain(model, frame, 0).changes if each.column == "color"]
    assert (change.value, change.answer) == ("red", "cold")
    assert change.new_value in ("blue", "green")
    gap = frame.iloc[[1]].assign(color=None)
    why = explain(model, pd.concat([frame, gap], ignore_index=True), 60)
    assert why.steps[0].branch == -1
    assert why.answer == model.predict(gap)[0]
    assert why.shares == pytest.approx(model.predict_proba(gap)[0])


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_random_trees_and_rows(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 3)).round(1)
    labels = rng.integers(0, 3, 40)
    model = C45Classifier(min_cases=1, prune=False, arithmetic="double").fit(values, labels)
    why = explain(model, values, 0)
    for column in range(3):
        grid = np.repeat(values[:1], 200, axis=0)
        grid[:, column] = rng.uniform(-4, 4, 200)
        other = grid[model.predict(grid) != why.answer, column]
        found = [change for change in why.changes if change.column == f"x{column}"]
        nearest = np.abs(other - values[0, column]).min(initial=np.inf)
        if len(other):
            assert found
        if found:
            assert abs(found[0].new_value - found[0].value) <= nearest + 1e-8


def test_a_border_at_zero_is_crossed_by_a_number_that_can_be_written():
    rows = [[-2.5], [-1.0], [0.0], [0.0], [1.0], [2.5]]
    model = C45Classifier(min_cases=1, prune=False).fit(rows, list("aaaabb"))
    assert model.tree_.splits[0].offsets.tolist() == [0.0]
    for row in range(6):
        (change,) = explain(model, rows, row).changes
        assert abs(change.new_value) < 1e-8
        assert abs(change.new_value) > 1e-14
        assert model.predict([[change.new_value]])[0] == change.answer


def test_what_has_no_planes_and_rows_that_are_not_there_are_refused():
    few = [[0.0, 5.0], [1.0, 0.0], [4.0, 4.0], [5.0, 1.0]]
    with pytest.raises(TypeError, match="PairwiseSelector"):
        explain(PairwiseSelector().fit(few, [0, 0, 1, 1]), few)
    with pytest.raises(ValueError, match="from 0 to 149"):
        explain(C45Classifier().fit(X, Y), X, 150)


@pytest.mark.parametrize("grading", ["leaf", "soft"])
def test_the_ways_of_a_row_and_their_shares_make_its_probabilities(grading):
    model = PlaneTreeClassifier(size="accurate", grading=grading).fit(X, Y)
    n_unsure = 0
    for row in range(0, 150, 7):
        why = explain(model, X, row)
        assert sum(way.share for way in why.ways) == pytest.approx(1.0)
        leaves = model.tree_.leaf_probabilities[[way.leaf for way in why.ways]]
        graded = np.array([way.share for way in why.ways]) @ leaves
        expected = model.tree_.distribution(X.to_numpy()[[row]])[0]
        assert graded == pytest.approx(expected)
        assert why.leaf in [way.leaf for way in why.ways]
        for step in why.steps:
            n_unsure += step.is_unsure
            assert step.taken.sum() == pytest.approx(1.0)
            assert step.is_unsure == (step.taken.max() <= 0.9)  # of two branches
    assert n_unsure > 0


def test_a_hard_tree_has_one_way_and_is_never_unsure():
    model = PlaneTreeClassifier(size="accurate", grading=None).fit(X, Y)
    for row in (0, 77, 120):
        why = explain(model, X, row)
        assert [(way.leaf, way.share) for way in why.ways] == [(why.leaf, 1.0)]
        assert not any(step.is_unsure for step in why.steps)


def test_a_soft_answer_changes_beside_a_threshold_too():
    """Between two thresholds the class may change where no score crosses zero."""
    model = PlaneTreeClassifier(size="accurate", grading="soft").fit(X, Y)
    n_found = 0
    for row in range(50, 150, 3):
        why = explain(model, X, row)
        for column in X.columns:
            copies = X.iloc[[row] * 400].reset_index(drop=True)
            moved = X[column].iloc[row] + np.linspace(-2, 2, 400)
            copies[column] = np.clip(moved, X[column].min(), X[column].max())
            answers = model.predict(copies)
            found = [change for change in why.changes if change.column == column]
            if np.any(answers != why.answer):
                other = copies[column][answers != why.answer]
                nearest = np.abs(other - X[column].iloc[row]).min()
                (change,) = found
                assert abs(change.new_value - change.value) <= nearest + 1e-6
                n_found += 1
    assert n_found > 20
