"""What the studio computes: the numbers of the command and the library, kept whatever happens."""

import json
import os
import shlex
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from studio_process import studio_in
from tables import plain_csv

from planetree import load
from planetree.evaluation.figure_words import percent
from planetree.table_files import read_file

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("tables")
    (found / "plain.csv").write_text(plain_csv())
    renamed = plain_csv(60, seed=5).replace("age,dose", "Age (years),DOSE", 1)
    (found / "new.csv").write_text(renamed)
    return found


@pytest.fixture(scope="module")
def studio(folder):
    with studio_in(folder) as found:
        found.log_in()
        found.do("open", file="plain.csv")
        found.do("choose", changes={"folds": 3})
        found.do("fit")
        found.wait(idle)
        yield found


def idle(state):
    return state["work"] is None


@pytest.fixture
def planetree(folder, monkeypatch, capsys):
    """Run a line of the command in the folder; what it printed."""
    from planetree.cli import app

    def run(line, *more):
        monkeypatch.chdir(folder)
        program, *arguments = shlex.split(line)
        assert program == "planetree"
        assert app.run([*arguments, *more]) == 0, capsys.readouterr()
        return capsys.readouterr().out

    return run


def test_the_page_says_what_the_command_prints_to_the_last_digit(studio, planetree):
    project = studio.state()["project"]
    own = next(each for each in project["fitted"]["sizes"] if each["at"] is None)
    printed = planetree(f"{project['code']['command']} --force")
    for sentence in own["sentences"]:
        assert sentence in printed
    shown = studio.do("model")
    assert shown["text"] in printed
    rows = read_file(studio.folder / "plain.csv").frame
    model = load(studio.folder / "model.json")
    answers = model.predict(rows.drop_columns(["label"]))
    right = (answers == rows.column("label").to_numpy()).mean()
    assert shown["right"] == percent(right)


def test_every_size_of_the_slider_is_that_of_the_command(studio, planetree):
    sizes = [each for each in studio.state()["project"]["fitted"]["sizes"] if each["at"]]
    size = sizes[0]
    studio.do("size", terms=size["at"])
    code = studio.state()["project"]["code"]["command"]
    assert f"--terms {size['at']}" in code
    printed = planetree(f"{code} --force")
    assert all(sentence in printed for sentence in size["sentences"])
    assert studio.do("model")["text"] in printed
    studio.do("size", terms=None)


def test_the_commands_and_the_python_make_the_model_of_the_page(studio, planetree, monkeypatch):
    """Sizes and edits: what was clicked, run again, gives every probability bit for bit."""
    studio.do("edit", line="forbid: site")
    studio.do("edit", line="take 0: 1")
    project = studio.state()["project"]
    shown = json.loads(studio.ask("GET", "/api/download/json")[2])
    for line in project["code"]["command"].splitlines():
        planetree(line, "--force")
    rows = read_file(studio.folder / "plain.csv").frame.drop_columns(["label"])
    by_command = load(studio.folder / "model.json")
    (studio.folder / "shown.json").write_text(json.dumps(shown))
    expected = load(studio.folder / "shown.json").predict_proba(rows)
    assert (by_command.predict_proba(rows) == expected).all()
    monkeypatch.chdir(studio.folder)
    exec(compile(project["code"]["python"], "studio", "exec"), {})
    assert (load(studio.folder / "model.json").predict_proba(rows) == expected).all()


def test_edits_are_undone_and_made_again(studio):
    while studio.state()["project"]["edits"]:
        studio.do("undo")
    text = studio.do("model")["text"]
    studio.do("edit", line="take 0: 1")
    other = studio.do("model")["text"]
    assert other != text
    studio.do("undo")
    assert studio.do("model")["text"] == text
    studio.do("redo")
    assert studio.do("model")["text"] == other
    studio.do("undo")
    assert studio.post("undo")[0] == 400


def test_an_edit_that_cannot_be_made_is_refused_and_changes_nothing(studio):
    status, answer = studio.post("edit", line="replace 0: height > 3")
    assert status == 400
    assert "names no column" in answer["error"]
    assert studio.state()["project"]["edits"] == []


def test_rows_their_ways_and_groups_are_those_of_the_library(studio):
    wrong = studio.do("rows", chosen={"filter": "errors"})
    shown = studio.do("model")
    assert shown["right"] == percent(1 - wrong["total"] / shown["rows"])
    number = wrong["rows"][0]["number"]
    why = studio.do("row", number=number, limits={"max_changes": 1})
    assert why["answer"] != why["class"]
    assert sum(why["shares"].values()) == pytest.approx(1)
    groups = studio.do("groups", column="site")["groups"]
    assert sum(each["rows"] for each in groups) == shown["rows"]
    assert studio.post("rows", chosen={"column": "age", "value": "> ten"})[0] == 400
    old = studio.do("rows", chosen={"column": "age", "value": "> 60"})
    cells = read_file(studio.folder / "plain.csv").frame.column("age").to_numpy()
    assert old["total"] == (cells > 60).sum()


def test_a_new_file_is_checked_and_scored_as_by_the_command(studio, planetree):
    studio.do("score", file="new.csv", asked={})
    found = studio.state()["project"]["score"]
    assert found["lacking"]
    mapped = {own: name for name, own in found["suggested"].items()}
    assert mapped["Age (years)"] == "age"
    studio.do("score", file="new.csv", asked={"renamed": mapped})
    project = studio.state()["project"]
    assert project["score"]["error"] is not None
    _, headers, body = studio.ask("GET", "/api/download/predictions")
    assert "attachment" in headers["content-disposition"]
    fit, *_, predict = project["code"]["command"].splitlines()
    planetree(fit, "--force")
    planetree(predict, "--force")
    assert body.decode() == (studio.folder / "predictions.csv").read_text()
    assert body.decode().startswith("Age (years),DOSE,color,site,label,prediction,")


def test_a_comparison_is_that_of_the_command(studio, planetree):
    studio.do("compare", methods=["c45", "plane"], time_limit=60)
    project = studio.wait(idle)["project"]
    line = next(each for each in project["code"]["command"].splitlines() if " compare " in each)
    printed = json.loads(planetree(line, "--json"))
    for own, other in zip(project["comparison"]["records"], printed["methods"], strict=True):
        assert {**own, "seconds": 0} | {**other, "seconds": 0} == {**own, "seconds": 0}


def test_a_held_out_table_takes_the_place_of_folds(studio, planetree):
    (studio.folder / "held.csv").write_text(plain_csv(80, seed=9))
    studio.do("choose", changes={"test": "held.csv"})
    studio.do("fit")
    project = studio.wait(idle)["project"]
    printed = planetree(project["code"]["command"].splitlines()[0], "--force")
    own = next(each for each in project["fitted"]["sizes"] if each["at"] is None)
    assert all(sentence in printed for sentence in own["sentences"])
    studio.do("choose", changes={"test": None})


def test_a_search_goes_on_where_it_was_left(studio):
    studio.do("search", evaluations=40)
    first = studio.wait(idle)["project"]["search"]
    studio.do("search", evaluations=60)
    second = studio.wait(idle)["project"]["search"]
    assert second["history"][: len(first["history"])] == first["history"]
    assert (studio.folder / "plain.csv.planetree" / "set-gen.json").exists()


def test_long_work_is_canceled_within_a_second_and_the_studio_lives_on(studio):
    studio.do("search", evaluations=100_000)
    studio.wait(lambda state: state["work"] and state["work"]["progress"])
    assert studio.post("fit")[0] == 400  # one at a time
    start = time.monotonic()
    studio.do("cancel")
    state = studio.wait(idle)
    assert time.monotonic() - start < 1.0
    assert studio.do("model")["rules"]
    found = state["project"]["search"]  # what a pause leaves is shown
    assert found["total"] == 100_000
    assert 0 < found["done"] < 100_000


def test_weights_of_classes_by_numbers_are_those_of_the_command(studio, planetree):
    studio.do("choose", changes={"class_weight": "ill=3,well=1"})
    studio.do("fit")
    code = studio.wait(idle)["project"]["code"]["command"].splitlines()[0]
    assert "--class-weight ill=3,well=1" in code
    planetree(code, "--force")
    made = json.loads((studio.folder / "model.json").read_text())
    kept = json.loads((studio.folder / "plain.csv.planetree" / "model.json").read_text())
    assert made["model"]["fitted"]["tree_"] == kept["model"]["fitted"]["tree_"]
    studio.do("choose", changes={"class_weight": None})
    studio.do("fit")
    studio.wait(idle)


def test_a_crash_of_a_computation_is_told_and_the_studio_lives_on(studio):
    children = Path(f"/proc/{studio.process.pid}/task/{studio.process.pid}/children")
    if not children.exists():
        pytest.skip("no /proc to find the worker in")
    for child in map(int, children.read_text().split()):
        os.kill(child, signal.SIGKILL)
    answers = [studio.post("model"), studio.post("model")]
    assert answers[-1][0] == 200
    assert all(
        status == 200 or "ended by signal SIGKILL" in said["error"] for status, said in answers
    )


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "empty"),
        ("binary.csv", bytes(range(256)) * 20, "not a text table"),
        ("short.csv", b"a,b\n1\n", "cell"),
        ("names.csv", b"a,a\n1,2\n", "two columns"),
        ("broken.parquet", b"PAR1 and no more", "Parquet"),
    ],
)
def test_a_bad_file_is_refused_in_words_and_what_was_open_stays(studio, name, content, says):
    (studio.folder / name).write_bytes(content)
    status, answer = studio.post("open", file=name)
    assert status == 400
    assert says in answer["error"]
    assert studio.state()["project"]["recipe"]["file"] == "plain.csv"


def test_kill_9_loses_nothing(folder, studio):
    """After a kill, another studio opens the table with the model, the size and the edits."""
    studio.do("edit", line="take 0: 1")
    before = studio.state()["project"]
    text = studio.do("model")["text"]
    with studio_in(folder, file="plain.csv", warm=False) as other:
        other.process.kill()
    with studio_in(folder, file="plain.csv", warm=False) as other:
        other.log_in()
        after = other.wait(lambda state: state["project"])["project"]
        assert after == before
        assert other.do("model")["text"] == text
    studio.do("undo")


@pytest.mark.skipif(not Path("/proc").exists(), reason="no /proc to find the workers in")
def test_workers_end_with_a_studio_that_is_killed(tmp_path):
    """A worker that went on would write its model over that of the next studio."""
    cells = np.random.default_rng(0).normal(size=(4000, 30)).round(3)
    rows = (",".join(map(str, row)) + (",a" if row[0] > row[1] else ",b") for row in cells)
    head = ",".join([*(f"x{j}" for j in range(30)), "class"])
    (tmp_path / "t.csv").write_text("\n".join([head, *rows]) + "\n")
    with studio_in(tmp_path, file="t.csv", warm=False) as other:
        other.log_in()
        other.wait(lambda state: state["project"])
        own = Path(f"/proc/{other.process.pid}/task/{other.process.pid}/children")
        before = {*own.read_text().split()}
        other.do("search", evaluations=100_000)  # says nothing for many seconds
        while not (new := {*own.read_text().split()} - before):
            time.sleep(0.05)
        time.sleep(3)
        other.process.kill()
        other.process.wait()
        workers, end = [Path(f"/proc/{child}/stat") for child in new], time.monotonic() + 3
        while any(each.exists() and " Z " not in each.read_text() for each in workers):
            assert time.monotonic() < end
            time.sleep(0.1)


def test_what_an_ended_process_left_unfinished_goes(folder, studio):
    part = folder / "plain.csv.planetree" / ".set-gen.json.0123456789abcdef.part"
    studio.do("open", file="plain.csv")
    studio.do("search", evaluations=100_000)
    studio.wait(lambda state: state["work"]["progress"] is not None)
    part.write_text("half of")
    studio.do("cancel")
    studio.wait(lambda state: state["work"] is None)
    assert not part.exists()
    part.write_text("half of")
    studio.do("open", file="plain.csv")
    assert not part.exists()


def test_the_project_file_is_written_whole_or_not_at_all(folder, studio):
    place = folder / "plain.csv.planetree"
    assert json.loads((place / "project.json").read_text())["format"] == 1
    assert not list(place.glob(".*.part"))
    assert not list(folder.glob(".upload-*"))
