"""The paper's number beside ours, and a verdict on both sides: equal, better or worse, with its p.

A rate (a percentage of rows) is equal to the printed one within the interval unless a two-sided
test of two shares says p < 0.05; then it is better or worse. A count is equal if the last printed
digit can hide the difference, or if Student's t over our divisions, or over our folds where there
is one division, does not tell its mean from the printed one at 0.05. A value or a text is equal or
not. Seconds are only shown.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.harness.printed import Item, half_digit
from experiments.harness.statistics import (
    corrected_resampled_t,
    matched_pair_t,
    mean_equal,
    mean_interval,
    rates_equal,
    wilcoxon_over_sets,
)
from planetree.statistics import holm

KEYS = ("set", "method", "dimension", "size", "bits")
LEVEL = 0.05


@dataclass(frozen=True)
class Measure:
    """What a column of a frame is: its name in print, its kind, and whether more of it is worse."""

    name: str
    kind: str
    digits: int = 1
    more_is_worse: bool = True


MEASURES = {
    "error": Measure("test error, %", "rate"),
    "training_error": Measure("training error, %", "rate"),
    "accuracy": Measure("test accuracy, %", "rate", more_is_worse=False),
    "training_accuracy": Measure("training accuracy, %", "rate", more_is_worse=False),
    "features": Measure("features", "count"),
    "support": Measure("features of any weight", "count"),
    "decisions": Measure("decisions", "count"),
    "leaves": Measure("leaves", "count"),
    "nodes": Measure("nodes", "count"),
    "units": Measure("hidden units", "count"),
    "programs": Measure("programs", "count"),
    "relaxations": Measure("relaxations", "count"),
    "separated": Measure("separated", "count", more_is_worse=False),
    "efficiency": Measure("efficiency, %", "count", more_is_worse=False),
    "optimum": Measure("optimum", "value", 4),
    "misclassified": Measure("errors", "text"),
    "selected": Measure("features by class", "text"),
    "found_by": Measure("found by", "text"),
    "steps": Measure("steps of the solver", "time", 0),
    "seconds": Measure("seconds", "time", 4),
}


@dataclass(frozen=True)
class Cell:
    """A printed number and ours, with the p that they are equal and the verdict on ours."""

    keys: dict[str, Any]
    measure: str
    printed: Any
    ours: Any
    spread: float | None = None
    p: float | None = None
    verdict: str = ""  # equal, better or worse; none where there is nothing to compare
    divisions: tuple[float, ...] = ()  # the mean of each repeat

    @property
    def miss(self) -> bool:
        """Whether ours is worse."""
        return self.verdict == "worse"

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if self.printed is None or isinstance(self.ours, str):
            return None
        return float(self.ours) - float(self.printed)

    def reason(self, item: Item) -> str:
        """Why it misses: as the paper's file says, or because one division is not another."""
        for entry in item.reasons:
            labels = {k: v for k, v in entry.items() if k != "why"}
            mine = self.keys | {"measure": self.measure}
            if all(covers(value, mine.get(key)) for key, value in labels.items()):
                return entry["why"]
        low, high = min(self.divisions, default=np.inf), max(self.divisions, default=-np.inf)
        if low - half_digit(self.printed) <= float(self.printed) <= high:
            return f"The paper has one division into folds; ours range from {low:g} to {high:g}."
        return ""


def covers(named: Any, own: Any) -> bool:
    """Whether a label, or one of a list of labels, is the cell's own."""
    return own in named if isinstance(named, list) else own == named


def cells(item: Item, frame: pd.DataFrame) -> list[Cell]:
    """Every measure of every group of the frame, beside the printed number where there is one."""
    keys = [key for key in KEYS if key in frame]
    measures = [name for name in MEASURES if name in frame]
    found = []
    for labels, group in frame.groupby(keys, sort=False):
        own = dict(zip(keys, labels, strict=True))
        printed = printed_row(item, own)
        found += [cell(own, name, printed.get(name), group) for name in measures]
    return [each for each in found if each.ours is not None]


def printed_row(item: Item, keys: dict[str, Any]) -> dict[str, Any]:
    """What the paper prints of a group, if anything."""
    for row in item.printed:
        if all(row.get(key, value) == value for key, value in keys.items()):
            return row
    return {}


def cell(keys: dict[str, Any], name: str, printed: Any, group: pd.DataFrame) -> Cell:
    """One measure of one group."""
    values = group[name].dropna()
    if values.empty:
        return Cell(keys, name, printed, None)
    if MEASURES[name].kind == "text":
        ours = values.iloc[0]
        verdict = "" if printed is None else "equal" if printed == ours else "worse"
        return Cell(keys, name, printed, ours, verdict=verdict)
    known = group.loc[values.index]
    ours, spread = float(values.mean()), spread_of(known, name)
    p, verdict = judge(name, printed, known, rows_of(group))
    return Cell(keys, name, printed, ours, spread, p, verdict, divisions_of(group, name))


def spread_of(group: pd.DataFrame, name: str) -> float | None:
    """Standard deviation over the repeats, or over the folds where there is but one division.

    None where there is one value, or where each fold has one row.
    """
    by = "repeat" if "repeat" in group and group["repeat"].nunique() > 1 else "fold"
    if by not in group or group[by].nunique() < 2 or group.get("rows", pd.Series([2])).max() == 1:
        return None
    return float(group.groupby(by)[name].mean().std(ddof=1))


def divisions_of(group: pd.DataFrame, name: str) -> tuple[float, ...]:
    """The mean of each division into folds."""
    if "repeat" not in group or "fold" not in group:
        return ()
    return tuple(group.dropna(subset=[name]).groupby("repeat")[name].mean().round(6))


def rows_of(group: pd.DataFrame) -> int:
    """Rows that one division tests."""
    if "rows" not in group:
        return 0
    repeats = group["repeat"].nunique() if "repeat" in group else 1
    return int(group["rows"].sum() / max(1, repeats))


def judge(name: str, printed: Any, group: pd.DataFrame, n_rows: int) -> tuple[float | None, str]:
    """The p of a number of ours being equal to the printed one, and the verdict."""
    measure, ours = MEASURES[name], float(group[name].mean())
    if printed is None or measure.kind == "time":
        return None, ""
    above = (ours - float(printed)) * (1 if measure.more_is_worse else -1)
    hidden = abs(above) <= half_digit(printed) + 1e-9
    if measure.kind == "value":
        return None, "equal" if hidden else "worse"
    is_rate = measure.kind == "rate" and n_rows > 0
    p = rates_equal(ours, float(printed), n_rows) if is_rate else count_equal(group, name, printed)
    if (hidden and not is_rate) or (p is not None and p >= LEVEL):
        return p, "equal"
    return p, "worse" if above > 0 else "better"


def count_equal(group: pd.DataFrame, name: str, printed: Any) -> float | None:
    """The p of a mean over divisions, or folds, that is the printed one; None for one value."""
    by = "repeat" if "repeat" in group and group["repeat"].nunique() > 1 else "fold"
    if by not in group or group[by].nunique() < 2:
        return None
    return mean_equal(group.groupby(by)[name].mean(), float(printed))


def tests(claim: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """A row a set: the means of two methods, and the p of their difference by each test.

    A claim may be about one set alone.
    """
    name, first, second = claim["measure"], claim["first"], claim["second"]
    rows = []
    for label, group in frame.groupby("set", sort=False):
        ours = [folds_of(group, method, name) for method in (first, second)]
        if any(values.empty for values in ours) or claim.get("set", label) != label:
            continue
        one = [values.xs(values.index[0][0], level=0) for values in ours]
        rows.append(
            {
                "set": label,
                first: ours[0].mean(),
                second: ours[1].mean(),
                "matched-pair t": matched_pair_t(*one),
                "corrected": corrected_resampled_t(*ours, ratio_of(group)),
            }
        )
    table = pd.DataFrame(rows)
    if not table.empty:
        table["Holm"] = holm(table["corrected"])
        table.attrs["wilcoxon"] = wilcoxon_over_sets(table[first], table[second])
    return table


def outcome(claim: dict[str, Any], table: pd.DataFrame) -> str:
    """In words, on how many sets the first method is lower, and how often that is certain."""
    gaps = table[claim["first"]] - table[claim["second"]]
    certain = table["matched-pair t"] < LEVEL
    parts = [
        f"{word} on {np.sum(side)} of {len(table)} sets (p < {LEVEL} on {np.sum(side & certain)})"
        for word, side in (("lower", gaps < 0), ("higher", gaps > 0))
    ]
    mean = f"{gaps.mean():+.1f} on average"
    return f"{claim['first']} is {', '.join(parts)} by the matched-pair test, {mean}."


def holds(claim: dict[str, Any], table: pd.DataFrame) -> dict[str, bool]:
    """Whether what the text says of two methods holds for ours, by how it is read.

    `within`: no difference of means is larger. `expects` lower: the mean of the first is lower on
    every set; mostly lower: on more than half of them; equal: the matched-pair test tells no set
    apart, and Wilcoxon's not the sets together, which takes five of them; not lower, not higher:
    on no set is it so by the matched-pair test. Nothing for a claim that cannot be put so.
    """
    gaps = table[claim["first"]] - table[claim["second"]]
    certain = table["matched-pair t"] < LEVEL
    each = " set by set" if len(table) > 1 else ""
    if "within" in claim:
        return {each: bool((gaps.abs() <= float(claim["within"])).all())}
    together = {" over the sets together": table.attrs["wilcoxon"] >= LEVEL}
    over_the_sets = together if len(table) >= 5 else {}
    readings: dict[str, dict[str, Any]] = {
        "lower": {each: (gaps < 0).all()},
        "mostly lower": {" on most sets": (gaps < 0).mean() > 0.5},
        "not lower": {each: not (certain & (gaps < 0)).any()},
        "not higher": {each: not (certain & (gaps > 0)).any()},
        "equal": {each: not certain.any()} | over_the_sets,
    }
    found = readings[claim["expects"]] if "expects" in claim else {}
    return {reading: bool(held) for reading, held in found.items()}


def in_words(held: dict[str, bool]) -> str:
    """Whether a claim holds, by each of its readings."""
    verb = {True: "holds", False: "does **not** hold"}
    return " and ".join(f"{verb[yes]} for ours{how}" for how, yes in held.items())


def intervals(claim: dict[str, Any], frame: pd.DataFrame) -> str:
    """In words, by how much two methods differ on each set, where its draws are independent."""
    found = []
    for label, group in frame.groupby("set", sort=False):
        if claim.get("set", label) != label:
            continue
        first, second = (
            folds_of(group, claim[which], claim["measure"]) for which in ("first", "second")
        )
        gaps = (first - second).dropna()
        if len(gaps) > 1:
            low, high = mean_interval(gaps)
            found.append(f"{label} {gaps.mean():+.2f} [{low:+.2f}, {high:+.2f}]")
    title = f"{claim['first']} less {claim['second']}, with its 95% interval over the draws"
    return f"{title}: {'; '.join(found)}."


def folds_of(group: pd.DataFrame, method: str, name: str) -> pd.Series:
    """The values of a method by repeat and fold."""
    chosen = group[group["method"] == method].dropna(subset=[name])
    repeat = chosen["repeat"] if "repeat" in chosen else pd.Series(0, index=chosen.index)
    return chosen.groupby([repeat.rename("repeat"), chosen["fold"]])[name].mean()


def ratio_of(group: pd.DataFrame) -> float:
    """Rows of a test fold to rows of its training set; 0 where training sets do not overlap."""
    if "training_rows" not in group:
        return 0.0
    return float(np.mean(group["rows"] / group["training_rows"]))
