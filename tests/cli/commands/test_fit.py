"""`planetree fit`: what it says, what it writes, and what its options do."""

import errno
import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from exit_codes import OUTPUT, TIME, USAGE
from iris_table import iris_csv

import planetree as library


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


@pytest.mark.parametrize("option", ["--model", "--report"])
def test_a_place_that_cannot_be_written_is_named_with_its_own_exit_code(
    at, fitted, monkeypatch, option
):
    """It was the code of a file that cannot be read, and the name of a part of the file."""
    monkeypatch.setattr("planetree.files.os.fsync", _full)
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--quiet", option)
    assert at(*fit, "new.file").refused(OUTPUT, "new.file cannot be written: No space left")
    assert not (fitted / "new.file").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_standard_output_that_is_full_has_the_exit_code_of_what_cannot_be_written(options):
    """It was that of a file that cannot be read, and with --json a traceback."""
    script = "from planetree.cli import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script, "datasets", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.stderr == "planetree: Standard output cannot be written: No space left on device.\n"
    assert done.returncode == OUTPUT


def _full(file):
    raise OSError(errno.ENOSPC, "No space left on device", ".new.file.part")


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
    assert (fitted / "sheet.html").read_text().startswith("<!doctype html>")
    assert at(*fit, "sheet.csv").code == 0
    assert "," in (fitted / "sheet.csv").read_text().splitlines()[0]
    assert at(*fit, "sheet.csv").refused(OUTPUT, "exists")
    assert at(*fit, "c45.txt", "--method", "c45").refused(USAGE, "cannot make a score sheet")


def test_a_report_shows_the_score_sheet_that_was_asked_for_too(at, fitted):
    fit = ("fit", "iris.csv", "--target", "species", "--folds", "0", "--quiet", "--report")
    assert at(*fit, "both.html", "--score-sheet", "own.html").code == 0
    assert at(*fit, "alone.html").code == 0
    sheet, both, alone = (
        (fitted / name).read_text("utf-8") for name in ("own.html", "both.html", "alone.html")
    )
    assert "<h1>species · iris.csv</h1>" in sheet
    assert 'id="score-sheet"' in both
    assert 'id="score-sheet"' not in alone


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


def test_a_rare_class_is_not_said_to_be_none_of_the_rows(planetree):
    """Once 'ok 5994 (100%), fraud 6 (0%)'."""
    rows = "".join(f"{i},{'fraud' if i % 1000 == 0 else 'ok'}\n" for i in range(2000))
    (planetree.folder / "r.csv").write_text("x,y\n" + rows)
    said = planetree("fit", "r.csv", "--target", "y", "--folds", "0", "--method", "c45").out
    assert "ok 1998 (99.9%), fraud 2 (0.1%)" in said


def test_the_cell_that_leaves_no_column_to_learn_from_is_named(planetree):
    rows = "".join(f"{'soon' if i == 37 else i},{i > 50}\n" for i in range(100))
    (planetree.folder / "r.csv").write_text("x,y\n" + rows)
    found = planetree("fit", "r.csv", "--target", "y")
    assert found.refused(3, "text with 100 different values, because of 'soon'")
