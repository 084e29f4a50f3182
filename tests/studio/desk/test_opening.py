"""What is in a file: rows, columns and bars that counting gives."""

import pytest
from tables import messy_csv

from planetree.datasets import example_csv
from planetree.studio.desk.opening import columns_shown, example, survey_of
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    (folder / "messy.csv").write_text(messy_csv(), "utf-8")
    return Desk(folder, lambda told: None), Recipe("messy.csv", target="class").to_data()


def test_a_survey_says_how_a_file_was_read(messy):
    desk, recipe = messy
    found = survey_of(desk, {**recipe, "target": None})
    assert (found["rows"], found["delimiter"], found["decimal"]) == (240, ";", ",")
    assert found["target"] == "class"
    assert len(found["head"]) == 20
    kinds = {each["name"]: each["kind"] for each in found["columns"]}
    assert (kinds["id"], kinds["day"], kinds["same"]) == ("numbers", "dates", "categories")


def test_bars_count_every_known_cell_by_class(messy):
    desk, recipe = messy
    found = columns_shown(desk, recipe)
    assert found["classes"] == ["no", "yes"]
    for column in found["columns"]:
        if column["picture"] is not None:
            assert column["picture"]["bars"].sum() == 240 - column["missing"]


def test_columns_that_look_wrong_are_flagged(messy):
    desk, recipe = messy
    flags = {
        each["name"]: " ".join(each["flags"]) for each in columns_shown(desk, recipe)["columns"]
    }
    assert "same value in every row" in flags["same"]
    assert "'unknown'" in flags["größe"]
    assert "identifier" in flags["id"]
    assert not any("--" in each for each in flags.values())  # no options of the command


def test_an_example_is_that_of_the_library():
    assert example(None, "iris") == example_csv("iris")
