"""The command, in this process or in one of its own, and the files it is tried on."""

import functools
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from iris_table import iris_csv

from planetree.cli import app


class Outcome:
    """What a command printed and how it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)

    def refused(self, code, *words):
        """Whether it refused in one or two lines without a traceback, with these words."""
        assert self.code == code, self.err
        assert "Traceback" not in self.err
        assert 1 <= len(self.err.strip().splitlines()) <= 2, self.err
        assert self.err.startswith("planetree: ")
        for word in words:
            assert word in self.err, self.err
        return True


@pytest.fixture
def here(monkeypatch, capsys):
    """Run the command in this process, in a folder."""

    def run(folder, *arguments, stdin=""):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        code = app.run([*map(str, arguments)])
        return Outcome(code, *capsys.readouterr())

    return run


@pytest.fixture
def planetree(here, tmp_path):
    """Run the command in this process, in an empty folder."""

    def run(*arguments, **options):
        return here(tmp_path, *arguments, **options)

    run.folder = tmp_path
    return run


EVERY = (
    "fit iris.csv --target species --folds 2 --seed 3",
    "compare iris.csv --target species --folds 3 --method c45 --json",
    "select iris.csv --target species",
    "rank iris.csv --target species --json",
    "show model.json",
    "predict model.json iris.csv --probabilities",
    "explain model.json iris.csv --row 77",
    "export model.json --to sql",
    "report model.json iris.csv --target species --out every.html --force",
    "datasets",
    "demo --folder every --force",
)
IN_TURN = """
import contextlib, io, json, sys
from planetree.cli.app import run

for words in json.load(sys.stdin):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with contextlib.redirect_stdout(out):
        code = run(words)
    out.flush()
    print(json.dumps([words, code, out.buffer.getvalue().decode()]))
"""


@pytest.fixture(scope="session")
def fitted(tmp_path_factory) -> Path:
    """A folder with iris.csv, a model of it, the account of the fit, and that of every command.

    All of it comes from one process of its own, which no test has touched.
    """
    folder = tmp_path_factory.mktemp("fitted")
    (folder / "iris.csv").write_text(iris_csv())
    fit = "fit iris.csv --target species --model model.json --report report.html"
    done = subprocess.run(
        [sys.executable, "-c", IN_TURN],
        cwd=folder,
        input=json.dumps([line.split() for line in (fit, *EVERY)]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        timeout=300,
    )
    first, *every = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(every) == len(EVERY), done.stderr
    assert first[1] == 0, done.stderr
    (folder / "fit.txt").write_text(first[2])
    (folder / "every.json").write_text(json.dumps(every))
    return folder


@pytest.fixture
def at(fitted, here):
    """The command in this process, in the folder with iris.csv and its model."""
    return functools.partial(here, fitted)
