"""Every line of every block of shell on a page runs, or names what is there."""

import io
import re
import shlex
import tomllib

import pandas as pd
import pytest
from console_pages import DOCS

import planetree.cli.commands  # noqa: F401 (registers them)
from planetree.cli.app import _app
from planetree.datasets import example_csv

ROOT = DOCS.parent
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COMMANDS = {str(each.name) for each in _app.registered_commands}
SERVES = {"studio"}  # until someone ends it


def shown():
    """The words of the lines of each block of shell; a block on two pages counts once."""
    found = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            lines = [tuple(shlex.split(line, comments=True)) for line in block.splitlines()]
            found[tuple(lines)] = f"{page.stem}: {lines[-1][0]}"
    return [pytest.param(lines, id=name) for lines, name in found.items()]


@pytest.fixture(scope="module")
def tables():
    """The text of the files that pages speak of."""
    tumors = pd.read_csv(io.StringIO(example_csv("breast-cancer")))
    hospitals = tumors.assign(hospital=["north", "south"] * 284 + ["north"])
    return {"tumors.csv": tumors.to_csv(index=False), "new.csv": hospitals.to_csv(index=False)}


@pytest.mark.parametrize("lines", shown())
def test_every_line_of_shell_runs_or_names_what_is_there(lines, here, tmp_path, tables, request):
    for name, text in tables.items():
        (tmp_path / name).write_text(text, "utf-8")
    for program, *words in lines:
        _TRIED[program](words, lambda *given: here(tmp_path, *given), request)


def _planetree(words, run, request):
    assert words[0] in COMMANDS, words
    if words[0] in SERVES:
        assert run(words[0], "--help").code == 0
        return
    if "heart.csv" in words:
        request.getfixturevalue("data_folder")  # skips the page where there is none
        run("datasets", "heart-cleveland", "--out", "heart.csv", "--force")
    if words[:2] == ["check", "model.json"]:
        fit = "fit new.csv --target diagnosis --ignore hospital --folds 0 --model model.json"
        run(*fit.split(), "--force")
    found = run(*words)
    assert found.code == 0, (words, found.err)


def _pip(words, run, request):
    assert words[0] == "install", words
    name, _, extra = words[1].partition("[")
    assert name == "planetree"
    assert not extra or extra.rstrip("]") in EXTRAS["optional-dependencies"]


def _make(words, run, request):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert words[0] in targets, words


def _docker(words, run, request):
    if words[0] == "build":
        assert (ROOT / words[words.index("-f") + 1]).exists()
    else:  # what the image runs is the command
        after = words[words.index("planetree") + 1 :]
        assert after[0] in COMMANDS, words


def _python(words, run, request):
    assert words[0] == "-m", words
    assert (ROOT / words[1] / "__main__.py").exists(), words


_TRIED = {"planetree": _planetree, "pip": _pip, "make": _make, "docker": _docker, "python": _python}
