"""Commands on the pages of the tutorial, with what the pages say they print."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


class Shown(NamedTuple):
    """A command on a page, its words without `planetree`, and the output below it."""

    page: str
    command: str
    words: list[str]
    output: str


def pages():
    """The pages in the order in which the tutorial names them, itself last."""
    index = DOCS / "tutorial.md"
    named = re.findall(r"\]\((tutorial/\w+\.md)\)", index.read_text("utf-8"))
    return [*(DOCS / name for name in named), index]


def shown_on(page):
    """Commands of a page in order."""
    for block in BLOCK.findall(page.read_text("utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            program, *words = shlex.split(command)
            assert program == "planetree"
            yield Shown(page.name, command, words, output)
