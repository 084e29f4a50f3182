"""The command, in this process or in one of its own, and the files it is tried on."""

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


def run_planetree(*arguments, cwd, stdin=None, env=None):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **(env or {})}
    done = subprocess.run(
        [sys.executable, "-m", "planetree.cli", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        timeout=300,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def in_a_process():
    """Run the command in a process of its own."""
    return run_planetree


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


@pytest.fixture(scope="session")
def fitted(tmp_path_factory) -> Path:
    """A folder with iris.csv, a model of it and the account of the fit."""
    folder = tmp_path_factory.mktemp("fitted")
    (folder / "iris.csv").write_text(iris_csv())
    outputs = ["--model", "model.json", "--report", "report.html"]
    done = run_planetree("fit", "iris.csv", "--target", "species", *outputs, cwd=folder)
    assert done.code == 0, done.err
    (folder / "fit.txt").write_text(done.out)
    return folder
