"""The model in other formats: the same bytes as the library's, and tried in a database."""

import base64

import pytest

from planetree import load
from planetree.convert import exported
from planetree.studio.desk.handing_over import content_of, exported_text, report_page, sheet_shown
from planetree.studio.recipe import recipe_of


@pytest.mark.parametrize("to", ["python", "c", "rules"])
def test_text_is_that_of_the_library(at_work, to):
    model = at_work.desk.fitted(recipe_of(at_work.recipe))
    found = exported_text(at_work.desk, **at_work.asked, to=to, dialect=None)
    assert found["text"] == exported(model, to)
    content = base64.b64decode(content_of(at_work.desk, **at_work.asked, to=to, dialect=None))
    assert content.decode() == found["text"]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_sql_is_tried_where_a_database_is_at_hand(at_work, dialect):
    tried = exported_text(at_work.desk, **at_work.asked, to="sql", dialect=dialect)["tried"]
    assert bool(tried["rows"]) == (dialect == "sqlite")
    assert all(row["same"] for row in tried["rows"])


def test_the_model_file_holds_the_model(at_work, tmp_path):
    content = content_of(at_work.desk, **at_work.asked, to="json", dialect=None)
    (tmp_path / "model.json").write_bytes(base64.b64decode(content))
    data = at_work.desk.training(recipe_of(at_work.recipe))
    own = at_work.desk.fitted(recipe_of(at_work.recipe))
    assert (
        load(tmp_path / "model.json").predict_proba(data.table) == own.predict_proba(data.table)
    ).all()


def test_the_score_sheet_and_the_report_are_of_this_model(at_work):
    sheet = sheet_shown(at_work.desk, **at_work.asked)
    assert sheet["sheets"][0]["questions"]
    assert "label · plain.csv" in report_page(at_work.desk, **at_work.asked)
    with pytest.raises(ValueError, match="Undo the edits first"):
        sheet_shown(at_work.desk, **{**at_work.asked, "edits": ["close 0"]})
