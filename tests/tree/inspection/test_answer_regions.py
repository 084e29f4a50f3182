"""Regions of answers: every row lies in one of its pattern, and has its answer."""

import numpy as np
import pytest
from changed_tables import random_table

from planetree import (
    C45Classifier,
    PlaneTreeClassifier,
)
from planetree.table import Table, read_rows
from planetree.tree import fitted_tree
from planetree.tree.inspection import answer_regions
from planetree.tree.inspection.answer_regions import AnswerRegions


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


@pytest.mark.parametrize("missing", [frozenset(), frozenset({0}), frozenset({1, 4})])
@pytest.mark.parametrize("seed", range(2))
def test_a_row_lies_in_a_region_of_its_pattern_and_has_its_answer(seed, missing):
    """Regions of complete rows do not overlap but for borders: exactly one holds a row."""
    X, y = random_table(seed)
    model = C45Classifier(min_cases=5).fit(X, y)
    cells = read_rows(model, X, missing=True)
    cells[:, list(missing)] = np.nan
    regions = AnswerRegions(fitted_tree(model))
    found = regions.of(missing)
    answers = model.predict(Table(cells, model.columns_))
    for row, answer in zip(cells, answers, strict=True):
        above = regions.half_spaces.scores(row) > 0
        inside = [all(above[i] == side for i, side in sides) for sides in found.sides]
        assert sum(inside) == 1
        assert model.classes_[found.codes[inside.index(True)]] == answer
