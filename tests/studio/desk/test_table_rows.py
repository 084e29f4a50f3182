"""Rows of the table: filters by the definition, and groups that add up."""

import numpy as np
import pytest

from planetree.studio.desk.table_rows import cell_text, group_errors, row_shown, rows_shown
from planetree.studio.recipe import recipe_of


def shown(at_work, **chosen):
    return rows_shown(at_work.desk, **at_work.asked, chosen=chosen)


def test_filters_keep_the_rows_that_their_names_say(at_work):
    recipe = recipe_of(at_work.recipe)
    model, data = at_work.desk.fitted(recipe), at_work.desk.training(recipe)
    answers, shares = model.predict(data.table), model.predict_proba(data.table).max(axis=1)
    wrong = np.flatnonzero(answers != data.labels)
    assert [row["number"] for row in shown(at_work, filter="errors")["rows"]] == wrong.tolist()[:50]
    unsure = [row["number"] for row in shown(at_work, filter="border")["rows"]]
    assert np.array_equal(shares[unsure], np.sort(shares)[:50])
    age = data.table.values[:, [c.name for c in data.table.columns].index("age")]
    for value, kept in (("> 50", age > 50), ("<= 40", age <= 40), ("", np.isnan(age))):
        assert shown(at_work, column="age", value=value)["total"] == kept.sum()
    reds = shown(at_work, column="color", value="RE")["total"]
    assert reds == sum(cell_text(data.table, i, 2) in ("red", "green") for i in range(120))
    assert len(shown(at_work, offset=100)["rows"]) == 20


@pytest.mark.parametrize(
    "chosen", [{"column": "height", "value": "1"}, {"column": "age", "value": "x"}]
)
def test_filters_that_mean_nothing_are_refused(at_work, chosen):
    with pytest.raises(ValueError):
        shown(at_work, **chosen)


def test_a_row_is_explained_with_its_cells_and_changes_that_are_proved(at_work):
    why = row_shown(at_work.desk, **at_work.asked, number=3, limits={"max_changes": 1})
    assert sum(why["shares"].values()) == pytest.approx(1.0)
    assert set(why["cells"]) == {"age", "dose", "color", "site"}
    assert all(
        each["answer"] != why["answer"] and each["proved"] for each in why["counterfactuals"]
    )
    with pytest.raises(ValueError, match="no row 999"):
        row_shown(at_work.desk, **at_work.asked, number=999, limits={})


def test_groups_hold_every_row_once(at_work):
    found = group_errors(at_work.desk, **at_work.asked, column="site")
    assert [each["name"] for each in found["groups"]] == ["A", "B"]
    assert sum(each["rows"] for each in found["groups"]) == 120
    assert found["how"] == "rows that the models had not seen"
    with pytest.raises(ValueError, match="no column 'town'"):
        group_errors(at_work.desk, **at_work.asked, column="town")
