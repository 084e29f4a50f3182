"""What long use and misfortune do: `python -m campaigns.soak --minutes 12`; part of `make soak`.

    kills          kill -9 of a search and of a fit to parts, which are resumed, and of saves
    faults         the nth write, the nth run of HiGHS and the nth allocation fail
    steadiness     memory over many fits, and fits in 24 threads at once

`make soak` goes on with workers of a cluster that are killed (`soaking.lost_workers`), and with the
campaigns `interrupts`, `time_limits` and `invariance`.
"""

from campaigns.fuzzing.driver import Campaign, main

CAMPAIGNS = {
    "kills": Campaign("campaigns.soaking.kills", 0.2),
    "faults": Campaign("campaigns.soaking.faults", 0.4),
    "steadiness": Campaign("campaigns.soaking.steadiness", 0.4),
}

if __name__ == "__main__":
    raise SystemExit(main("soak", CAMPAIGNS, minutes=12.0))
