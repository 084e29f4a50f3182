"""Figures in the guides, made from the results: nothing that an experiment found is typed there.

A guide holds a passage between two comments, `<!-- NAME: made by python -m experiments --pages -->`
and `<!-- end of NAME -->`. What stands between them is written here, from the saved results.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.harness.comparison import tests
from experiments.harness.pages import DOCS, markdown, p_value, saved

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


def genetic() -> str:
    """Error, nodes and features of C4.5, of the published search and of the default, by set."""
    measures = {"error": "2", "nodes": "3", "features": "4"}
    every = {"C4.5": "C4.5", "SET-GEN": "published", "SET-GEN, fresh folds": "default"}
    run = set(saved("cherkauer-figure-2")[0]["method"])
    methods = {name: label for name, label in every.items() if name in run}
    means = {
        name: saved(f"cherkauer-figure-{figure}")[0].groupby(["set", "method"], sort=False)[name]
        for name, figure in measures.items()
    }
    tables = {
        name: group.mean().unstack().reindex(columns=list(methods)) for name, group in means.items()
    }
    head = ["set", *(f"{name}: {label}" for name in measures for label in methods.values())]
    sets = list(dict.fromkeys(saved("cherkauer-figure-2")[0]["set"]))
    rows = [
        [each, *(_one(tables[name].loc[each, method]) for name in measures for method in methods)]
        for each in sets
    ]
    return "\n\n".join([markdown(head, rows), *_comparisons(tables, methods)])


def _one(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.1f}"


def _comparisons(tables: dict[str, pd.DataFrame], methods: dict[str, str]) -> list[str]:
    """In words, how each search compares with C4.5 over the sets."""
    frame, said = saved("cherkauer-figure-2")[0], []
    for method in list(methods)[1:]:
        found = tests({"measure": "error", "first": method, "second": "C4.5"}, frame)
        if found.empty:
            continue
        gap = (found[method] - found["C4.5"]).mean()
        ratios = [
            float(np.exp(np.log(tables[name][method] / tables[name]["C4.5"]).mean()))
            for name in ("nodes", "features")
        ]
        said.append(
            f"Over {len(found)} sets, the {methods[method]} search has {gap:+.1f} points of error "
            f"against C4.5 (Wilcoxon p = {p_value(found.attrs['wilcoxon'])}; higher on "
            f"{int((found[method] > found['C4.5']).sum())} sets), {ratios[0]:.2f} of its nodes and "
            f"{ratios[1]:.2f} of its features (geometric means)."
        )
    return [*said, *_price_of_the_finish(frame)]


def _price_of_the_finish(frame: pd.DataFrame) -> list[str]:
    """In words, how many times the seconds of the search the default takes."""
    seconds = frame.groupby(["set", "method"])["seconds"].mean().unstack()
    if "SET-GEN, fresh folds" not in seconds:
        return []
    times = (seconds["SET-GEN, fresh folds"] / seconds["SET-GEN"]).dropna()
    return [
        f"The default takes {np.exp(np.log(times).mean()):.1f} times as long as the published "
        f"search (geometric mean over the sets), at most {times.max():.1f} times."
    ]


PASSAGES: dict[str, tuple[Path, Callable[[], str]]] = {
    "two planes": (GUIDES / "bilinear_separation.md", two_planes),
    "genetic": (GUIDES / "genetic_selection.md", genetic),
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
    """Write every passage again."""
    for name, (path, _) in PASSAGES.items():
        path.write_text(written(name), "utf-8")
