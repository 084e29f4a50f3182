"""Cheapest changes of rows: ours against one program over all leaves for HiGHS, and DiCE.

    python -m benchmarks counterfactuals
    python -m benchmarks.counterfactuals --rows 300

For every row both have the same limits (three changes, observed bounds, whole numbers) and the same
cost, sums of changes in deviations, so HiGHS tells whether ours are the cheapest. Times are of the
processor. That of HiGHS is of its solves alone, without the making of the programs.

DiCE (`dice-ml`) runs in an environment of its own, whose interpreter the variable PLANETREE_DICE
names; without it, it is left out. It is asked for one change of each of the first rows by its
method 'random' with its defaults: no limit on the number of changes. Valid are the rows that get
another class from the model; costs are counted as ours are.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from planetree import PlaneTreeClassifier
from planetree.convert import to_python
from planetree.datasets import load
from planetree.solvers import LinearProgram
from planetree.table import read_rows

sys.path.append(str(Path(__file__).parent.parent / "tests" / "tree" / "inspection"))

SETS = ("heart-cleveland", "pima", "wdbc", "credit-g", "vehicle")
MIP_TOLERANCE = 2e-6  # of HiGHS: how far its points may miss a row, and so how much less they cost
DICE_ROWS = 10


class SolveClock:
    """Seconds of the processor that programs take to solve."""

    def __init__(self):
        self.seconds, self.solve = 0.0, LinearProgram.solve

    def __enter__(self):
        def timed(program, *given):
            start = time.process_time()
            try:
                return self.solve(program, *given)
            finally:
                self.seconds += time.process_time() - start

        LinearProgram.solve = timed
        return self

    def __exit__(self, *_):
        LinearProgram.solve = self.solve


def compare(name, n_rows):
    """Print costs and times of one data set."""
    from change_oracle import Oracle

    data = load(name)
    X = data.X[~data.X.isna().any(axis=1)]
    y = data.y[X.index]
    model = PlaneTreeClassifier().fit(X, y)
    chosen = np.random.default_rng(0).permutation(len(X))[:n_rows]
    rows, cells = X.iloc[chosen], read_rows(model, X.iloc[chosen], missing=True)
    start = time.process_time()
    found = model.explain(rows).counterfactuals()
    ours = time.process_time() - start
    costs = np.array([each[0].cost if each else np.inf for each in found])
    ranges, labels = model.ranges_, model.classes_.tolist()
    oracle = Oracle(model, ranges.low, ranges.high, ranges.whole, ranges.scales(), max_changes=3)
    codes = [labels.index(label) for label in model.predict(rows).tolist()]
    with SolveClock() as clock:
        best = [
            oracle.cost(row, set(range(len(labels))) - {code})
            for row, code in zip(cells, codes, strict=True)
        ]
    with np.errstate(invalid="ignore"):
        excess = np.where(np.isinf(costs) & np.isinf(best), 0.0, np.abs(costs - best))
    print(
        f"{name:16} {len(rows):4} rows, {model.n_leaves_:2} leaves: "
        f"{1e3 * ours / len(rows):6.2f} ms a row, HiGHS {1e3 * clock.seconds / len(rows):7.2f}, "
        f"{clock.seconds / ours:5.1f} times; largest difference {excess.max():.1e}, "
        f"{(excess > MIP_TOLERANCE).sum()} above {MIP_TOLERANCE:g}",
        flush=True,
    )
    if os.environ.get("PLANETREE_DICE"):
        against_dice(model, X, rows.iloc[:DICE_ROWS], costs[:DICE_ROWS], ranges.scales())


def against_dice(model, X, rows, costs, scales):
    """Print what DiCE finds for the first rows, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        numbers = [c.name for c in model.columns_ if c.categories is None]
        X.assign(answer=model.predict(X)).to_csv(place / "all.csv", index=False)
        rows.to_csv(place / "rows.csv", index=False)
        (place / "model.py").write_text(to_python(model), encoding="utf-8")
        (place / "about.json").write_text(json.dumps({"numbers": numbers}), encoding="utf-8")
        script = Path(__file__).parent / "_dice" / "run.py"
        asked = [os.environ["PLANETREE_DICE"], str(script), folder]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  DiCE failed: {done.stderr.strip().splitlines()[-1]}")
        return
    found = json.loads(done.stdout.splitlines()[-1])
    theirs, valid = [], 0
    for place, each in enumerate(found["rows"]):
        if each is None:
            continue
        new = rows.iloc[[place]].assign(**each)
        valid += int(model.predict(new)[0] != model.predict(rows.iloc[[place]])[0])
        theirs.append(cost_of(model, rows.iloc[place], each, scales) / max(costs[place], 1e-12))
    print(
        f"  DiCE, {len(rows)} rows: {1e3 * found['seconds'] / len(rows):.0f} ms a row, {valid} get "
        f"another class, cost {np.median(theirs):.1f} times ours (median)"
    )


def cost_of(model, row, new, scales):
    """What a change costs, as ours are counted."""
    total = 0.0
    for column, scale in zip(model.columns_, scales, strict=True):
        old, value = row[column.name], new.get(column.name, row[column.name])
        if column.categories is not None:
            total += str(old) != str(value)
        else:
            total += abs(float(value) - float(old)) / scale
    return total


def main():
    """Compare on each data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60)
    given, _ = parser.parse_known_args()
    if not os.environ.get("PLANETREE_DATA"):
        print("PLANETREE_DATA names no folder of data sets")
        return
    for name in SETS:
        compare(name, given.rows)


if __name__ == "__main__":
    main()
