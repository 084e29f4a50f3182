"""New files: columns are matched by their letters, and rows scored by the model."""

import csv
import io

from planetree.studio.desk.scoring import predictions, score
from planetree.studio.recipe import recipe_of

RENAMED = {"Age (years)": "age", "DOSE": "dose"}


def test_columns_that_are_lacking_are_found_under_names_like_theirs(at_work):
    found = score(at_work.desk, **at_work.asked, file="new.csv", asked={})
    assert found["lacking"]
    suggested = {own: name for name, own in found["suggested"].items()}
    assert suggested.items() <= RENAMED.items()


def test_a_file_with_its_columns_is_checked_and_its_rows_are_the_model_s(at_work):
    found = score(at_work.desk, **at_work.asked, file="new.csv", asked={"renamed": RENAMED})
    assert (found["lacking"], found["checked"]) == ([], 40)
    recipe = recipe_of(at_work.recipe)
    made = at_work.desk.place(recipe, predictions(at_work.desk, **at_work.asked, score=found))
    rows = list(csv.DictReader(io.StringIO(made.read_text())))
    model = at_work.desk.fitted(recipe)
    frame, labels = at_work.desk.labeled_rows(model, recipe, "new.csv", RENAMED)
    assert [row["prediction"] for row in rows] == model.predict(frame).tolist()
    error = sum(row["prediction"] != label for row, label in zip(rows, labels, strict=True)) / 40
    assert found["error"] == f"{100 * error:.1f}%"
    assert list(rows[0])[:2] == ["Age (years)", "DOSE"]
