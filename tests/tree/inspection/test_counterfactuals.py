"""Cheapest changes: equal to one program over all leaves, inside all limits, and they predict."""

import numpy as np
import pytest
from change_oracle import Oracle
from changed_tables import MODELS, answers, large_tree, random_table

from planetree import (
    BilinearSeparator,
    PlaneTreeClassifier,
    RobustSeparator,
)
from planetree.datasets import load
from planetree.table import Table, read_rows
from planetree.tree import Explanations

MIP_TOLERANCE = 2e-6  # of HiGHS: how far its points may miss a row, and so how much less they cost


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
