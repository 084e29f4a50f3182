"""Answers that change although nothing changed: `python -m campaigns.invariance --tables 80`.

Every estimator of the contract is fitted to a table and to the same table told otherwise:

    rows        in another order
    duplicate   one row twice, against the same row with weight 2
    weights     rows repeated 0 to 3 times, against these numbers as weights
    classes     renamed so that their order is reversed
    units       one column times 1024; all columns for what compares columns with each other
    columns     in another order

A table counts once if a prediction on a training row or a fresh row differs (for a selector that
does not predict: a chosen column), or if one fit raises and the other does not.
"""

import argparse
import json
import math
import time
import warnings
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from sklearn.base import clone

from campaigns import plain_tables
from campaigns.definitions import footnotes, is_by_definition
from campaigns.printing import counts_table, save
from tests.test_contract import ESTIMATORS

CHANGES = ("rows", "duplicate", "weights", "classes", "units", "columns")
COUNTS = Path(__file__).parents[1] / "tests" / "soundness" / "invariance_counts.json"
QUICK = 8  # tables of an estimator in the tests
# Fits of these take long: they get smaller tables, and a fourth as many.
SLOW = (
    "BiclusteringSelector",
    "BilinearSeparator",
    "CentroidSelector",
    "DiscriminantPowerSelector",
    "FloatingSelector",
    "GeneticSelector",
    "MisclassificationSeparator",
    "PairwiseSelector",
    "PlaneTreeClassifier",
    "SeparatorTreeClassifier",
)

TURNED = {"first": "second", "second": "first"}  # topologies, if two classes change places

# These add or compare numbers of different columns, so one column's unit is part of the question
# (docs/clustering_selection.md); all columns together may be in any unit.
COMPARE_COLUMNS = ("BiclusteringSelector", "CentroidSelector", "PairwiseSelector")


def answers(estimator, table, X, y, weights=None):
    """Predictions on training and fresh rows, or names of the chosen columns, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(estimator).fit(X, y, **({} if weights is None else _weighted(weights)))
            if hasattr(model, "predict"):
                return tuple(model.predict(table.X)) + tuple(model.predict(table.fresh))
            return frozenset(model.get_feature_names_out())
    except Exception as error:
        return type(error).__name__


def _weighted(weights):
    return {"sample_weight": np.asarray(weights, float)}


def changed(estimator, table, rng):
    """Names of the changes after which the answers are others."""
    first = answers(estimator, table, table.X, table.y)
    return {
        change for change in CHANGES if not CHECKS[change](estimator, table, rng.spawn(1)[0], first)
    }


def _rows(estimator, table, rng, first):
    order = rng.permutation(len(table.y))
    return first == answers(estimator, table, table.X.iloc[order], table.y[order])


def _repeats(estimator, table, times):
    rows = np.repeat(np.arange(len(table.y)), times)
    repeated = answers(estimator, table, table.X.iloc[rows], table.y[rows])
    return repeated == answers(estimator, table, table.X, table.y, times)


def _duplicate(estimator, table, rng, first):
    times = np.ones(len(table.y), dtype=int)
    times[rng.integers(len(times))] = 2
    return _repeats(estimator, table, times)


def _weights(estimator, table, rng, first):
    times = rng.integers(0, 4, size=len(table.y))
    times[np.unique(table.y, return_index=True)[1]] = 2  # every class keeps a row
    return _repeats(estimator, table, times)


def _classes(estimator, table, rng, first):
    last = table.n_classes - 1
    topology = estimator.get_params().get("topology")
    if topology in TURNED:  # it names a class by its place
        estimator = clone(estimator).set_params(topology=TURNED[topology])
    found = answers(estimator, table, table.X, last - table.y)
    return first == (tuple(last - each for each in found) if isinstance(found, tuple) else found)


def _units(estimator, table, rng, first):
    numbers = table.X.select_dtypes("number").columns
    chosen = [numbers[rng.integers(len(numbers))]]
    if type(estimator).__name__ in COMPARE_COLUMNS:
        if len(numbers) < table.X.shape[1]:
            return True  # a category has no unit that could change with the others
        chosen = list(numbers)
    scaled = table.with_columns(
        lambda frame: frame.assign(**{c: frame[c] * 1024.0 for c in chosen})
    )
    return first == answers(estimator, scaled, scaled.X, scaled.y)


def _columns(estimator, table, rng, first):
    order = rng.permutation(table.X.shape[1])
    turned = table.with_columns(lambda frame: frame.iloc[:, order])
    return first == answers(estimator, turned, turned.X, turned.y)


CHECKS = {name: globals()[f"_{name}"] for name in CHANGES}


def takes(estimator):
    """What of a table an estimator takes: several classes, and categories with missing values."""
    numbers = [
        plain_tables.draw(0, number, n_classes=(k, k), odd=odd, most_rows=5)
        for k, odd, number in ((3, False, 1), (2, True, 2))
    ]
    several, odd = (
        not isinstance(answers(estimator, table, table.X, table.y), str) for table in numbers
    )
    rows = 12 if type(estimator).__name__ in SLOW else 40
    return {"n_classes": (2, 3) if several else (2, 2), "odd": odd, "most_rows": rows}


def n_tables_of(estimator, n_tables):
    """Number of tables for an estimator."""
    return max(1, n_tables // 4) if type(estimator).__name__ in SLOW else n_tables


def count(estimator, n_tables, seed=0, seconds=math.inf):
    """Number of tables that each change changed, the first table of each, and of all tables.

    No table is begun after so many seconds.
    """
    kinds, counts, first = takes(estimator), dict.fromkeys(CHANGES, 0), {}
    ends, number = time.monotonic() + seconds, -1
    for number in range(n_tables_of(estimator, n_tables)):
        if number and time.monotonic() > ends:
            return counts, first, number
        table = plain_tables.draw(seed, number, **kinds)
        for change in changed(estimator, table, np.random.default_rng([seed, number, 1])):
            counts[change] += 1
            first.setdefault(change, number)
    return counts, first, number + 1


def name_of(estimator):
    """Estimator in one line, the key of its counts."""
    return " ".join(repr(estimator).split())


def allowed():
    """Counts that the tests allow, by estimator and change; those not named are 0."""
    return json.loads(COUNTS.read_text("utf-8"))


def _job(work):
    place, *given = work
    begun = time.monotonic()
    return place, *count(ESTIMATORS[place], *given), time.monotonic() - begun


def _cells(name, counts):
    """Counts, starred where the method itself depends on what was changed."""
    starred = (bool(counts[c]) and is_by_definition(name, c) for c in CHANGES)
    return [
        f"{counts[c]}\\*" if star else counts[c] for c, star in zip(CHANGES, starred, strict=True)
    ]


def main():
    """Run, print and save the table; or write what the tests allow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all, at most about")
    parser.add_argument("--only", default="", help="part of an estimator's name")
    parser.add_argument("--save", help="name under which docs/soundness.md shows the counts")
    parser.add_argument("--allow", action="store_true", help="write the counts of the tests")
    asked = parser.parse_args()
    n_tables, seed = (QUICK, 0) if asked.allow else (asked.tables, asked.seed)
    places = [i for i, each in enumerate(ESTIMATORS) if asked.only in name_of(each)]
    rows, kept = {}, allowed() if asked.allow and COUNTS.exists() else {}
    print(f"seed {seed}, {n_tables} tables each", flush=True)
    with get_context("spawn").Pool(asked.jobs) as pool:
        each = 60 * asked.minutes * asked.jobs / max(1, len(places))
        work = [(place, n_tables, seed, each) for place in places]
        for place, counts, first, n, seconds in pool.imap(_job, work, chunksize=1):
            name = name_of(ESTIMATORS[place])
            rows[f"`{name}`"] = [n, *_cells(name, counts)]
            kept[name] = {change: n for change, n in counts.items() if n}
            print(f"{seconds:6.1f} s  {name}: {counts}; first tables {first}", flush=True)
    table = counts_table(("estimator", "tables", *CHANGES), rows)
    table += f"\n\n{footnotes(rows)}"
    print(f"{table}\nReproduce a table: campaigns.plain_tables.draw({seed}, NUMBER, **takes(...))")
    if asked.allow:
        kept = {name: counts for name, counts in sorted(kept.items()) if counts}
        COUNTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    if asked.save:
        save(f"invariance-{asked.save}", table, f"Seed {seed}.")


if __name__ == "__main__":
    main()
