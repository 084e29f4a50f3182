"""The command in this process, as the tests of the command run it."""

import io
import json
import sys

import pytest

from planetree.cli import app


class Outcome:
    """What a command printed and how it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run the command in an empty folder."""

    def run(*arguments, stdin=b""):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = app.run([*map(str, arguments)])
        return Outcome(code, *capsys.readouterr())

    run.folder = tmp_path
    return run
