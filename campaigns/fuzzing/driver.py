"""What `make fuzz` and `make soak` share: time for each campaign, findings, counts."""

import argparse
import time
from collections import Counter
from typing import NamedTuple

from campaigns.fuzzing.workers import run
from campaigns.printing import counts_table, kept_rows, save


class Campaign(NamedTuple):
    """Module of the trials, its share of the time, and how many things one trial tries."""

    module: str
    share: float
    each: int = 1


HEAD = ("campaign", "tried", "findings", "seconds")


def _attempt(command, name, campaign, asked, seconds):
    """Trials, findings and seconds of one campaign; findings are printed."""
    counts, shown, begun = Counter(), Counter(), time.monotonic()
    outcomes = run(
        campaign.module,
        asked.seed,
        start=asked.start,
        trials=asked.trials,
        seconds=seconds,
        jobs=asked.jobs,
    )
    for number, trial in outcomes:
        counts["trials"] += 1
        for kind, text in trial.found.items():
            counts["findings"] += 1
            shown[trial.what, kind] += 1
            if shown[trial.what, kind] <= asked.show:
                print(f"{name}, seed {asked.seed}, number {number}: {trial.what}: {kind}: {text}")
                print(f"    {trial.call}")
                again = f"--only {name} --seed {asked.seed} --start {number} --trials 1 --jobs 1"
                print(f"    python -m campaigns.{command} {again}", flush=True)
    seconds = time.monotonic() - begun
    return [counts["trials"] * campaign.each, counts["findings"], round(seconds)]


def _saved(name, rows, start):
    """What was saved, with these rows in place of it, or added to it where a run is continued."""
    before = {each: list(map(int, cells)) for each, cells in kept_rows(name).items()}
    for each, cells in rows.items():
        sums = [one + other for one, other in zip(before.get(each, [0] * 3), cells, strict=True)]
        before[each] = sums if start else cells
    return before


def main(command, campaigns, minutes, arguments=None):
    """Run the campaigns and print their counts; fails if there is a finding."""
    parser = argparse.ArgumentParser(prog=f"python -m campaigns.{command}")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first trial")
    parser.add_argument("--trials", type=int, default=10**9, help="of each campaign at most")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=campaigns)
    parser.add_argument("--show", type=int, default=1, help="findings printed of each kind")
    parser.add_argument(
        "--save",
        help="name under which docs/soundness.md shows the counts, which a --start continues",
    )
    asked = parser.parse_args(arguments)
    chosen = [asked.only] if asked.only else list(campaigns)
    whole = sum(campaigns[name].share for name in chosen)
    rows = {}
    for name in chosen:
        seconds = 60 * asked.minutes * campaigns[name].share / whole
        rows[name] = _attempt(command, name, campaigns[name], asked, seconds)
        print(f"{name}: {rows[name]}", flush=True)
    table = counts_table(HEAD, rows)
    print(table, f"Seed {asked.seed}.", sep="\n")
    if asked.save:
        name, note = f"{command}-{asked.save}", f"Seed {asked.seed}."
        save(name, counts_table(HEAD, _saved(name, rows, asked.start)), note)
    return int(any(row[1] for row in rows.values()))
