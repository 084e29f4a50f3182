"""How well time limits are kept: `python -m campaigns.time_limits`.

Every slow fit of an estimator that has `time_limit` gets 0.2, 1 and 2 seconds. It must end within
1.2 times that and half a second, answer for rows, warn, and have the status "time_limit". Seconds
after the limit in which the fit waits for a core do not count: on a machine with a core to spare
there are none.
"""

import argparse

from campaigns.printing import counts_table, kept_rows, save
from campaigns.slow_fits import (
    SLOW_FITS,
    Moment,
    busyness,
    has_time_limit,
    line,
    moment_after,
    start,
)

LIMITS = (0.2, 1.0, 2.0)


def kept(name, limit, share=1.0):
    """How a fit with a time limit ended, and what is wrong with that.

    `fair` of what is found are the seconds without those of waiting for a core after the limit.
    """
    process = start({name: share}, time_limit=limit)
    over = moment_after(process, limit)
    found = line(process)
    if found["how"] == "finished":
        _, late, _ = Moment(**found["ended"]).since(over)
        found["fair"] = min(found["seconds"], limit + late)
    return found, wrongs(found, limit, 1.2 * limit + 0.5)


def wrongs(found, limit, allowed):
    """What is wrong with the end of a fit that had a time limit and so many seconds in all."""
    if found["how"] != "finished":
        return [found["how"]]
    wrong = []
    if found["fair"] > allowed:
        wrong.append("late")
    if not found["answers"]:
        wrong.append("no answers")
    if found["status"] != "time_limit" and found["fair"] > 1.2 * limit:
        wrong.append(f"status {found['status']!r}")
    if found["status"] == "time_limit" and not found["warned"]:
        wrong.append("no warning")
    return wrong


def _cell(found, wrong):
    seconds = [f"{found[each]:.2f}" for each in ("seconds", "fair") if each in found]
    return " ".join([" / ".join(seconds), *wrong]).strip()


def main():
    """Run and print the table; fails if a limit was not kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="part of a fit's name; other lines stay as kept")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--save", help="name under which docs/soundness.md shows the seconds")
    asked = parser.parse_args()
    rows, bad = kept_rows(f"time_limits-{asked.save}") if asked.only else {}, 0
    for name, fit in SLOW_FITS.items():
        if asked.only not in name:
            continue
        if not has_time_limit(fit):
            rows[name] = ["has none"] * len(LIMITS)
            continue
        found = [kept(name, limit, asked.share) for limit in LIMITS]
        bad += sum(bool(wrong) for _, wrong in found)
        rows[name] = [_cell(*each) for each in found]
        print(f"{name}: {rows[name]}", flush=True)
    rows = {name: rows[name] for name in SLOW_FITS if name in rows}
    table = counts_table(("seconds", *(f"limit {each:g} s" for each in LIMITS)), rows)
    note = (
        "By the clock / without waiting for a core after the limit, of which 1.2 times the limit "
        f"and 0.5 s are allowed. {busyness()} Seed 0."
    )
    if asked.only:
        note += " Lines of several runs."
    print(table, note, sep="\n")
    if asked.save:
        save(f"time_limits-{asked.save}", table, note)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
