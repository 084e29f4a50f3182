"""Pictures of the benchmarks, drawn from the page that the benchmarks wrote.

Log loss and error against the number of terms, one point a method; lower left is best, green is
ours.
"""

import re
from itertools import cycle
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from benchmarks._frontier.methods import METHODS

_OURS, _OTHERS = "#1a7f5a", "#7a8699"


def draw(page: Path, folder: Path) -> None:
    """Draw the first table of the page."""
    figure = Figure(figsize=(7.5, 4.0), layout="constrained")
    rows = table(page.read_text("utf-8"))
    panels = figure.subplots(1, 2)
    for axes, column in zip(panels, ("log loss", "error"), strict=True):
        for row, marker in zip(rows, cycle("osD^vP*Xh<>"), strict=False):
            color = _OURS if METHODS[row["method"]].ours else _OTHERS
            point = {"s": 60, "color": color, "marker": marker, "alpha": 0.85, "zorder": 3}
            axes.scatter(float(row["terms"]), float(row[column]), label=row["method"], **point)
        axes.set(xlabel="terms", ylabel=column + (", %" if column == "error" else ""))
        axes.set_xscale("log")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#dde2e8")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_locator(NullLocator())
    shown = panels[0].get_legend_handles_labels()
    figure.legend(*shown, loc="outside lower center", ncols=4, frameon=False)
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
    """Whether a method has terms to count, and is not another way to ask or prune a tree."""
    others = "graded tree (soft)", "hard leaves", "CART (log loss)"
    return row["terms"] != "n/a" and row["method"] not in others
