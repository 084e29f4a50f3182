"""The command line: wrong words in a line, errors for machines, pipes that end."""

import io
import subprocess
import sys
from typing import Annotated, get_args

from exit_codes import DATA, USAGE

from planetree.cli.app import _options, run


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


def test_an_option_that_is_annotated_with_words_has_them_for_help():
    (option,) = _options("sheet_name", Annotated[str | None, "Which sheet."], None)
    asked = get_args(option.annotation)[1]
    assert (asked.help, asked.param_decls) == ("Which sheet.", ())  # typer takes its name


def test_a_flag_that_is_annotated_with_words_has_no_negative_form(capsys):
    run(["fit", "--help"])
    said = capsys.readouterr().out
    assert "--dates" in said
    assert "--no-dates" not in said
