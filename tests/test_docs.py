"""The code on the pages of the documentation runs as it stands, and prints what they say."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
ELSEWHERE = ("scheduler:8786",)  # a block that names one of these needs a cluster of its own
DRAWN = {"images/benchmarks.png"}  # when the site is built
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks_of(page):
    """Blocks of Python on a page, each with the number of its first line."""
    text = page.read_text("utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if not any(place in found[1] for place in ELSEWHERE):
            yield text.count("\n", 0, found.start(1)), found[1]


def run_session(code, names, page, line):
    """Run a block with prompts, and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_as_it_stands(page, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    if any("from planetree.datasets import load\n" in code for _, code in blocks_of(page)):
        request.getfixturevalue("data_folder")  # skips the page where there is none
    names = {}
    for line, code in blocks_of(page):
        if ">>>" in code:
            run_session(code, names, page, line)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_no_code_hides_in_a_block_whose_language_is_not_run(page):
    """Python, sessions of the command and shell are run by tests; nothing else is code."""
    blocks = re.findall(
        r"^```([^\n]*)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    others = [text for language, text in blocks if language not in ("python", "console", "sh")]
    hidden = re.compile(r"^(>>>|\$ |import |from \w+ import|planetree |pip |make )", re.MULTILINE)
    assert not any(map(hidden.search, others))


def test_a_page_whose_code_is_wrong_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\n>>> x + 1\n3\n\n```\n")
    ((_, first), (line, second)) = blocks_of(page)
    names = {}
    exec(first, names)
    with pytest.raises(AssertionError, match=r"Expected:\s+3\s+Got:\s+2"):
        run_session(second, names, page, line)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in set(re.findall(r"\]\(([^)#:]+)\)", prose)) - DRAWN:
        assert (page.parent / target).exists(), target
