"""Pictures of the benchmarks, drawn from the page that the benchmarks wrote.

Log loss and error against the number of terms, one point a method; lower left is best.
"""

import re
from pathlib import Path

from matplotlib.figure import Figure

_OURS, _OTHERS = "#1a7f5a", "#7a8699"


def draw(page: Path, folder: Path) -> None:
    """Draw the first table of the page."""
    figure = Figure(figsize=(7.5, 3.4), layout="constrained")
    rows = table(page.read_text("utf-8"))
    middle = max(float(row["terms"]) for row in rows) / 2
    for axes, column in zip(figure.subplots(1, 2), ("log loss", "error"), strict=True):
        for row in rows:
            terms, value = float(row["terms"]), float(row[column])
            ours = row["method"].startswith("graded")
            axes.scatter(terms, value, s=60, color=_OURS if ours else _OTHERS, zorder=3)
            beside = {"xytext": (6, 5)} if terms < middle else {"xytext": (-6, 5), "ha": "right"}
            axes.annotate(row["method"], (terms, value), textcoords="offset points", **beside)
        axes.set(xlabel="terms", ylabel=column + (", %" if column == "error" else ""))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#dde2e8")
        axes.margins(x=0.2, y=0.15)
        axes.locator_params(nbins=6)
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "benchmarks.png", dpi=160)


def table(text: str) -> list[dict[str, str]]:
    r"""Methods of the first table that have terms and did every set.

    Examples
    --------
    >>> from website.chart import table
    >>> table("| method | sets | terms |\n| --- | --- | --- |\n| a | 2 | 3 |\n| b | 1 | 4 |\n\n")
    [{'method': 'a', 'sets': '2', 'terms': '3'}]
    """
    lines = re.search(r"^\| method .*?\n\n", text, re.MULTILINE | re.DOTALL)[0].splitlines()
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line
    ]
    found = [dict(zip(head, row, strict=True)) for row in rows]
    full = max(int(row["sets"]) for row in found)
    return [row for row in found if int(row["sets"]) == full and _is_shown(row)]


def _is_shown(row: dict[str, str]) -> bool:
    """Whether a method has terms to count, and is not another way to ask the same tree."""
    return row["terms"] != "n/a" and row["method"] not in ("graded tree (soft)", "hard leaves")
