"""`planetree show` and `report`: the model in words and as a page."""

import numpy as np
import pytest
from exit_codes import DATA, OUTPUT, USAGE
from iris_table import iris_csv

import planetree as library
from planetree import PlaneTreeClassifier, save


def test_show_prints_the_model(at, fitted):
    shown = at("show", "model.json")
    assert library.load(fitted / "model.json").to_text() in shown.out
    assert at("show", "model.json", "--quiet").out.strip() in shown.out
    assert at("show", "model.json", "--json").json["classes"] == [
        "setosa",
        "versicolor",
        "virginica",
    ]


def test_report_writes_the_page_of_a_model_on_other_rows(at, fitted):
    found = at("report", "model.json", "iris.csv", "--target", "species", "--out", "p.html")
    assert found.code == 0, found.err
    assert "<!doctype html>" in (fitted / "p.html").read_text()[:100].lower()
    again = ("report", "model.json", "iris.csv", "--out", "p.html")
    assert at(*again).refused(OUTPUT, "exists")
    assert at(*again, "--force").refused(USAGE, "--target")
    assert at(*again, "--force", "--target", "petal width").refused(DATA, "model does not know")


def test_the_report_leads_with_the_error_on_unseen_rows_and_names_training_rows(at, fitted):
    """The page of a model once led with the rows that it had learned from."""
    kept = library.load(fitted / "model.json").validation_
    text = (fitted / "fit.txt").read_text()
    assert f"10 folds of cross-validation, 150 rows): {100 * kept['error']:.1f}%" in text
    lead = f"<b>{100 * kept['error']:.1f}%</b><span>error on held-out rows (10 folds"
    for page in ("report.html", "again.html"):
        if page == "again.html":
            done = at("report", "model.json", "iris.csv", "--target", "species", "--out", page)
            assert done.code == 0, done.err
        html = (fitted / page).read_text()
        assert html.index(lead) < html.index("of 150 training rows correct")
    (fitted / "part.csv").write_text("\n".join(iris_csv().splitlines()[:120]))
    words = ("--target", "species", "--out", "part.html")
    assert at("report", "model.json", "part.csv", *words).code == 0
    html = (fitted / "part.html").read_text()
    assert "of 119 rows correct" in html
    assert "training rows correct" not in html


def test_errors_by_group_are_the_same_in_the_terminal_and_on_the_page(at, fitted):
    words = ("fit", "iris.csv", "--target", "species", "--method", "c45", "--folds", "3")
    done = at(*words, "--group", "species", "--report", "g.html", "--force", "--json")
    groups = done.json["groups"]["groups"]
    assert [each["n_rows"] for each in groups] == [50, 50, 50]
    mean = sum(each["error"] for each in groups) / 3
    assert mean == pytest.approx(done.json["validation"]["error"])
    page = (fitted / "g.html").read_text("utf-8")
    assert "<title>species · iris.csv</title>" in page
    part = page.split('<section id="groups">')[1].split("</section>")[0]
    for each in groups:
        assert f"<td>{100 * each['error']:.1f}%</td>" in part
    assert at(*words, "--group", "nothing").refused(USAGE, "no column 'nothing'")


def test_show_lists_the_edits_of_a_model(planetree):
    x = np.arange(80.0)[:, None]
    editor = library.TreeEditor(PlaneTreeClassifier().fit(x, x[:, 0] > 40), x, x[:, 0] > 40)
    save(editor.replace(0, "x0 > 30"), planetree.folder / "m.json")
    shown = planetree("show", "m.json").out
    assert "Edited by hand:\n  Node 0: x0 > 30; what is below it was grown again." in shown
    save(editor.undo(), planetree.folder / "n.json")
    assert "Edited" not in planetree("show", "n.json").out
