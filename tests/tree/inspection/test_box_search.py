"""Branch and bound over boxes of scores: no row of a grid, and no list of regions, is cheaper."""

import numpy as np
import pytest
from changed_tables import MODELS, grid_of, random_table, two_numbers

from planetree import (
    PlaneTreeClassifier,
)
from planetree.table import Table, read_rows
from planetree.tree.inspection import answer_regions


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
