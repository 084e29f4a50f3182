"""A project comes back as it was, unless its table or its format is another."""

import json
from dataclasses import replace

import pytest

from planetree.studio.project import Project, load_project, project_folder, save_project
from planetree.studio.recipe import Recipe


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,class\n1,x\n")
    return path


PROJECT = Project(
    Recipe("t.csv", target="class", ignore=("id",)), {"rows": 1},
    fitted={"key": "?", "sizes": []}, terms=3, edits=("close 1",), undone=("grow 2", "lock 0"),
)  # fmt: skip


def test_what_is_saved_comes_back(table):
    save_project(table, PROJECT)
    assert load_project(table) == PROJECT
    assert [each.name for each in project_folder(table).iterdir()] == ["project.json"]


def test_a_table_of_other_bytes_and_a_file_of_another_format_have_no_project(table):
    assert load_project(table) is None
    save_project(table, PROJECT)
    path = project_folder(table) / "project.json"
    said = json.loads(path.read_text())
    for wrong in ({**said, "format": 2}, {**said, "extra": 1}, {**said, "recipe": {"a": 1}}, []):
        path.write_text(json.dumps(wrong))
        assert load_project(table) is None
    save_project(table, PROJECT)
    table.write_text("a,class\n1,x\n2,y\n")
    assert load_project(table) is None


def test_a_model_is_stale_when_the_recipe_is_another():
    fresh = replace(PROJECT, fitted={"key": PROJECT.recipe.key})
    assert not fresh.is_stale
    assert replace(fresh, recipe=replace(PROJECT.recipe, seed=7)).is_stale
    assert not replace(fresh, recipe=replace(PROJECT.recipe, metric="auc")).is_stale
    assert not replace(PROJECT, fitted=None).is_stale


def test_what_was_found_of_a_model_goes_with_it():
    known = replace(PROJECT, cost={"a": 1}, score={"b": 2}, comparison={"c": 3})
    other = known.at_model(terms=1)
    assert (other.cost, other.score, other.terms) == (None, None, 1)
    assert other.comparison == known.comparison
