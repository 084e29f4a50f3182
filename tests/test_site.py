"""The site: every public name has a page, an example and a line in the guide."""

import inspect
import json
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import planetree
from benchmarks import studio
from benchmarks.__main__ import DOCS, FIGURES, mark, page_of, shown
from benchmarks._frontier.short_table import with_table
from planetree.evaluation.methods import methods
from website import api, chart, examples, links, llms, sources

ROOT = Path(__file__).parents[1]
PUBLIC = [entry for group in api.entries().values() for entry in group]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
GUIDE = [
    path.read_text("utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.name not in ("glossary.md", "index.md", "migration.md")
]


def test_the_reference_has_every_public_name():
    listed = {entry.full for entry in PUBLIC}
    for part in planetree._PARTS:
        listed_here = {name for name in listed if name.startswith(f"planetree.{part}.")}
        everything = set(getattr(planetree, part).__all__)
        assert {name.rpartition(".")[2] for name in listed_here} == everything, part
    top = {name.removeprefix("planetree.") for name in listed if name.count(".") == 1}
    assert top == set(planetree.__all__)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of the reference."""
    folder = tmp_path_factory.mktemp("site") / "api"
    api.write_pages(folder)
    return folder


@pytest.mark.parametrize("entry", PUBLIC, ids=lambda entry: entry.full)
def test_a_public_name_has_a_page_an_example_and_a_line_in_the_guide(entry, written):
    page = (written / f"{entry.full}.md").read_text("utf-8")
    assert f":: {entry.full}" in page
    assert f"({entry.full}.md)" in (written / "index.md").read_text("utf-8")
    used = re.compile(rf"\b{entry.name}\b")
    code = [code for text in GUIDE for code in re.findall(r"```python(.*?)```", text, re.DOTALL)]
    assert ">>>" in (inspect.getdoc(entry.thing) or "") or any(map(used.search, code))
    named = re.compile(rf"`[^`\n]*\b{entry.name}\b[^`\n]*`")
    assert any(map(named.search, GUIDE)), f"no page of the guide names {entry.full}"


def test_the_page_of_an_estimator_shows_its_program(written):
    """The equation is that of the module, line by line."""
    page = (written / "planetree.RobustSeparator.md").read_text("utf-8")
    assert "s.t.  u + A w - gamma >= 1,    v - B w + gamma >= 1,    u, v >= 0." in page


def test_what_is_indented_in_a_docstring_stays_as_it_is():
    module = ModuleType("m", "A * b.\n\n    min  c\n\n    s.t. d\n\nEnd.")
    assert api._mathematics(module) == "A \\* b.\n\n```text\nmin  c\n\ns.t. d\n```\n\nEnd."


def test_links_of_a_page_lead_to_the_same_place_within_the_site(tmp_path):
    sources.gather(ROOT, tmp_path / "site")
    for page in sorted((tmp_path / "site").rglob("*.md")):
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            if not target.endswith("benchmarks.png"):  # drawn when the site is built
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <a href="c.html">c</a>')
    (tmp_path / "b.html").write_text('<p id="there"></p> <a href="a.html">a</a>')
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "macros.html").write_text('<a href="{{ pathto(1) }}">a template</a>')
    assert links.broken(tmp_path) == [
        "a.html: b.html#here leads nowhere",
        "a.html: c.html leads nowhere",
    ]
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    shutil.copy(tmp_path / "b.html", tmp_path / "c.html")
    assert links.broken(tmp_path) == []


def test_the_picture_of_the_benchmarks_has_the_figures_of_their_page():
    rows = chart.table((ROOT / "docs" / "frontier.md").read_text("utf-8"))
    assert {"CART", "L1 logistic"} < {row["method"] for row in rows}
    assert all(float(row["terms"]) > 0 and 0 < float(row["error"]) < 50 for row in rows)


def test_the_page_of_the_benchmarks_has_the_table_that_they_wrote():
    page, frontier = (
        (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("benchmarks", "frontier")
    )
    assert with_table(page, frontier) == page
    assert "| CART | " in page


def test_the_page_of_the_studio_has_the_figures_that_were_measured():
    found = json.loads(studio.KEPT.read_text("utf-8"))
    page = studio.PAGE.read_text("utf-8")
    assert "\n".join([studio.MARK, "", *studio.lines(found), ""]) in page


@pytest.mark.parametrize("path", sorted(FIGURES.glob("*.txt")), ids=lambda path: path.stem)
def test_a_page_shows_what_its_benchmark_printed(path):
    page = page_of(path.stem).read_text("utf-8")
    shows = "\n".join([mark(path.stem), "", *shown(path.read_text("utf-8")), "", "<!-- end"])
    assert shows in page


def test_every_mark_of_a_benchmark_has_its_figures():
    pages = "".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")))
    marked = re.findall(r"<!-- figures: python -m benchmarks (\w+) --page -->", pages)
    assert len(marked) > 5
    assert set(marked) == {path.stem for path in FIGURES.glob("*.txt")}


def test_the_decision_table_names_methods_that_the_command_knows():
    page = (ROOT / "docs" / "which_method.md").read_text("utf-8")
    named = re.findall(r"--method ([a-z0-9-]+)", page)
    assert len(named) > 8
    known = {name for kind in ("classifies", "selects", "ranks") for name in methods(kind)}
    assert set(named) <= known


def test_programs_find_every_page_and_name(tmp_path):
    sources.gather(ROOT, tmp_path)
    text = llms.text(tmp_path)
    assert all(f"[{entry.full}](api/{entry.full}.html)" in text for entry in PUBLIC)
    assert "(tutorial/fit.html)" in text


def test_an_example_whose_data_are_nowhere_is_skipped(tmp_path, monkeypatch, capsys):
    (tmp_path / "plot_a.py").write_text('load("heart-cleveland")')
    (tmp_path / "plot_b.py").write_text("x = 1")

    def nowhere(name):
        raise FileNotFoundError(f"The data set {name!r} was not found.")

    monkeypatch.setattr(examples, "load", nowhere)
    assert examples.without_data(tmp_path) == ["plot_a.py"]
    assert "Skipped plot_a.py: The data set 'heart-cleveland'" in capsys.readouterr().out
    monkeypatch.setattr(examples, "load", str)
    assert examples.without_data(tmp_path) == []


def test_the_gallery_has_at_least_15_examples_that_say_what_they_show():
    assert len(GALLERY) >= 15
    for path in GALLERY:
        title, line, blank, lead, *_ = path.read_text("utf-8").split('"""')[1].strip().split("\n")
        assert set(line) == {"="}, path
        assert len(line) >= len(title), path
        assert blank == "", path
        assert lead.endswith((".", ",")) or len(lead) > 80, path
