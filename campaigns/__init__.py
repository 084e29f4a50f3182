"""Campaigns that measure whether answers are sound: `python -m campaigns.NAME`; not in the wheel.

invariance      answers that change with the order, repetition, names or units of the data
certificates    objectives, bounds and statuses, judged in exact rationals
interrupts      how soon Ctrl-C is honored
time_limits     how well time limits are kept

Each prints its seed, a table, and the shortest reproduction of what failed.
"""
