"""Figures in the guides, made from the results: nothing that an experiment found is typed there.

A guide holds a passage between two comments, `<!-- NAME: made by python -m experiments --pages -->`
and `<!-- end of NAME -->`. What stands between them is written here, from the saved results.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.harness.comparison import tests
from experiments.harness.pages import DOCS, RESULTS, markdown, p_value, saved
from experiments.harness.statistics import mean_interval

GUIDES = DOCS.parent


def two_planes() -> str:
    """How many training sets the published algorithms separate, and how many the default does."""
    rows = []
    for name, algorithm in (("bennett-table-7.1", "UBPA"), ("bennett-table-7.2", "BPA")):
        frame, _ = saved(name)
        topology = str(frame["method"].iloc[-1]).partition(",")[0]
        published = frame[frame["method"].str.endswith("published")]
        ours = frame[~frame["method"].str.endswith("published")]
        sizes = f"{frame['dimension'].min()} to {frame['dimension'].max()} dimensions"
        of = 10 * len(ours)
        counts = [f"{int(part['separated'].sum())} of {of}" for part in (published, ours)]
        rows.append([f"{topology}, {sizes}", algorithm, *counts, f"{ours['seconds'].max():.2g}"])
    head = ["training sets of the thesis", "algorithm", "published alone", "default"]
    error = saved("bennett-table-7.1")[0].query("method == 'uncoupled' and dimension == 25")
    tested = ", ".join(f"{e:.1f}% after {n:g} rows" for n, e in error[["size", "error"]].values)
    return (
        markdown([*head, "seconds of the default, at most"], rows)
        + f"\n\nError on 5000 fresh rows in 25 dimensions, uncoupled: {tested}."
    )


_SEARCHES = {"C4.5": "C4.5", "SET-GEN": "published", "SET-GEN, fresh folds": "default"}


def genetic() -> str:
    """Error, nodes and features of C4.5, of the published search and of the default, by set."""
    figures = {"error": "2", "nodes": "3", "features": "4"}
    frame, _ = saved("cherkauer-figure-2")
    for name, figure in figures.items():
        frame[name] = saved(f"cherkauer-figure-{figure}")[0][name]
    means = frame.groupby(["set", "method"], sort=False)[list(figures)].mean().unstack()
    columns = [(name, method) for name in figures for method in _SEARCHES]
    head = ["set", *(f"{name}: {_SEARCHES[method]}" for name, method in columns)]
    rows = [[label, *(f"{row[each]:.1f}" for each in columns)] for label, row in means.iterrows()]
    return "\n\n".join([markdown(head, rows), *_comparisons(frame), *_price_of_the_finish(frame)])


def genetic_elsewhere() -> str:
    """The same on small samples of other tables, without the table."""
    return "\n\n".join(_comparisons(saved("cherkauer-other-tables")[0]))


def _comparisons(frame: pd.DataFrame) -> list[str]:
    """In words, how each search compares with C4.5 over the sets."""
    means = frame.groupby(["set", "method"])[["nodes", "features"]].mean().unstack()
    lines = []
    for method in list(_SEARCHES)[1:]:
        found = tests({"measure": "error", "first": method, "second": "C4.5"}, frame)
        gaps = found[method] - found["C4.5"]
        ratios = [
            float(np.exp(np.log(means[name, method] / means[name, "C4.5"]).mean()))
            for name in ("nodes", "features")
        ]
        lines.append(
            f"Over {len(found)} sets, the {_SEARCHES[method]} search has {gaps.mean():+.1f} points "
            f"of error against C4.5 (Wilcoxon p = {p_value(found.attrs['wilcoxon'])}; higher on "
            f"{int((gaps > 0).sum())} sets), {ratios[0]:.2f} of its nodes and {ratios[1]:.2f} of "
            f"its features (geometric means)."
        )
    return lines


def _price_of_the_finish(frame: pd.DataFrame) -> list[str]:
    """In words, how many times the seconds of the search the default takes."""
    seconds = frame.groupby(["set", "method"])["seconds"].mean().unstack()
    times = seconds["SET-GEN, fresh folds"] / seconds["SET-GEN"]
    return [
        f"The default takes {np.exp(np.log(times).mean()):.1f} times as long as the published "
        f"search (geometric mean over the sets), at most {times.max():.1f} times."
    ]


def ranking() -> str:
    """Mean error over all numbers of features, of the ranking by trees and of forward selection."""
    rows = []
    for name in ("gracia-figure-1", "gracia-figure-2"):
        frame, _ = saved(name)
        for problem, part in frame.groupby("set", sort=False):
            means = part.groupby(["fold", "method"])["error"].mean().unstack()
            gaps = means["Tree"] - means["SFS"]
            low, high = mean_interval(gaps)
            shown = [f"{means[method].mean():.2f}" for method in ("Tree", "SFS")]
            better = "Tree" if high < 0 else "SFS" if low > 0 else "not told apart"
            interval = f"{gaps.mean():+.2f} [{low:+.2f}, {high:+.2f}]"
            rows.append([problem, *shown, interval, len(gaps), better])
    head = ["problem", "Tree", "SFS", "Tree less SFS, 95% interval", "draws", "better"]
    return markdown(head, rows)


def pruning() -> str:
    """Error and leaves of trees of planes by rule of pruning, over sets."""
    frame, _ = saved("bennett-pruning")
    rows = []
    for rule in frame["method"].unique():
        means = frame[frame["method"] == rule].groupby("set")[["error", "leaves"]].mean().mean()
        row = [rule, f"{means['error']:.2f}", f"{means['leaves']:.1f}"]
        for measure in ("error", "leaves"):
            claim = {"measure": measure, "first": rule, "second": "pessimistic"}
            found = tests(claim, frame) if rule != "pessimistic" else None
            row += _sides(found, claim) if found is not None else [""]
        rows.append(row)
    head = ["rule", "error, %", "leaves", "error against pessimistic", "leaves against pessimistic"]
    return f"{markdown(head, rows)}\n\nMeans over {frame['set'].nunique()} sets."


def _sides(found: pd.DataFrame, claim: dict[str, str]) -> list[str]:
    """In words, on how many sets the first of two rules has less, or more, and the p over all."""
    gaps = found[claim["first"]] - found[claim["second"]]
    p = p_value(found.attrs["wilcoxon"])
    return [f"less on {sum(gaps < 0)} sets, more on {sum(gaps > 0)}, p = {p}"]


def two_planes_or_one() -> str:
    """Training and test error of one plane and of two, by set."""
    frame, _ = saved("bennett-two-planes")
    means = (
        frame.groupby(["set", "method"], sort=False)[["training_error", "error"]].mean().unstack()
    )
    methods = frame["method"].unique()
    head = ["set", *(f"{part}, {m}" for part in ("training", "test") for m in methods)]
    rows = [
        [
            name,
            *(f"{row[measure, m]:.1f}" for measure in ("training_error", "error") for m in methods),
        ]
        for name, row in means.iterrows()
    ]
    return markdown(head, rows)


def times() -> str:
    """What a whole run costs, by experiment, and with which state of the library each was run."""
    rows, total, states = [], 0.0, set()
    for path in sorted(RESULTS.glob("*.csv")):
        _, line = saved(path.stem)
        day, library, seconds = re.search(_RUN, line).groups(default="")  # type: ignore[union-attr]
        rows.append([path.stem, day, library, seconds])
        total += float(seconds or 0)
        states.add(library)
    of = "one state" if len(states) == 1 else f"{len(states)} states"
    known = sum(bool(row[-1]) for row in rows)
    cost = (
        f" {known} of them say what they cost: {total / 60:.0f} minutes of one processor together, "
        "where cells that two experiments share count once."
    )
    return (
        f"{len(rows)} results were computed with {of} of the library.{cost if known else ''}\n\n"
        + markdown(["experiment", "day", "state of the library", "seconds of one processor"], rows)
    )


_RUN = re.compile(r"^(\S+), .*, library (\w+)(?:, ([\d.]+) s of one processor)?$")
PASSAGES: dict[str, tuple[Path, Callable[[], str]]] = {
    "two planes": (GUIDES / "bilinear_separation.md", two_planes),
    "genetic": (GUIDES / "genetic_selection.md", genetic),
    "genetic, other tables": (GUIDES / "genetic_selection.md", genetic_elsewhere),
    "ranking": (GUIDES / "discriminant_power.md", ranking),
    "one plane or two": (GUIDES / "bilinear_separation.md", two_planes_or_one),
    "pruning": (GUIDES / "separator_trees.md", pruning),
    "times": (GUIDES / "papers.md", times),
}


def written(name: str) -> str:
    """The guide of a passage, with the passage as the results give it."""
    path, make = PASSAGES[name]
    begin, end = (
        f"<!-- {name}: made by python -m experiments --pages -->",
        f"<!-- end of {name} -->",
    )
    text = path.read_text("utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise LookupError(f"{path} has no passage between {begin!r} and {end!r}.")
    return pattern.sub(lambda _: f"{begin}\n\n{make()}\n\n{end}", text)


def write_guides() -> None:
    """Write every passage again, but those whose experiments were not run yet."""
    for name, (path, _) in PASSAGES.items():
        with suppress(FileNotFoundError):
            path.write_text(written(name), "utf-8")
