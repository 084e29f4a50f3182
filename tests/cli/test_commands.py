"""Each command end to end, on real files."""

import csv
import functools
import io
import json
import re
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from iris_table import iris_csv
from sklearn.datasets import load_iris

import planetree as library
from planetree import PlaneTreeClassifier, save
from planetree.cli.app import run
from planetree.cli.screen import Screen
from planetree.tree.inspection.explanation_text import _same_anywhere

DATA, USAGE, OUTPUT, TIME = 3, 2, 4, 5


@pytest.fixture
def at(fitted, here):
    """The command in this process, in the folder with iris.csv and its model."""
    return functools.partial(here, fitted)


def test_each_command_does_the_same_in_a_process_that_no_test_has_touched(fitted, at):
    *every, _ = json.loads((fitted / "every.json").read_text())  # the demo has its own test
    assert len(every) == 10
    for words, code, out in every:
        assert code == 0, words
        assert without_seconds(out) == without_seconds(at(*words).out) != "", words


def without_seconds(text):
    return re.sub(r'"seconds": [0-9.e-]+', "", text)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_says_what_it_understood_the_model_its_error_and_what_it_wrote(fitted):
    text = (fitted / "fit.txt").read_text()
    for said in (
        "iris.csv: 150 rows, 4 columns to learn 'species' from.",
        "setosa 50 (33%)",
        "if petal length > ",
        "Method sparse-planes: ",
        "Error on held-out rows (10 folds of cross-validation, 150 rows): ",
        "95% interval",
        "always predicting 'setosa': 66.7%",
        "Probabilities on held-out rows: AUC 0.9",
        "log loss 0.",
        "Brier score 0.",
        "Recall and precision of each class: setosa 100.0% and 100.0%, versicolor ",
        "Wrote model.json.",
        "Wrote report.html.",
    ):
        assert said in text
    tree = library.load(fitted / "model.json").tree_
    assert f"{tree.n_nodes - tree.n_leaves} decisions, {tree.n_terms} terms" in text
    assert "\x1b" not in text  # no color in a pipe


def test_the_interval_is_around_the_error(at):
    found = at("fit", "iris.csv", "--target", "species", "--json", "--folds", "5").json
    low, high = found["validation"]["interval"]
    assert 0 <= low < found["validation"]["error"] < high < 0.2
    assert found["validation"]["rows"] == 150
    assert found["size"]["decisions"] >= 2  # three classes


def test_the_saved_model_is_the_printed_one(fitted):
    text = (fitted / "fit.txt").read_text()
    model = library.load(fitted / "model.json")
    assert model.to_text() in text
    assert np.array_equal(model.tree_.splits[0].weights, model.rounded_tree_.splits[0].weights)


def test_files_are_replaced_only_on_request(at, fitted):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--quiet", "--model")
    assert at(*fit, "model.json").refused(OUTPUT, "model.json exists", "--force")
    assert at(*fit, "no/m.json").refused(OUTPUT, "no folder no")
    assert at(*fit, "new.json").code == 0
    before = (fitted / "new.json").read_bytes()
    assert at(*fit, "new.json", "--force").code == 0
    assert (fitted / "new.json").read_bytes() == before


def test_options_reach_the_method(at):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--json")
    assert at(*fit, "--max-splits", "1").json["size"]["decisions"] == 1
    assert at(*fit, "--max-features", "1").json["size"]["columns"] == 1
    weights = "setosa=1,versicolor=1,virginica=9"
    narrow = at(*fit, "--ignore", "petal length", "--class-weight", weights)
    assert "petal length" not in narrow.json["data"]["columns"]
    assert at(*fit, "--method", "c45", "--max-splits", "3").refused(
        USAGE, "c45 has no --max-splits"
    )
    assert at(*fit, "--class-weight", "rose=3").refused(USAGE, "'rose=3'", "setosa")
    assert at(*fit, "--method", "c4.5").refused(USAGE, "did you mean c45?")


def test_a_weight_counts_as_that_many_rows(here, tmp_path):
    head, *lines = iris_csv().splitlines()
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, len(lines))
    single = [f"{line},{w}" for line, w in zip(lines, weights, strict=True)]
    copies = [line for line, w in zip(lines, weights, strict=True) for _ in range(w)]
    (tmp_path / "w.csv").write_text("\n".join([head + ",w", *single]))
    (tmp_path / "c.csv").write_text("\n".join([head, *copies]))
    fit = ("--target", "species", "--folds", "0", "--quiet")
    weighted = here(tmp_path, "fit", "w.csv", *fit, "--sample-weight", "w")
    assert weighted.out == here(tmp_path, "fit", "c.csv", *fit).out != ""


def exclusive_or_csv(folder):
    """A table whose tree takes twenty times as long as its limit."""
    X = np.random.default_rng(0).normal(size=(3000, 20))
    rows = [",".join([*map(str, row), "xy"[int(row[0] * row[1] > 0)]]) for row in X]
    head = ",".join([*(f"c{j}" for j in range(20)), "class"])
    (folder / "t.csv").write_text("\n".join([head, *rows]))
    return "fit", "t.csv", "--target", "class", "--time-limit", "0.05", "--model", "m.json"


def test_the_time_limit_ends_a_fit_with_the_best_so_far_and_says_so(here, tmp_path):
    outcome = here(tmp_path, *exclusive_or_csv(tmp_path))
    assert outcome.code == 0
    assert "The time limit has passed" in outcome.err
    assert library.load(tmp_path / "m.json").status_ == "time_limit"


def test_a_fit_that_overruns_its_time_limit_is_stopped_and_leaves_nothing(
    here, tmp_path, monkeypatch
):
    monkeypatch.setattr("planetree.evaluation.validation._GRACE", 0.05)
    monkeypatch.setattr(library.PlaneTreeClassifier, "fit", lambda *_, **__: time.sleep(60))
    outcome = here(tmp_path, *exclusive_or_csv(tmp_path))
    assert outcome.refused(TIME, "time limit of 0.05 seconds")
    assert not (tmp_path / "m.json").exists()


def test_a_pipe_gets_lines_as_they_are(capsys):
    """Lines above 10,000 characters were folded, so that a piped model had a broken name."""
    line = "petal width " * 1000 + "."
    Screen().result(line)
    assert capsys.readouterr().out == line + "\n"


def test_set_gen_gives_the_tree_of_the_columns_that_it_selects(here, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{i},{rng.random()},{rng.random()},{'no' if i < 30 else 'yes'}\n" for i in range(60)]
    (tmp_path / "t.csv").write_text("size,noise,more,class\n" + "".join(lines))
    fit = ("fit", "t.csv", "--target", "class", "--method", "set-gen", "--time-limit", "1")
    found = here(tmp_path, *fit, "--folds", "0", "--model", "m.json", "--json")
    assert found.code == 0, found.err
    model = library.load(tmp_path / "m.json")
    assert type(model).__name__ == "C45Classifier"
    assert [column.name for column in model.columns_] == ["size"]
    assert found.json["size"]["columns"] == 1
    assert here(tmp_path, "predict", "m.json", "t.csv").out.splitlines()[1] == "no"


def test_compare_runs_every_method_on_the_same_folds(at, fitted):
    methods = ("sparse-planes", "c45", "plane", "two-planes", "sklearn-tree", "sklearn-logistic")
    asked = [word for name in methods for word in ("--method", name)]
    files = ("--csv", "c.csv", "--html", "c.html", "--force")
    found = at("compare", "iris.csv", "--target", "species", "--folds", "5", *asked, *files)
    assert found.code == 0, found.err
    rows = rows_of((fitted / "c.csv").read_text())
    assert {row["method"] for row in rows} == {"majority", *methods}
    assert "two-planes: Only binary classification" in found.out
    errors = [float(row["error"]) for row in rows if row["error"]]
    assert errors == sorted(errors)
    assert rows[0]["undominated"] == "True"
    assert rows[0]["p"] == ""
    majority = next(row for row in rows if row["method"] == "majority")
    assert float(majority["error"]) == pytest.approx(2 / 3)
    assert float(majority["p"]) == pytest.approx(5 * 2.0**-4)  # five folds, five others
    page = (fitted / "c.html").read_text()
    assert page.count("<tr") == len(errors) + 1
    assert "http" not in page.replace("http-equiv", "")


def test_compare_needs_folds_and_known_methods(at):
    compare = ("compare", "iris.csv", "--target", "species")
    assert at(*compare, "--folds", "1").refused(USAGE, "--folds")
    assert at(*compare, "--folds", "0").refused(USAGE, "--folds")
    words = " ".join(re.sub(r"[│\n]", " ", at("compare", "--help").out).split())
    assert "0 skips it" not in words
    assert "Cross-validation folds. Default: 10." in words  # a default in brackets is never shown
    assert "Default: 2GB." in words
    assert at(*compare, "--method", "forest").refused(USAGE, "no method 'forest'")


def test_select_and_rank_write_tables_and_pictures(at, fitted):
    files = ("--csv", "s.csv", "--picture", "s.svg", "--force")
    selected = at("select", "iris.csv", "--target", "species", "--max-features", "1", *files)
    assert selected.code == 0, selected.err
    assert "1 of 4 columns selected by sparse-planes" in selected.out
    (row,) = rows_of((fitted / "s.csv").read_text())
    assert (row["rank"], row["column"]) == ("1", "petal length")
    assert (fitted / "s.svg").read_text().startswith("<?xml")
    ranked = at(
        "rank", "iris.csv", "--target", "species", "--picture", "r.png", "--force", "--json"
    )
    order = [each["column"] for each in ranked.json["ranking"]]
    assert set(order[:2]) == {"petal length", "petal width"}
    assert len(order) == 4
    assert (fitted / "r.png").read_bytes().startswith(b"\x89PNG")
    assert at("select", "iris.csv", "--target", "species", "--picture", "s.txt").refused(OUTPUT)


def test_predict_gives_what_the_library_gives(at, fitted):
    import pandas as pd

    table = pd.read_csv(fitted / "iris.csv").drop(columns="species")
    model = library.load(fitted / "model.json")
    found = rows_of(at("predict", "model.json", "iris.csv", "--shares", "--keep").out)
    assert [row["prediction"] for row in found] == model.predict(table).tolist()
    shares = [[float(row[f"probability of {label}"]) for label in model.classes_] for row in found]
    assert np.array_equal(shares, model.predict_proba(table))
    assert [float(row["sepal width"]) for row in found] == table["sepal width"].tolist()


def test_fit_is_graded_as_asked(at):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--quiet", "--grading")
    assert "unsure between" in at(*fit, "soft").out
    hard = at(*fit, "none").out
    assert "if petal length > " in hard
    assert "unsure" not in hard
    assert at(*fit, "firm").refused(USAGE, "grading")


def test_a_teacher_is_named_and_its_pupil_is_said_to_agree_with_it(at):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0")
    assert re.search(r"gives its teacher's class to \d", at(*fit, "--teacher", "forest").out)
    assert "teacher" not in at(*fit).out
    assert at(*fit, "--teacher", "oracle").refused(USAGE, "teacher")
    refused = at(*fit, "--teacher", "forest", "--method", "c45")
    assert refused.refused(USAGE, "has no --teacher")


def test_fit_writes_a_score_sheet_in_the_form_of_its_name(at, fitted):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--quiet", "--score-sheet")
    assert at(*fit, "sheet.txt").code == 0
    assert " point" in (fitted / "sheet.txt").read_text()
    assert at(*fit, "sheet.html").code == 0
    assert (fitted / "sheet.html").read_text().startswith("<!DOCTYPE html>")
    assert at(*fit, "sheet.csv").code == 0
    assert "," in (fitted / "sheet.csv").read_text().splitlines()[0]
    assert at(*fit, "sheet.csv").refused(OUTPUT, "exists")
    assert at(*fit, "c45.txt", "--method", "c45").refused(USAGE, "cannot make a score sheet")


def test_explain_tells_both_ways_of_a_row_in_a_gray_zone(at, fitted):
    import pandas as pd

    table = pd.read_csv(fitted / "iris.csv").drop(columns="species")
    model = library.load(fitted / "model.json")
    likely = model.predict_proba(table).max(axis=1)
    row = int(likely.argmin())
    told = at("explain", "model.json", "iris.csv", "--row", str(row)).out
    assert f"with a probability of {100 * likely[row]:.1f}%" in told
    assert "unsure between" in told
    assert "Paths with a share of 10% or more:" in told
    sure = at("explain", "model.json", "iris.csv", "--row", str(likely.argmax())).out
    assert "unsure" not in sure


def test_explain_does_not_speak_of_changes_of_numbers_that_are_missing(at, fitted):
    """Once no change of the numbers would change the answer of a row that has none."""
    head = iris_csv().splitlines()[0]
    (fitted / "nothing.csv").write_text(f"{head}\n{',' * head.count(',')}\n")
    told = at("explain", "model.json", "nothing.csv", "--row", "0").out
    assert "numbers alone" not in told
    assert "Missing numbers are taken to stay missing" in told


def test_explain_of_a_model_without_ranges_gives_no_radius(at, fitted):
    """Once its deviations were those of the file: other rows in it, another radius of the same."""
    fit = "fit iris.csv --target species --method plane --model plane.json --force"
    assert at(*fit.split()).code == 0
    explain = ["explain", "plane.json", "iris.csv", "--row", "60"]
    assert "deviations" not in at(*explain).out
    assert at(*explain, "--json").json["radius"] is None


def test_predict_counts_errors_where_the_class_is_known(at):
    found = at("predict", "model.json", "iris.csv", "--target", "species", "--json").json
    wrong = sum(
        answer != line.split(",")[-1]
        for answer, line in zip(found["predictions"], iris_csv().splitlines()[1:], strict=True)
    )
    assert found["error"]["error"] == pytest.approx(wrong / 150)


def test_predict_reads_a_pipe_and_refuses_what_it_cannot_use(at):
    piped = at("predict", "model.json", "-", stdin=iris_csv())
    assert len(piped.out.splitlines()) == 151
    lacking = iris_csv().replace("petal length", "petal size")
    assert at("predict", "model.json", "-", stdin=lacking).refused(
        DATA, "lacks a column that the model reads", "'petal length'"
    )
    words = iris_csv().replace("1.4,0.2", "long,0.2")
    assert at("predict", "model.json", "-", stdin=words).refused(DATA, "petal length", "'long'")
    assert at("predict", "nowhere.json", "iris.csv").refused(DATA, "no model file nowhere.json")
    assert at("predict", "iris.csv", "iris.csv").refused(DATA, "iris.csv", "JSON")


def test_show_prints_the_model(at, fitted):
    shown = at("show", "model.json")
    assert library.load(fitted / "model.json").to_text() in shown.out
    assert at("show", "model.json", "--quiet").out.strip() in shown.out
    assert at("show", "model.json", "--json").json["classes"] == [
        "setosa",
        "versicolor",
        "virginica",
    ]


def test_explain_names_the_way_the_borders_and_a_change_that_works(at, fitted):
    found = at("explain", "model.json", "iris.csv", "--row", "60", "--json").json
    assert found["answer"] == "versicolor"
    change = found["changes"][0]
    head, *lines = iris_csv().splitlines()
    cells = dict(zip(head.split(","), lines[60].split(","), strict=True))
    model = library.load(fitted / "model.json")
    way = model.decision_path([[float(cells[name]) for name in model.feature_names_in_]])
    assert len(found["steps"]) == way.sum() - 1 >= 2  # the leaf asks nothing
    assert float(cells[change["column"]]) == change["value"]
    cells[change["column"]] = change["new_value"]
    row = f"{head}\n" + ",".join(map(str, cells.values())) + "\n"
    assert at("predict", "model.json", "-", stdin=row).out.split()[1] == change["answer"]
    told = at("explain", "model.json", "iris.csv", "--row", "60").out
    assert "Row 60 of iris.csv: predicted versicolor" in told
    assert "from the border" in told
    assert at("explain", "model.json", "iris.csv", "--row", "150").refused(USAGE, "from 0 to 149")


@pytest.mark.parametrize("to", ["rules", "sql", "python", "c", "network", "json"])
def test_export_writes_each_format(at, fitted, to):
    printed = at("export", "model.json", "--to", to)
    assert printed.code == 0, printed.err
    assert at("export", "model.json", "--to", to, "--out", f"m.{to}", "--force").code == 0
    assert (fitted / f"m.{to}").read_text().strip() == printed.out.strip()


def test_exported_sql_and_python_answer_as_the_model(at, fitted):
    answers = at("predict", "model.json", "iris.csv").out.splitlines()[1:]
    head, *lines = iris_csv().splitlines()
    names, cells = head.split(","), [line.split(",") for line in lines]
    database = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in names)
    database.execute(f"CREATE TABLE iris ({columns})")
    rows = [[*map(float, row[:4]), row[4]] for row in cells]
    database.executemany("INSERT INTO iris VALUES (?, ?, ?, ?, ?)", rows)
    query = at("export", "model.json", "--to", "sql", "--table", "iris", "--dialect", "sqlite").out
    assert [row[-1] for row in database.execute(query)] == answers
    module = {}
    exec(at("export", "model.json", "--to", "python", "--name", "flower").out, module)
    assert [module["flower"](dict(zip(names, row, strict=True))) for row in rows] == answers


def test_exported_sql_gives_probabilities(at, fitted):
    asked = ("--table", "iris", "--dialect", "sqlite", "--probabilities")
    query = at("export", "model.json", "--to", "sql", *asked).out
    assert query.count('AS "probability of ') == 3
    refused = at("export", "model.json", "--to", "c", "--probabilities")
    assert "--probabilities is not for --to c" in refused.err


def test_export_refuses_what_a_format_does_not_know(at):
    assert at("export", "model.json", "--to", "latin").refused(USAGE, "rules, sql")
    assert at("export", "model.json", "--to", "c", "--table", "t").refused(USAGE, "--table")


def test_report_writes_the_page_of_a_model_on_other_rows(at, fitted):
    found = at("report", "model.json", "iris.csv", "--target", "species", "--out", "p.html")
    assert found.code == 0, found.err
    assert "<!doctype html>" in (fitted / "p.html").read_text()[:100].lower()
    again = ("report", "model.json", "iris.csv", "--out", "p.html")
    assert at(*again).refused(OUTPUT, "exists")
    assert at(*again, "--force").refused(USAGE, "--target")
    assert at(*again, "--force", "--target", "petal width").refused(DATA, "model does not know")


def test_demo_and_datasets_need_no_file(here, tmp_path, fitted):
    found = here(fitted, "demo", "--folder", "every", "--force")
    assert found.code == 0, found.err
    assert len(re.findall(r"^(if|otherwise)", found.out, re.MULTILINE)) == 2
    assert {path.name for path in (fitted / "every").iterdir()} == {
        "table.csv",
        "model.json",
        "report.html",
    }
    ((words, code, out),) = json.loads((fitted / "every.json").read_text())[-1:]
    assert (words[0], code, out) == ("demo", 0, found.out)
    assert here(fitted, "demo", "--folder", "every").refused(OUTPUT, "exists")
    names = [each["name"] for each in here(tmp_path, "datasets", "--json").json["datasets"]]
    assert {"breast-cancer", "iris", "wine"} <= set(names)
    assert here(tmp_path, "datasets", "wine", "--out", "wine.csv").code == 0
    assert len((tmp_path / "wine.csv").read_text().splitlines()) == 179
    assert here(tmp_path, "datasets", "roses").refused(USAGE, "'roses'")


def test_wrong_words_are_answered_in_a_line(here, tmp_path):
    assert here(tmp_path, "fti").refused(USAGE, "No such command", "--help")
    assert here(tmp_path, "fit").refused(USAGE, "Missing", "planetree fit --help")
    assert here(tmp_path, "fit", "t.csv", "--wings", "2").refused(USAGE, "--wings")
    assert here(tmp_path, "explain", "m.json", "t.csv", "--row", "x").refused(USAGE, "--row")


def test_errors_for_machines_are_json_and_debug_shows_the_traceback(planetree):
    found = planetree("fit", "nowhere.csv", "--target", "y", "--json")
    assert found.json == {"error": "There is no file nowhere.csv.", "exit_code": DATA}
    assert "Traceback" in planetree("fit", "nowhere.csv", "--target", "y", "--debug").err


def test_output_survives_an_ascii_pipe_and_a_reader_that_leaves(fitted, monkeypatch):
    monkeypatch.chdir(fitted)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert run(["explain", "model.json", "iris.csv", "--row", "0"]) == 0
    assert b"<= " in sys.stdout.buffer.getvalue()
    command = f"{sys.executable} -m planetree.cli predict model.json iris.csv | head -1"
    done = subprocess.run(command, shell=True, cwd=fitted, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("prediction\n", "")


def test_without_typer_the_command_says_what_to_install(tmp_path):
    script = "import sys; sys.modules['typer'] = None; from planetree.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "planetree: the command needs typer and rich: pip install 'planetree[cli]'\n"
    )


def test_help_loads_nothing_heavy():
    """What takes time to import is left to the commands that need it."""
    script = (
        "import sys, json\nfrom planetree.cli.app import run\nrun(['fit', '--help'])\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"numpy", "scipy", "sklearn", "pyarrow", "pandas", "matplotlib", "narwhals"}


def test_a_sum_of_explain_has_no_digits_that_depend_on_the_processor(at):
    """15.026399999999999 on a machine that fuses multiply and add was 15.0264 on another."""
    steps = at("explain", "model.json", "iris.csv", "--row", "77", "--json").json["steps"]
    sums = [value for step in steps for value in step["has"]]
    assert sums == [float(f"{value:.12g}") for value in sums]
    assert _same_anywhere(15.026399999999999) == _same_anywhere(15.0264) == 15.0264


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


def test_a_test_file_takes_the_place_of_folds(here, tmp_path):
    head, *lines = iris_csv().splitlines()
    (tmp_path / "train.csv").write_text("\n".join([head, *lines[::2]]))
    (tmp_path / "test.csv").write_text("\n".join([head, *lines[1::2]]))
    words = ("fit", "train.csv", "--target", "species", "--method", "c45", "--test", "test.csv")
    found = here(tmp_path, *words, "--model", "m.json", "--json").json["validation"]
    model = library.load(tmp_path / "m.json")
    cells = [line.split(",") for line in lines[1::2]]
    answers = model.predict([[float(cell) for cell in row[:4]] for row in cells])
    wrong = np.mean([own != row[4] for own, row in zip(answers, cells, strict=True)])
    assert found["error"] == model.validation_["error"] == pytest.approx(wrong)
    assert (found["how"], found["rows"]) == ("test.csv", 75)


def test_a_test_file_is_what_the_most_frequent_class_is_tried_on_too(here, tmp_path):
    """Its error was once that on the training rows, beside the model's on the test rows."""
    lines = [f"{i},{'xy'[i > 29]}" for i in range(40)]
    (tmp_path / "train.csv").write_text("\n".join(["a,class", *lines]))
    (tmp_path / "test.csv").write_text("\n".join(["a,class", *lines[28:]]))
    words = ("fit", "train.csv", "--target", "class", "--method", "c45", "--test", "test.csv")
    found = here(tmp_path, *words, "--json").json["validation"]
    assert (found["majority_class"], found["majority_error"]) == ("x", 10 / 12)


def test_set_gen_says_how_long_it_searched_and_what_plain_c45_does(here, tmp_path):
    (tmp_path / "iris.csv").write_text(iris_csv())
    words = ("fit", "iris.csv", "--target", "species", "--method", "set-gen", "--time-limit", "4")
    found = here(tmp_path, *words, "--folds", "2")
    assert re.search(r"Search: \d+ evaluations, [1-4] of 4 columns kept\.", found.out)
    assert "C4.5 with all columns, on the same folds: error " in found.out


def test_columns_of_equal_weight_share_a_rank(here, tmp_path):
    lines = [f"{i},{i},{i % 2},{'xy'[i > 19]}\n" for i in range(40)]
    (tmp_path / "t.csv").write_text("a,b,c,class\n" + "".join(lines))
    words = ("rank", "t.csv", "--target", "class", "--method", "plane")
    ranking = here(tmp_path, *words, "--json").json["ranking"]
    weights = {each["column"]: each["weight"] for each in ranking}
    ranks = {each["column"]: each["rank"] for each in ranking}
    for one in weights:
        assert ranks[one] == 1 + sum(w > weights[one] * (1 + 1e-9) for w in weights.values())
    assert "share a rank" in here(tmp_path, *words).out


def test_compare_orders_by_a_metric_and_shows_classes(at):
    words = ("compare", "iris.csv", "--target", "species", "--folds", "3", "--method", "c45")
    shown = at(*words, "--method", "sparse-planes", "--metric", "log-loss")
    assert "setosa: recall, precision" in shown.out
    assert shown.out.index("sparse-planes") < shown.out.index("c45 ")
    assert at(*words, "--metric", "f1").refused(USAGE, "--metric must be one of error, auc")


def test_leaks_and_unequal_classes_are_noted(here, tmp_path):
    lines = [f"{i},{i * i % 17},{'xy'[i % 3 == 0]},{'xy'[i % 3 == 0]}\n" for i in range(60)]
    (tmp_path / "t.csv").write_text("id,b,result,class\n" + "".join(lines))
    words = ("fit", "t.csv", "--target", "class", "--folds", "0")
    notes = here(tmp_path, *words).err
    assert "Column 'id' has a different whole number in every row" in notes
    assert "Column 'result' is a copy of the class" in notes
    assert here(tmp_path, *words, "--ignore", "id", "--ignore", "result").err == ""


def test_a_class_of_one_row_does_not_cost_the_model(here, tmp_path):
    lines = [f"{i},{i % 5},{'xyz'[(i > 19) + (i == 39)]}\n" for i in range(40)]
    (tmp_path / "t.csv").write_text("a,b,class\n" + "".join(lines))
    found = here(tmp_path, "fit", "t.csv", "--target", "class", "--model", "m.json")
    assert found.code == 0
    assert "Error not estimated for z (1 row)" in found.err
    (tmp_path / "two.csv").write_text("a,class\n1,x\n2,x\n3,x\n4,y\n")
    found = here(tmp_path, "fit", "two.csv", "--target", "class", "--model", "two.json")
    assert found.code == 0, found.err
    assert "Error not estimated" in found.err
    assert (tmp_path / "two.json").exists()
    (tmp_path / "lone.csv").write_text("a,class\n1,x\n2,y\n3,z\n")
    found = here(tmp_path, "fit", "lone.csv", "--target", "class", "--model", "lone.json")
    assert found.code == 0, found.err
    assert "Error not estimated: No class has two rows" in found.err
    assert (tmp_path / "lone.json").exists()


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


def test_a_plane_of_a_table_with_gaps_knows_its_training_rows_and_asks_nobody(planetree):
    """Filled cells are other cells: the report once took the training rows for new ones."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "color": rng.choice(["red", "blue"], 60).astype(object)})
    frame.loc[::7, "x"], frame.loc[::9, "color"] = None, None
    frame.assign(label=np.where(x > 0, "yes", "no")).to_csv(planetree.folder / "r.csv", index=False)
    options = ("--target", "label", "--method", "plane", "--model", "p.json", "--report", "p.html")
    done = planetree("fit", "r.csv", *options, "--folds", "2")
    assert done.code == 0
    assert "if missing: x = " in done.out
    assert "color = (missing)" in done.out
    page = (planetree.folder / "p.html").read_text("utf-8")
    assert "of 60 training rows correct" in page
    assert "if missing: color = (missing)" in page
    assert planetree("predict", "p.json", "r.csv", "--ask", "0.1").refused(2, "remove --ask")


def test_explain_says_what_python_says(planetree):
    frame = load_iris(as_frame=True).frame
    rows = frame.drop(columns="target")
    model = PlaneTreeClassifier().fit(rows, frame["target"])
    save(model, planetree.folder / "m.json")
    rows.to_csv(planetree.folder / "rows.csv", index=False)
    printed = planetree("explain", "m.json", "rows.csv", "--row", "77").out.strip()
    said = model.explain(rows).to_text(77)
    assert said.startswith("Row 77: predicted 2, with a probability of")
    assert printed.replace(" of rows.csv", "") == said
    assert model.explain(rows.iloc[[77]]).to_text(-1) == said.replace("Row 77", "Row 0")


def test_export_asks_a_person_and_counts_checks(planetree):
    x = np.arange(80.0)
    save(PlaneTreeClassifier().fit(x[:, None], x > 40), planetree.folder / "m.json")
    asked = planetree("export", "m.json", "--to", "python", "--ask", "0.2")
    assert "def predict_or_ask(row):" in asked.out
    planetree("export", "m.json", "--to", "onnx", "--ask", "0.2", "--out", "m.onnx")
    assert b"label_or_ask" in (planetree.folder / "m.onnx").read_bytes()
    checks = ("export", "m.json", "--to", "sql", "--checks")
    assert "WITH counted AS" in planetree(*checks, "--table", "rows").out
    assert planetree(*checks).refused(2, "--table")
    assert planetree("export", "m.json", "--to", "rules", "--ask", "0.2").refused(2, "not for")


def test_a_rare_class_is_not_said_to_be_none_of_the_rows(planetree):
    """Once 'ok 5994 (100%), fraud 6 (0%)'."""
    rows = "".join(f"{i},{'fraud' if i % 1000 == 0 else 'ok'}\n" for i in range(2000))
    (planetree.folder / "r.csv").write_text("x,y\n" + rows)
    said = planetree("fit", "r.csv", "--target", "y", "--folds", "0", "--method", "c45").out
    assert "ok 1998 (99.9%), fraud 2 (0.1%)" in said


def test_show_lists_the_edits_of_a_model(planetree):
    x = np.arange(80.0)[:, None]
    editor = library.TreeEditor(PlaneTreeClassifier().fit(x, x[:, 0] > 40), x, x[:, 0] > 40)
    save(editor.replace(0, "x0 > 30"), planetree.folder / "m.json")
    shown = planetree("show", "m.json").out
    assert "Edited by hand:\n  Node 0: x0 > 30; what is below it was grown again." in shown
    save(editor.undo(), planetree.folder / "n.json")
    assert "Edited" not in planetree("show", "n.json").out


def test_the_cell_that_leaves_no_column_to_learn_from_is_named(planetree):
    rows = "".join(f"{'soon' if i == 37 else i},{i > 50}\n" for i in range(100))
    (planetree.folder / "r.csv").write_text("x,y\n" + rows)
    found = planetree("fit", "r.csv", "--target", "y")
    assert found.refused(3, "text with 100 different values, because of 'soon'")
