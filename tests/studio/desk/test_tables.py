"""What a worker has before it: files, rows and models read once, edits made once."""

import pytest

from planetree.exceptions import FileError
from planetree.studio.recipe import recipe_of


def test_files_rows_and_models_are_read_once_until_they_change(at_work):
    desk, recipe = at_work.desk, recipe_of(at_work.recipe)
    assert desk.training(recipe) is desk.training(recipe)
    assert desk.fitted(recipe) is desk.fitted(recipe)
    other = recipe_of({**at_work.recipe, "ignore": ["site"]})
    assert len(desk.training(other).table.columns) == 3
    assert len(desk.training(recipe).table.columns) == 4


def test_an_edit_that_was_made_is_not_made_again_and_one_that_went_is_undone(at_work):
    desk, recipe = at_work.desk, recipe_of(at_work.recipe)
    editor = desk.editor(recipe, None, ["close 0"])
    closed = editor.model_
    assert desk.editor(recipe, None, ["close 0"]).model_ is closed
    assert closed.n_leaves_ == 1
    grown = desk.model(recipe, None, ["replace 0: age > 50"])
    assert grown.tree_.splits[0].offsets.tolist() == [50.0]
    assert desk.editor(recipe, None, []).history == []


def test_no_file_outside_the_folder_is_read(at_work):
    with pytest.raises((FileError, ValueError)):
        at_work.desk.path("../plain.csv")
    missing = recipe_of({**at_work.recipe, "file": "new.csv"})
    with pytest.raises(ValueError, match="Fit it again"):
        at_work.desk.fitted(missing)


def test_rows_of_another_file_are_read_under_the_names_of_the_model(at_work):
    desk, recipe = at_work.desk, recipe_of(at_work.recipe)
    model = desk.fitted(recipe)
    renamed = {"Age (years)": "age", "DOSE": "dose"}
    frame, labels = desk.labeled_rows(model, recipe, "new.csv", renamed)
    assert len(labels) == len(frame) == 40
    assert set(labels) == {"ill", "well"}
