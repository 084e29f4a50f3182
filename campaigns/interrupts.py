"""How soon Ctrl-C is honored: `python -m campaigns.interrupts`.

Every slow fit gets a SIGINT 0.3, 1 and 3 seconds after it began. Three counts of seconds are made
until KeyboardInterrupt leaves `fit`: by the clock, without waiting for a core, and running on one.
The second must not exceed 0.5; on a machine with a core to spare it is that of the clock.
"""

import argparse
import signal

from campaigns.printing import counts_table, kept_rows, save
from campaigns.slow_fits import SLOW_FITS, Moment, busyness, line, moment_after, start

MOMENTS = (0.3, 1.0, 3.0)
LIMIT = 0.5


def seconds_deaf(process, moment, patience=60.0):
    """The three counts from the signal to KeyboardInterrupt, or a word where it never came."""
    sent = moment_after(process, moment)
    process.send_signal(signal.SIGINT)
    found = line(process, patience)
    if found["how"] != "interrupted":
        return found["how"]
    return Moment(**found["ended"]).since(sent)


def _is_wrong(found):
    """Whether it came too late, not at all, or as something else."""
    return found != "finished" and (isinstance(found, str) or found[1] > LIMIT)


def main():
    """Run and print the table; fails if a fit was deaf for longer than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="part of a fit's name; other lines stay as kept")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--save", help="name under which docs/soundness.md shows the seconds")
    asked = parser.parse_args()
    rows, bad = kept_rows(f"interrupts-{asked.save}") if asked.only else {}, 0
    for name in (each for each in SLOW_FITS if asked.only in each):
        found = [seconds_deaf(start({name: asked.share}), moment) for moment in MOMENTS]
        bad += sum(map(_is_wrong, found))
        rows[name] = [
            each if isinstance(each, str) else " / ".join(f"{s:.2f}" for s in each)
            for each in found
        ]
        print(f"{name}: {rows[name]}", flush=True)
    rows = {name: rows[name] for name in SLOW_FITS if name in rows}
    table = counts_table(("seconds deaf", *(f"after {each:g} s" for each in MOMENTS)), rows)
    note = (
        "By the clock / without waiting for a core / running. At most "
        f"{LIMIT} s without waiting for a core is allowed. {busyness()} Seed 0."
    )
    if asked.only:
        note += " Lines of several runs."
    print(table, note, sep="\n")
    if asked.save:
        save(f"interrupts-{asked.save}", table, note)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
