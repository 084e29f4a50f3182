"""A campaign that answers, ends its process, or hangs, by turns; it loads nothing that is slow."""

import time

from campaigns.fuzzing.workers import Trial


def trial(seed, number):
    if number % 3 == 1:
        raise SystemExit(3)
    while number % 3 == 2:
        time.sleep(0.1)
    return Trial("plain", {})
