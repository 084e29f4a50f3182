"""Every experiment runs, in a small part; and the pages say what the results say."""

import importlib
import re
from pathlib import Path

import pytest

import planetree
from experiments.harness import comparison, pages, prose, registry
from experiments.harness.bench import Bench
from experiments.harness.printed import papers

ROOT = Path(__file__).parent.parent.parent
WITHOUT_DATA = re.compile(r"bennett-(figure-2\.4|figure-7|table-7)|bredensteiner-table-1|gracia")
CELLS = [
    (name, paper, item)
    for paper in papers().values()
    for item in paper.items.values()
    if (name := f"{paper.key}-{item.name}") in registry.names()
]


@pytest.mark.parametrize("name", registry.names())
def test_an_experiment_runs(name, tmp_path, request):
    if not WITHOUT_DATA.match(name):
        request.getfixturevalue("data_folder")
    module = registry.module_of(name)
    paper, _, item = name.partition("-")
    bench = Bench(quick=True, checkpoints=tmp_path)
    frame = module.run(bench)
    pages.save(name, frame, tmp_path, sum(bench.seconds.values()))
    kept, run = pages.saved(name, tmp_path)
    assert len(kept) == len(frame) > 0
    text = pages.section(papers()[paper].items[item], module, kept, name, run)
    assert text.count("\n|") >= 3
    if hasattr(module, "draw"):
        module.draw(frame).savefig(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.parametrize("paper", papers())
def test_the_page_of_a_paper_is_what_its_results_give(paper):
    """If this fails: `python -m experiments --pages`."""
    assert (pages.DOCS / f"{paper}.md").read_text("utf-8") == pages.page(papers()[paper])


@pytest.mark.parametrize("path", sorted(pages.RESULTS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_result_names_the_run_that_made_it(path):
    line = path.read_text("utf-8").partition("\n")[0]
    assert path.stem in registry.names()
    assert line.startswith(f"# python -m experiments {path.stem}: 20")
    assert re.search(r", planetree \d+\.\d+\.\d+, .*, Python 3", line)


@pytest.mark.parametrize("name", prose.PASSAGES)
def test_figures_in_a_guide_are_what_the_results_give(name):
    """If this fails: `python -m experiments --pages`."""
    assert prose.PASSAGES[name][0].read_text("utf-8") == prose.written(name)


@pytest.mark.parametrize(("name", "paper", "item"), CELLS, ids=[name for name, *_ in CELLS])
def test_every_miss_has_a_reason_and_every_reason_a_miss(name, paper, item):
    frame, _ = pages.saved(name)
    missed = [cell for cell in comparison.cells(item, frame) if cell.miss]
    reasons = [cell.reason(item) for cell in missed]
    assert all(reasons), [cell for cell in missed if not cell.reason(item)]
    assert {entry["why"] for entry in item.reasons} <= set(reasons)


@pytest.mark.parametrize(("name", "paper", "item"), CELLS, ids=[name for name, *_ in CELLS])
def test_every_printed_row_is_computed(name, paper, item):
    frame, _ = pages.saved(name)
    cells = comparison.cells(item, frame)
    for row in item.printed:
        found = {c.measure for c in cells if comparison.printed_row(item, c.keys) is row}
        assert found >= set(row) & set(comparison.MEASURES)


def test_every_experiment_is_an_item_of_its_paper():
    known = {f"{paper.key}-{name}" for paper in papers().values() for name in paper.items}
    assert set(registry.names()) <= known


@pytest.mark.parametrize("paper", papers().values(), ids=papers())
def test_every_item_is_computed_or_says_why_not(paper):
    for item in paper.items.values():
        assert f"{paper.key}-{item.name}" in registry.names() or item.status


def names_something(code):
    """Whether a name is public: of a class, a method of one, or a function of a module."""
    first, *rest = code.split(".")
    found = importlib.import_module(f"planetree.{first}") if first.islower() else planetree
    for name in rest if first.islower() else [first, *rest]:
        if name.endswith("_"):  # of a fitted one, described in the docstring
            return name in found.__doc__
        found = getattr(found, name)
    return True


@pytest.mark.parametrize("paper", papers().values(), ids=papers())
def test_equations_lead_to_code_and_to_tests_that_exist(paper):
    assert paper.equations
    for entry in paper.equations:
        assert names_something(re.match(r"[\w.]+", entry["code"])[0]), entry
        path, _, test = entry["test"].partition("::")
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), entry


@pytest.mark.parametrize(
    ("asked", "found"),
    [("table-4.1", "bennett-table-4.1"), ("bredensteiner-table-2", "bredensteiner-table-2")],
)
def test_an_experiment_is_found_by_the_end_of_its_name(asked, found):
    assert registry.find(asked) == found


def test_an_unknown_or_ambiguous_name_is_refused_with_those_it_may_be():
    with pytest.raises(LookupError, match=r"is none of .*bennett-table-4\.1"):
        registry.find("table-9.9")
