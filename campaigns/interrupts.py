"""How soon Ctrl-C is honored: `python -m campaigns.interrupts`.

Every slow fit gets a SIGINT 0.3, 1 and 3 seconds after it began; the seconds are counted until
KeyboardInterrupt leaves `fit`. They must not exceed 0.5.
"""

import argparse
import signal
import time

from campaigns.printing import counts_table, save
from campaigns.slow_fits import SLOW_FITS, end, line, start

MOMENTS = (0.3, 1.0, 3.0)
LIMIT = 0.5


def seconds_deaf(name, moment, share=1.0, patience=60.0):
    """Seconds from the signal to KeyboardInterrupt, or a word where it never came."""
    process = start(name, share)
    begun = line(process).get("at", time.monotonic())
    time.sleep(max(0.0, begun + moment - time.monotonic()))
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    found = end(process, patience)
    return found["at"] - sent if found["how"] == "interrupted" else found["how"]


def main():
    """Run and print the table; fails if a fit was deaf for longer than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="part of a fit's name")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--save", help="name under which docs/soundness.md shows the seconds")
    asked = parser.parse_args()
    rows, worst = {}, 0.0
    for name in (each for each in SLOW_FITS if asked.only in each):
        found = [seconds_deaf(name, moment, asked.share) for moment in MOMENTS]
        worst = max([worst, *(each if isinstance(each, float) else 0.0 for each in found)])
        worst = max(worst, 60.0 if "deaf" in found else 0.0)
        rows[name] = [f"{each:.2f}" if isinstance(each, float) else each for each in found]
        print(f"{name}: {rows[name]}", flush=True)
    table = counts_table(("seconds deaf", *(f"after {each:g} s" for each in MOMENTS)), rows)
    print(table)
    if asked.save:
        save(f"interrupts-{asked.save}", table, f"At most {LIMIT} s is allowed. Seed 0.")
    return int(worst > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
