"""The versions name every package that planetree needs."""

import re
import tomllib
from pathlib import Path

import planetree

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def test_the_versions_name_every_package_that_planetree_needs(capsys):
    planetree.show_versions()
    said = capsys.readouterr().out
    assert said.startswith(f"planetree: {planetree.__version__}\n")
    for each in PROJECT["dependencies"]:
        assert re.search(rf"^  {each.split('>=')[0]}: \d", said, re.MULTILINE), each
