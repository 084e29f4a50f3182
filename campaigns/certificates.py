"""Certificates in exact rationals: `python -m campaigns.certificates --tables 20000 --jobs 2`.

Every table is drawn from the seed and its own number, fitted, and judged:

    false bound       some plane has an exact objective below `bound_`
    false status      `status_` is "optimal", but the plane is worse than a rival by more than
                      1e-6 of the rival's value (of a thousandth of all charges where that is less);
                      a refined offset is excepted, for it moves a plane that was optimal
    wrong objective   `objective_` is off the plane's exact objective by more than 1e-9
    wrong gap         `gap_` is less than `objective_` and `bound_` say
    false separable   `separable_`, but `predict` errs on a training row
    error             an exception that no docstring announces, a hang or a crash

A long run may be cut: with `--start N` its tables are added to the first N that `--save` kept.
"""

import argparse
import math
import time
import warnings
from collections import Counter

import numpy as np

from campaigns import odd_tables
from campaigns.exact import programs
from campaigns.exact.rational import as_float, exact
from campaigns.fuzzing.workers import Trial, run
from campaigns.printing import counts_table, kept_rows, save
from planetree import (
    GrinoldSeparator,
    MaxNormSeparator,
    QuadraticSeparator,
    RobustSeparator,
    SparseSeparator,
)

KINDS = ("false bound", "false status", "wrong objective", "wrong gap", "false separable", "error")
ANNOUNCED = ("Every row of X has the same features", "have the same weight and the same means")
GAP, OBJECTIVE = 1e-6, 1e-9
SMALL = 1e-3  # of all charges: below it, gaps are measured by it
TWO_CLASSES = ("GrinoldSeparator", "MaxNormSeparator")


def settings(k):
    """Separators for k classes."""
    costs = 1.0 + np.arange(k * k).reshape(k, k) % 3
    np.fill_diagonal(costs, 0.0)
    both = [
        RobustSeparator(),
        RobustSeparator(perturbation=0.02),
        RobustSeparator(weighting="uniform"),
        RobustSeparator(weighting="uniform", perturbation=0.02),
        RobustSeparator(costs=costs),
        RobustSeparator(refine_offset=True),
        SparseSeparator(),
        SparseSeparator(n_features=1),
        SparseSeparator(RobustSeparator(perturbation=0.02)),
        QuadraticSeparator(),
        QuadraticSeparator(l2=0.01),
        QuadraticSeparator(weighting="uniform", costs=costs),
    ]
    return both + [GrinoldSeparator(), MaxNormSeparator()] * (3 if k == 2 else 0)


def judge(model, X, y, weights):
    """What is wrong with a fitted separator: kinds, each with a sentence."""
    program = programs.of_model(model, X, y, weights)
    value = program.value(program.planes)
    best = min([value, *map(program.value, program.rivals())])
    unit, bound = as_float(program.unit), model.bound_
    found = {}
    if bound > best if math.isinf(bound) else exact(bound) > best:
        excess = as_float(exact(bound) - best) if math.isfinite(bound) else bound
        found["false bound"] = f"bound {bound!r} exceeds {as_float(best)!r} by {excess:.1e}"
    worse = as_float(value - best)
    gap = worse / max(abs(as_float(best)), SMALL * unit)
    moved = getattr(model, "refine_offset", False)  # its status is that of the plane before
    if model.status_ == "optimal" and gap > GAP and not moved:
        found["false status"] = f"optimal, but the exact gap is {gap:.1e}"
    off = abs(model.objective_ - as_float(value))
    if not off <= OBJECTIVE * max(abs(as_float(value)), SMALL * unit):
        found["wrong objective"] = f"objective {model.objective_!r}, exactly {as_float(value)!r}"
    least = (model.objective_ - bound) / max(abs(model.objective_), unit)
    if not model.gap_ >= 0 or model.gap_ < least * (1 - 1e-9) - 1e-12:
        found["wrong gap"] = f"gap {model.gap_!r}, objective {model.objective_!r}, bound {bound!r}"
    if model.separable_ and (model.predict(X) != y).any():
        found["false separable"] = f"{(model.predict(X) != y).sum()} training errors"
    return found


def trial(seed, number, only=None):
    """One table for one separator."""
    rng = np.random.default_rng([seed, number])
    k = 2 if rng.random() < 0.75 or only in TWO_CLASSES else 3
    choices = [each for each in settings(k) if only in (None, type(each).__name__)]
    model = choices[rng.integers(len(choices))]
    family, X, y, weights = odd_tables.draw(rng, k)
    found = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y, weights)
            found = judge(model, X, y, np.ones(len(y)) if weights is None else weights)
    except Exception as error:
        if not any(text in str(error) for text in ANNOUNCED):
            found["error"] = f"{type(error).__name__}: {error}"
    weighted = "" if weights is None else f", {weights.tolist()}"
    call = f"{type(model).__name__}: {model}.fit({X.tolist()}, {y.tolist()}{weighted})"
    return Trial(type(model).__name__, found, f"{family}: {' '.join(call.split())}")


def main():
    """Run, print and save the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--start", type=int, default=0, help="number of the first table")
    parser.add_argument("--show", type=int, default=3, help="reproductions printed of each kind")
    parser.add_argument("--save", help="name under which docs/soundness.md shows the counts")
    asked = parser.parse_args()
    before = kept_rows(f"certificates-{asked.save}") if asked.save and asked.start else {}
    if before and int(before["all"][0]) != asked.start:
        parser.error(f"--start {asked.start}, but {before['all'][0]} tables were kept")
    trials, counts, shown, begun = Counter(), Counter(), Counter(), time.monotonic()
    print(f"seed {asked.seed}", flush=True)
    outcomes = run(
        "campaigns.certificates",
        asked.seed,
        start=asked.start,
        trials=asked.tables,
        seconds=math.inf,
        jobs=asked.jobs,
    )
    for number, (name, found, call) in outcomes:
        trials[name] += 1
        counts.update((name, kind if kind in KINDS else "error") for kind in found)
        for kind, text in found.items():
            shown[name, kind] += 1
            if shown[name, kind] <= asked.show:
                print(f"{kind} (table {number}): {text}\n    {call}", flush=True)
    for name, (n_tables, *found) in before.items():
        trials[name] += int(n_tables)
        counts.update({(name, kind): int(n) for kind, n in zip(KINDS, found, strict=True)})
    trials.pop("all", None)
    rows = {n: [trials[n], *(counts[n, kind] for kind in KINDS)] for n in sorted(trials)}
    rows["all"] = [sum(column) for column in zip(*rows.values(), strict=True)]
    table = counts_table(("separator", "tables", *KINDS), rows)
    print(f"{table}\n{time.monotonic() - begun:.0f} s, seed {asked.seed}")
    if asked.save:
        save(f"certificates-{asked.save}", table, f"seed {asked.seed}")
    return int(any(counts.values()))


if __name__ == "__main__":
    raise SystemExit(main())
