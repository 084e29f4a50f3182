"""Pages of the papers, made from the results and the papers' files; nothing is typed into them."""

import inspect
import platform
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

import planetree
from experiments.harness import comparison
from experiments.harness.bench import library_digest
from experiments.harness.comparison import MEASURES, Cell
from experiments.harness.printed import Item, Paper
from experiments.harness.registry import experiments_of

DOCS = Path(__file__).parent.parent.parent / "docs" / "papers"
RESULTS = DOCS / "results"
_VERDICTS = {
    "equal": "ours is equal within the interval",
    "better": "better",
    "worse": "worse",
}


def versions() -> str:
    """The day and what the numbers were computed with."""
    parts = (planetree, np, scipy, sklearn)
    named = ", ".join(f"{part.__name__} {part.__version__}" for part in parts)
    return f"{date.today()}, {named}, Python {platform.python_version()}, {platform.machine()}"


def save(name: str, frame: pd.DataFrame, folder: Path, seconds: float) -> None:
    """A frame as CSV, below a line that names the run: command, day, what computed it, its cost."""
    folder.mkdir(parents=True, exist_ok=True)
    text = frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
    made = f"{versions()}, library {library_digest()}, {seconds:.1f} s of one processor"
    line = f"# {_command(name)}: {made}"
    (folder / f"{name}.csv").write_text(f"{line}\n{text}", "utf-8")


def _command(name: str) -> str:
    return f"python -m experiments {name}"


def saved(name: str, folder: Path = RESULTS) -> tuple[pd.DataFrame, str]:
    """A frame that was saved, and its line."""
    path = folder / f"{name}.csv"
    line = path.read_text("utf-8").partition("\n")[0]
    line = line.removeprefix("# ").removeprefix(f"{_command(name)}: ")
    return pd.read_csv(path, comment="#"), line


def was_run(name: str) -> bool:
    return (RESULTS / f"{name}.csv").is_file()


def page(paper: Paper) -> str:
    """The whole page of a paper."""
    modules = experiments_of(paper.key)
    parts = [f"# {paper.title}", paper.citation, paper.about, equations(paper)]
    parts += ["## Every table and figure", index(paper, modules)]
    for item in paper.items.values():
        name = f"{paper.key}-{item.name}"
        if item.name in modules and was_run(name):
            frame, run = saved(name)
            parts.append(section(item, modules[item.name], frame, name, run))
    return "\n\n".join(part for part in parts if part) + "\n"


def equations(paper: Paper) -> str:
    """Where each equation lives, and the test that holds it."""
    if not paper.equations:
        return ""
    rows = [(e["equation"], f"`{e['code']}`", f"`{e['test']}`") for e in paper.equations]
    return "## From equation to test\n\n" + markdown(("equation", "code", "test"), rows)


def index(paper: Paper, modules: dict[str, ModuleType]) -> str:
    """A row for every item: reproduced, how many cells miss, or why there is nothing to compute."""
    rows = []
    for item in paper.items.values():
        state = item.status
        name = f"{paper.key}-{item.name}"
        if item.name in modules and was_run(name):
            frame, _ = saved(name)
            said = [verdict(item, comparison.cells(item, frame)), claims_held(item, frame), state]
            state = "; ".join(part for part in said if part)
            state += f" ([below](#{anchor(item)}))"
        rows.append((item.label, item.title, state))
    return markdown(("item", "what", "result"), rows)


def verdict(item: Item, cells: list[Cell]) -> str:
    """In words, how the printed numbers fare; seconds of another age are not compared."""
    timed = any(c.printed is not None for c in cells if MEASURES[c.measure].kind == "time")
    judged = [cell for cell in cells if cell.verdict]
    if not judged and item.of_other_data:
        return "computed on other data than the paper's, whose numbers are shown and not compared"
    if not judged and timed:
        return "computed; the paper prints seconds, which are shown and not compared"
    if not judged:
        return "computed; the text has no value of it to compare"
    counts = {each: sum(cell.verdict == each for cell in judged) for each in _VERDICTS}
    if counts["equal"] == len(judged):
        return f"equal within the interval in all numbers compared ({len(judged)})"
    named = [f"{_VERDICTS[each]} in {n}" for each, n in counts.items() if n]
    return f"of {len(judged)} numbers compared: {', '.join(named)}"


def claims_held(item: Item, frame: pd.DataFrame) -> str:
    """In words, how many claims of the text hold for ours."""
    claims = [claim for claim in item.claims if not claim.get("of_ours")]
    found = [comparison.holds(claim, comparison.tests(claim, frame)) for claim in claims]
    judged = [each for each in found if each]
    if not judged:
        return ""
    if len(judged) == 1:
        return f"the claim of the text {comparison.in_words(judged[0])}"
    held = sum(all(each.values()) for each in judged)
    return f"{held} of {len(judged)} claims of the text hold for ours"


def section(item: Item, module: ModuleType, frame: pd.DataFrame, name: str, run: str) -> str:
    """What is said of one item: text, numbers, misses with their reasons, tests, figure."""
    cells = comparison.cells(item, frame)
    parts = [f"## {heading(item)}", text_of(module), item.note, item.of_other_data, table(cells)]
    parts += [better(cells), misses(item, cells)]
    parts += [tests_of(claim, frame) for claim in item.claims]
    if hasattr(module, "draw"):
        parts.append(f"![{heading(item)}](results/{name}.png)")
    parts.append(f"`{_command(name)}`, {run}. [All values](results/{name}.csv).")
    return "\n\n".join(part for part in parts if part)


def heading(item: Item) -> str:
    return f"{item.label}: {item.title}"


def anchor(item: Item) -> str:
    """The address that a heading gets."""
    kept = [c for c in heading(item).lower() if c.isalnum() or c in "- _"]
    return "".join(kept).replace(" ", "-")


def text_of(module: ModuleType) -> str:
    """The docstring of an experiment after its first line."""
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[2]


def table(cells: list[Cell]) -> str:
    """Keys, and for each measure the paper's number, ours, and the difference."""
    names = list(dict.fromkeys(cell.measure for cell in cells))
    known = {cell.measure for cell in cells if cell.printed is not None}
    printed = {name: name in known for name in names}
    groups: dict[tuple[Any, ...], dict[str, Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(cell.keys.values()), {})[cell.measure] = cell
    head = [*cells[0].keys]
    for name in names:
        head += heads(name, printed[name])
    rows = [
        [*labels, *(part for n in names for part in entries(group.get(n), n, printed[n]))]
        for labels, group in groups.items()
    ]
    return markdown(head, rows)


def heads(name: str, printed: bool) -> list[str]:
    """The columns of a measure."""
    title, kind = MEASURES[name].name, MEASURES[name].kind
    if not printed:
        return [title]
    parts = [f"{title}: paper", "ours"]
    own = {"rate": ["difference", "p"], "count": ["difference", "p"], "text": [], "time": []}
    return parts + own.get(kind, ["difference"])


def entries(cell: Cell | None, name: str, printed: bool) -> list[str]:
    """What stands in the columns of a measure."""
    if cell is None:
        return [""] * len(heads(name, printed))
    ours = number(cell.ours, name) + (f" ± {number(cell.spread, name)}" if cell.spread else "")
    if cell.miss:
        ours = f"**{ours}**"
    if not printed:
        return [ours]
    paper = "" if cell.printed is None else str(cell.printed)
    gap = "" if cell.difference is None else f"{cell.difference:+.{MEASURES[name].digits}f}"
    share = "" if cell.p is None else f"{cell.p:.2f}" if cell.p >= 0.005 else "< 0.01"
    return [paper, ours, gap, share][: len(heads(name, printed))]


def number(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    digits = MEASURES[name].digits
    return str(int(value)) if value == int(value) and digits < 2 else f"{value:.{digits}f}"


def misses(item: Item, cells: list[Cell]) -> str:
    """Every cell that is worse, with the reason."""
    grouped: dict[str, list[str]] = {}
    for cell in (cell for cell in cells if cell.miss):
        why = cell.reason(item) or "No reason was found yet."
        grouped.setdefault(why, []).append(named(cell))
    if not grouped:
        return ""
    listed = [f"- {'; '.join(lines)}. {why.strip()}" for why, lines in grouped.items()]
    return "Worse than printed, in bold above, and why:\n\n" + "\n".join(listed)


def better(cells: list[Cell]) -> str:
    """Every cell that is better than chance explains."""
    listed = [named(cell) for cell in cells if cell.verdict == "better"]
    return f"Better than printed: {'; '.join(listed)}." if listed else ""


def named(cell: Cell) -> str:
    """A cell in words, with both numbers and the p of their being equal."""
    what = ", ".join(str(label) for label in cell.keys.values())
    p = "" if cell.p is None else f", p {p_value(cell.p) if cell.p < 0.001 else f'= {cell.p:.3f}'}"
    both = f"{number(cell.ours, cell.measure)} for {cell.printed}{p}"
    return f"{what}, {MEASURES[cell.measure].name} ({both})"


def tests_of(claim: dict[str, Any], frame: pd.DataFrame) -> str:
    """The tests of a pair of methods, set by set and over the sets."""
    found = comparison.tests(claim, frame)
    if found.empty:
        return ""
    name = claim["measure"]
    rows = [
        [label, f"{first:.2f}", f"{second:.2f}", *map(p_value, chances)]
        for label, first, second, *chances in found.itertuples(index=False)
    ]
    over = f"\n\n{comparison.outcome(claim, found)}"
    if len(found) >= 5:
        over += f" Wilcoxon over the {len(found)} sets: p = {p_value(found.attrs['wilcoxon'])}."
    if claim.get("independent"):
        over += f" {comparison.intervals(claim, frame)}"
    held = comparison.holds(claim, found)
    if held:
        over += f" The claim {comparison.in_words(held)}."
    title = f"{claim['says']} Ours, {MEASURES[name].name}, with p of no difference:"
    return f"{title}\n\n{markdown(list(found.columns), rows)}{over}"


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def markdown(head: Any, rows: Any) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
