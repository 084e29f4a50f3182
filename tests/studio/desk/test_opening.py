"""What is in a file: rows, columns and bars that counting gives."""

import numpy as np
import pytest
from tables import messy_csv

from planetree.datasets import example_csv
from planetree.studio.desk import opening, tables
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


@pytest.fixture
def read(monkeypatch):
    """Names of the files that the desk has read whole, in order."""
    found = []

    def noted(path, *how):
        found.append(path.name)
        return read_file(path, *how)

    read_file = tables.read_file
    monkeypatch.setattr(tables, "read_file", noted)
    return found


def large_csv(folder, labels):
    """A table of more than a megabyte, with a class in its last column."""
    rng = np.random.default_rng(0)
    cells = zip(rng.random((len(labels), 2)), labels, strict=True)
    rows = (f"{a:.12f},{b:.12f},{y}" for (a, b), y in cells)
    (folder / "large.csv").write_text("\n".join(["a,b,kind", *rows]) + "\n")
    return Desk(folder, lambda content: None)


def test_a_large_file_is_read_once_for_its_first_screen(tmp_path, read):
    desk = large_csv(tmp_path, ["x", "y"] * 20_000)
    found = opening.survey_of(desk, {"file": "large.csv"})
    assert (found["rows"], found["target"]) == (40_000, "kind")
    shown = opening.columns_shown(desk, {"file": "large.csv", "target": "kind"})
    assert shown["classes"] == ["x", "y"]
    assert read == ["large.csv"]


def test_a_beginning_that_misleads_does_no_harm(tmp_path, read):
    """Two values in the first lines, hundreds in all: no column to predict."""
    desk = large_csv(tmp_path, ["x", "y"] * 10_000 + [f"z{i % 300}" for i in range(20_000)])
    assert opening.survey_of(desk, {"file": "large.csv"})["target"] is None


def test_remarks_on_many_rows_are_of_some_of_them_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_MOST_CHECKED", 1000)
    desk = large_csv(tmp_path, ["x", "y"] * 20_000)
    shown = opening.columns_shown(desk, {"file": "large.csv", "target": "kind"})
    assert "The remarks are of 1,000 of 40,000 rows." in shown["notes"]
    assert [each["distinct"] for each in shown["columns"]] == [40_000, 40_000, 2]
