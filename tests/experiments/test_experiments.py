"""Every experiment runs, in a small part; and the pages say what the results say."""

import importlib
import re
from pathlib import Path

import pandas as pd
import pytest
import scipy

import planetree
from experiments import bennett_section_7_4, bennett_table_6_3
from experiments.harness import comparison, pages, prose, registry
from experiments.harness.bench import Bench
from experiments.harness.printed import papers
from planetree.datasets import two_planes

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


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15),
    reason="before SciPy 1.15, Wilcoxon's test of few sets was not exact where two were equal",
)
@pytest.mark.parametrize("paper", papers())
def test_the_page_of_a_paper_is_what_its_results_give(paper):
    """If this fails: `python -m experiments --pages`."""
    assert (pages.DOCS / f"{paper}.md").read_text("utf-8") == pages.page(papers()[paper])


@pytest.mark.parametrize("path", sorted(pages.RESULTS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_result_names_the_run_that_made_it(path):
    line = path.read_text("utf-8").partition("\n")[0]
    assert path.stem in registry.names()
    assert line.startswith(f"# python -m experiments {path.stem}: 20")
    assert re.search(r", planetree \d+\.\d+\.\d+, .*, Python 3.*, library [0-9a-f]{12}", line)


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


def test_passages_whose_experiments_were_not_run_are_left_alone(tmp_path, monkeypatch):
    """A single experiment, run from an empty folder of results, ended in a FileNotFoundError."""

    def not_run():
        raise FileNotFoundError

    made = "made by python -m experiments --pages -->"
    text = f"<!-- {{0}}: {made}\n\nold\n\n<!-- end of {{0}} -->\n"
    guide = tmp_path / "guide.md"
    guide.write_text(text.format("missing") + text.format("known"))
    passages = {"missing": (guide, not_run), "known": (guide, lambda: "new")}
    monkeypatch.setattr(prose, "PASSAGES", passages)
    prose.write_guides()
    known = text.format("known").replace("old", "new")
    assert guide.read_text() == text.format("missing") + known


def test_a_ranking_is_better_where_its_interval_says_so(monkeypatch):
    """The guide called curves similar that the page of the paper tells apart."""
    gaps = {"lower": [-1.0, -1.2, -0.9], "higher": [1.0, 1.2, 0.9], "equal": [-1.0, 1.0, 0.1]}
    frame = pd.DataFrame(
        {"set": name, "fold": fold, "method": method, "error": 20 + gap * (method == "Tree")}
        for name, values in gaps.items()
        for fold, gap in enumerate(values)
        for method in ("Tree", "SFS")
    )
    monkeypatch.setattr(prose, "saved", lambda name: (frame, ""))
    rows = [line.split(" | ") for line in prose.ranking().splitlines()[2:5]]
    assert [row[-1].removesuffix(" |") for row in rows] == ["Tree", "SFS", "not told apart"]


def test_the_jobs_of_table_6_3_are_timed_with_no_other_process_beside_them(monkeypatch):
    """Two jobs on two cores, while another process measures the next set, are no two jobs."""
    asked = []
    monkeypatch.setattr(Bench, "cells", lambda bench, *_: asked.append(bench.jobs))
    bennett_table_6_3.run(Bench(jobs=2))
    assert asked == [1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_back_propagation_has_the_epochs_of_section_7_4():
    """The thesis: it separates five of five problems in 5 dimensions, within 40,000 epochs."""
    X, y = two_planes(500, 5, False, random_state=5001)
    settings = (X, y, False, 1)
    assert bennett_section_7_4.EPOCHS == 40_000
    assert not bennett_section_7_4.propagated_back(*settings, bennett_section_7_4.BLOCK)
    assert bennett_section_7_4.propagated_back(*settings, bennett_section_7_4.EPOCHS)


def test_no_page_denies_the_seconds_that_section_3_3_prints():
    item = papers()["bennett"].items["figure-3.2"]
    frame, _ = pages.saved("bennett-figure-3.2")
    assert "prints seconds" in pages.verdict(item, comparison.cells(item, frame))


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
