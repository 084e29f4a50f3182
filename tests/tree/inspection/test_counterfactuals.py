"""Cheapest changes: equal to one program over all leaves, inside all limits, and they predict."""

from functools import cache

import numpy as np
import pytest
from change_oracle import Oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import (
    BilinearSeparator,
    C45Classifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.datasets import load
from planetree.table import Table, read_rows
from planetree.tree import Explanations
from planetree.tree.inspection import answer_regions

MIP_TOLERANCE = 2e-6  # of HiGHS: how far its points may miss a row, and so how much less they cost


def random_table(seed, n=60, categories=True):
    """Numbers, whole numbers and words, with a class that follows from all of them."""
    rng = np.random.default_rng(seed)
    numbers, whole = rng.normal(size=(n, 2)), rng.integers(-3, 4, size=(n, 2))
    words = rng.integers(0, 3, size=n)
    score = numbers @ rng.normal(size=2) + whole @ rng.normal(size=2) + rng.normal(size=3)[words]
    y = np.digitize(score, np.quantile(score, [0.4, 0.75] if seed % 2 else [0.5]))
    columns = [*numbers.T.tolist(), *whole.T.astype(float).tolist()]
    columns += [[["red", "green", "blue"][w] for w in words]] if categories else []
    return np.array(list(zip(*columns, strict=True)), dtype=object), np.array(list("abc"))[y]


@cache
def large_tree(seed, categories=True):
    return PlaneTreeClassifier(size=0.1).fit(*random_table(seed, categories=categories))


MODELS = [
    PlaneTreeClassifier(),
    PlaneTreeClassifier(grading=None, size=0.1),
    C45Classifier(min_cases=5),
    SeparatorTreeClassifier(max_splits=3),
]


def answers(model, X, **limits):
    """Cheapest change of each row, or None."""
    return [found[0] if found else None for found in model.explain(X).counterfactuals(**limits)]


def equal_the_oracle(model, X, max_changes, rows):
    explained, ranges = model.explain(X[rows]), model.ranges_
    oracle = Oracle(
        model, ranges.low, ranges.high, ranges.whole, ranges.scales(), max_changes=max_changes
    )
    cells, codes = read_rows(model, X[rows], missing=True), explained._codes(explained._rows)
    for i, found in enumerate(explained.counterfactuals(max_changes=max_changes)):
        best = oracle.cost(cells[i], set(range(len(model.classes_))) - {codes[i]})
        cost = found[0].cost if found else np.inf
        assert cost == pytest.approx(best, abs=MIP_TOLERANCE)
        assert not found or found[0].certificate.gap <= 1e-7


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_a_change_costs_what_one_program_over_all_leaves_says(model, seed):
    X, y = random_table(seed)
    equal_the_oracle(model.fit(X, y), X, max_changes=1 + seed % 3, rows=np.arange(0, 60, 15))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_model_gives_the_changed_row_its_class_inside_all_limits(model):
    X, y = random_table(5)
    model.fit(X, y)
    found = answers(model, X, increase_only=["x0"], change_costs={"x1": 2.0})
    ranges, changed = model.ranges_, [each for each in found if each is not None]
    assert len(changed) > 40
    for row, each in zip(X, found, strict=True):
        if each is None:
            continue
        new = np.array([list(each.values.values())], dtype=object)
        assert model.predict(new)[0] == each.answer != model.predict(row[None])[0]
        assert 1 <= len(each.changes) <= 3
        assert new[0, 0] >= row[0]
        numbers = new[0, :4].astype(float)
        assert (numbers >= ranges.low[:4]).all()
        assert (numbers <= ranges.high[:4]).all()
        assert (numbers[2:] == np.rint(numbers[2:])).all()
        sizes = {c.column: 1.0 if np.isnan(c.size) else c.size for c in each.changes}
        assert each.cost == pytest.approx(sum(sizes.values()) + sizes.get("x1", 0.0))


def test_columns_that_may_not_change_do_not_and_an_empty_list_says_that_nothing_helps():
    X, y = random_table(0)
    model = PlaneTreeClassifier().fit(X, y)
    for found in answers(model, X, changeable=["x2", 4]):
        assert found is None or {c.column for c in found.changes} <= {"x2", "x4"}
    unread = sorted(set(range(5)) - set(C45Classifier().fit(X, y).features_used_.tolist()))
    assert unread
    assert answers(C45Classifier().fit(X, y), X[:5], changeable=unread) == [None] * 5


def test_a_whole_number_on_the_closed_side_of_its_threshold_counts():
    """A threshold of C4.5 is a number of the table: 'x <= 2' is reached by 2 itself."""
    X = np.array([[0.0], [2.0], [4.0], [6.0]])
    model = C45Classifier(min_cases=1).fit(X, ["a", "a", "b", "b"])
    assert model.tree_.splits[0].offsets[0] == 2.0
    (down,), (up,) = model.explain([[4.0], [2.0]]).counterfactuals()
    assert down.values["x0"] == 2.0
    assert up.values["x0"] == 3.0
    (near,), (beyond,) = model.explain([[4.0], [2.0]]).counterfactuals(whole_numbers=False)
    assert near.values["x0"] == 2.0
    assert 2.0 < beyond.values["x0"] < 2.0 + 1e-7


def test_a_row_outside_the_bounds_may_stay_or_come_inside():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.5], [5.0, 0.2]])
    model = C45Classifier(min_cases=1).fit(X, ["a", "a", "b", "b"])
    (found,) = model.explain([[9.0, 7.0]]).counterfactuals()[0]
    assert found.values == {"x0": 1.0, "x1": 7.0}
    assert model.explain([[9.0, 7.0]]).counterfactuals(bounds={"x0": (2, 8)}) == [[]]
    (target,) = model.explain([[9.0, 7.0]]).counterfactuals(bounds=None, target="b")[0]
    assert target.cost == 0
    assert target.changes == ()


@pytest.mark.parametrize("seed", range(3))
def test_a_missing_cell_stays_missing_and_no_row_of_a_grid_is_cheaper(seed):
    """The oracle tries every row of a grid of whole numbers, asking `predict` alone."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(80, 3)).astype(float)
    y = (X @ rng.normal(size=3) > rng.normal()).astype(int) + (X[:, 0] > 3)
    X[rng.random(X.shape) < 0.15] = np.nan
    model = PlaneTreeClassifier(size=0.1).fit(X, y)
    grid = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), axis=-1).reshape(-1, 3)
    rows = X[np.isnan(X).any(axis=1)][:12]
    for row, found in zip(rows, answers(model, rows, max_changes=2), strict=True):
        tried = np.where(np.isnan(row), np.nan, grid)
        differs = ~np.isnan(row) & (tried != row)
        costs = (np.where(differs, np.abs(tried - row), 0) / model.ranges_.deviation).sum(axis=1)
        good = (model.predict(tried) != model.predict(row[None])) & (differs.sum(axis=1) <= 2)
        best = costs[good].min(initial=np.inf)
        assert (found.cost if found else np.inf) == pytest.approx(best)
        assert not found or [value is None for value in found.values.values()] == list(
            np.isnan(row)
        )


@pytest.mark.parametrize("seed", range(3))
def test_no_answer_changes_all_that_an_earlier_one_does_and_each_is_the_cheapest_such(seed):
    """The oracle tries every set of columns: the cheapest change of these alone, others held."""
    X, model = random_table(seed)[0], large_tree(seed)
    for row in X[:8]:
        (found,) = model.explain(row[None]).counterfactuals(n_answers=4)
        seen, subsets = [], []
        for mask in range(1, 32):
            held = [j for j in range(5) if mask >> j & 1]
            if len(held) <= 3 and (only := answers(model, row[None], changeable=held)[0]):
                subsets.append((only.cost, frozenset(c.column for c in only.changes)))
        for each in found:
            changed = frozenset(c.column for c in each.changes)
            assert not any(earlier <= changed for earlier in seen)
            left = [cost for cost, columns in subsets if not any(s <= columns for s in seen)]
            assert each.cost == pytest.approx(min(left))
            seen.append(changed)
        left = [cost for cost, columns in subsets if not any(s <= columns for s in seen)]
        assert len(found) == 4 or not left


@pytest.mark.parametrize("separator", [RobustSeparator(), BilinearSeparator(topology="second")])
def test_separators_are_asked_too(separator):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = separator.fit(X, y)
    for row, (found,) in zip(X, Explanations(model, X).counterfactuals(bounds=None), strict=True):
        new = np.array(list(found.values.values()))
        assert model.predict(new[None])[0] == found.answer != model.predict(row[None])[0]


def test_the_radius_is_the_distance_to_the_plane_in_the_sum_of_deviations():
    """Of one plane w.x = t the least sum of |change| / deviation is |w.x - t| / max |w dev|."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1, 10, 0.1]
    model = SeparatorTreeClassifier(max_splits=1).fit(X, X @ [1, 0.1, 10] > 0)
    plane = model.tree_.splits[0]
    steepest = np.abs(plane.weights[0] * X.std(axis=0)[plane.columns]).max()
    expected = np.abs(plane.scores(X)[:, 0]) / steepest
    np.testing.assert_allclose(model.explain(X).robustness(), expected, rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_nothing_within_the_radius_changes_the_class(seed, draw):
    X, model = random_table(seed)[0], large_tree(seed)
    rng = np.random.default_rng(draw)
    row = X[rng.integers(len(X))]
    (radius,) = model.explain(row[None]).robustness()
    steps = rng.dirichlet(np.full(4, 0.3), size=200) * rng.choice([-1, 1], size=(200, 4))
    moved = np.tile(row, (200, 1))
    reach = min(radius, 1e6) * (1 - 1e-9)
    moved[:, :4] = row[:4].astype(float) + reach * steps * model.ranges_.scales()[:4]
    assert (model.predict(moved) == model.predict(row[None])[0]).all()


def test_an_unbounded_counterfactual_lies_on_the_radius():
    X, model = random_table(2, categories=False)[0], large_tree(2, categories=False)
    limits = {"bounds": None, "whole_numbers": False, "max_changes": None}
    costs = [each.cost for each in answers(model, X, **limits)]
    np.testing.assert_allclose(model.explain(X).robustness(), costs, rtol=1e-6, atol=1e-7)


def grid_of(model, row, n=161):
    """Rows of a grid within the observed ranges of two columns, and what they cost."""
    ranges = model.ranges_
    lines = [
        np.append(np.linspace(a, b, n), row[j])
        for j, (a, b) in enumerate(zip(ranges.low, ranges.high, strict=True))
    ]
    grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 2)
    return grid, (np.abs(grid - row) / ranges.scales()).sum(axis=1)


def two_numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2))
    return X, np.where(X[:, 0] ** 2 + X[:, 1] + 0.4 * rng.normal(size=150) > 0.8, "b", "a")


@pytest.mark.parametrize("seed", range(2))
def test_no_row_of_a_grid_is_cheaper_than_the_change_of_a_soft_tree(seed):
    X, y = two_numbers(seed)
    model = PlaneTreeClassifier(grading="soft", size=0.3).fit(X, y)
    for row in X[:2]:
        (found,) = model.explain(row[None]).counterfactuals()[0]
        new = np.array(list(found.values.values()))
        own = model.predict(row[None])[0]
        assert model.predict(new[None])[0] == found.answer != own
        grid, costs = grid_of(model, row)
        least = costs[model.predict(grid) != own].min()
        assert found.certificate.bound <= found.cost <= least + 1e-9
        assert found.certificate.gap <= 1e-4


@pytest.mark.parametrize("grading", ["leaf", "soft", None])
def test_a_change_can_aim_at_a_probability(grading):
    X, y = two_numbers(5)
    model = PlaneTreeClassifier(grading=grading, size=0.3).fit(X, y)
    for row in X[:2]:
        answers = model.explain(row[None]).counterfactuals(target="b", probability=0.8)[0]
        grid, costs = grid_of(model, row)
        reached = model.predict_proba(grid)[:, 1] >= 0.8
        assert bool(answers) >= bool(reached.any())
        for found in answers:
            new = np.array([list(found.values.values())])
            assert model.predict_proba(new)[0, 1] >= 0.8
            assert found.certificate.bound <= found.cost
            assert found.certificate.bound <= costs[reached].min(initial=np.inf) + 1e-9
            assert found.certificate.gap <= 1e-4


def test_probabilities_that_cannot_be_proved_are_refused():
    X, y = two_numbers(0)
    with pytest.raises(ValueError, match="above 1/2"):
        PlaneTreeClassifier().fit(X, y).explain(X[:1]).counterfactuals(probability=0.3)
    with pytest.raises(ValueError, match="needs a tree"):
        Explanations(RobustSeparator().fit(X, y), X[:1]).counterfactuals(probability=0.7)


@pytest.mark.parametrize("model", MODELS[1:3], ids=lambda model: type(model).__name__)
def test_boxes_find_what_a_list_of_all_regions_finds(model, monkeypatch):
    X, y = random_table(3)
    model.fit(X, y)
    cells = read_rows(model, X[:6], missing=True)
    cells[::2, 0] = np.nan
    rows = Table(cells, model.columns_)
    listed = [each[0].cost if each else np.inf for each in model.explain(rows).counterfactuals()]
    monkeypatch.setattr(answer_regions, "_MOST_REGIONS", 1)
    boxed = [each[0].cost if each else np.inf for each in model.explain(rows).counterfactuals()]
    np.testing.assert_allclose(boxed, listed, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"changeable": ["age"]}, "'age' is not a column"),
        ({"changeable": "x0"}, "as a list"),
        ({"increase_only": ["x4"]}, "neither rise nor fall"),
        ({"change_costs": {"x0": 0.0}}, "positive number"),
        ({"bounds": "wide"}, "'observed', None"),
        ({"bounds": {"x0": (3, 2)}}, "empty"),
        ({"max_changes": 0}, "whole number from 1"),
        ({"target": "d"}, "one of"),
    ],
)
def test_limits_that_mean_nothing_are_refused(limits, says):
    X, model = random_table(0)[0], large_tree(0)
    with pytest.raises(ValueError, match=says):
        model.explain(X).counterfactuals(**limits)


def test_missing_cells_that_leave_too_many_ways_open_do_not_stop_the_search(monkeypatch):
    monkeypatch.setattr(answer_regions, "_MOST_REGIONS", 3)
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(150, 3))
    y = (wide[:, 2] > 0) ^ (rng.random(150) < 0.25)
    model = PlaneTreeClassifier(size=0.0, grading=None, max_features_per_split=1).fit(wide, y)
    explained = model.explain([[np.nan, np.nan, 1.0]])
    with pytest.raises(answer_regions.RegionsError):
        explained._regions.of(frozenset({0, 1}))
    (found,) = explained.counterfactuals()[0]
    new = [[np.nan if value is None else value for value in found.values.values()]]
    assert model.predict(new)[0] == found.answer
    assert found.certificate.gap <= 1e-6
    between = np.linspace(new[0][2], 1.0, 200)[1:]
    rows = [[np.nan, np.nan, value] for value in between]
    assert set(model.predict(rows).tolist()) == {not found.answer}


def test_a_loaded_model_has_the_ranges_of_its_training_rows(tmp_path):
    from planetree import load as load_model
    from planetree import save

    X, y = random_table(3)
    model = PlaneTreeClassifier().fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    first, again = (each.explain(X[:3]).counterfactuals() for each in (model, loaded))
    assert first == again
    table = Table.read(X)
    numbers = table.values[:, :4]
    np.testing.assert_array_equal(loaded.ranges_.low[:4], numbers.min(axis=0))
    np.testing.assert_allclose(loaded.ranges_.deviation[:4], numbers.std(axis=0))


@pytest.mark.parametrize("name", ["heart-cleveland", "glass"])
def test_changes_of_real_rows_cost_what_the_program_says(name, data_folder):
    data = load(name)
    X = data.X.to_numpy(dtype=object)
    whole = ~data.X.isna().any(axis=1).to_numpy()
    model = PlaneTreeClassifier().fit(X[whole], data.y[whole])
    equal_the_oracle(model, X[whole], max_changes=3, rows=np.arange(0, whole.sum(), 40))


def test_bounds_far_away_cost_nothing():
    """Once the clearance was a share of the bounds, and 'optimal' changes went far past planes."""
    X, _ = random_table(2, categories=False)
    model = large_tree(2, categories=False)
    free = answers(model, X[:6], bounds=None, whole_numbers=False)
    for end in (1e6, 1e9, 1e300):
        wide = {column: (-end, end) for column in range(4)}
        found = answers(model, X[:6], bounds=wide, whole_numbers=False)
        assert [each.cost for each in found] == pytest.approx([each.cost for each in free])
        rows = np.array([list(each.values.values()) for each in found])
        assert model.predict(rows).tolist() == [each.answer for each in found]


def test_a_whole_number_may_be_more_steps_from_its_bound_than_an_integer_holds():
    """Once the steps to 1e20 overflowed, and no change was found."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(80, 2)).astype(float)
    model = PlaneTreeClassifier().fit(X, X.sum(axis=1) > 8.5)
    near, far = ({0: (-end, end), 1: (-end, end)} for end in (50.0, 1e20))
    found = [answers(model, X[:5], bounds=bounds) for bounds in (near, far)]
    assert [each.values for each in found[1]] == [each.values for each in found[0]]
