"""Time of a process without its waiting for a core: what a busy machine takes is forgiven.

A busy machine makes a process wait for a core, which no program can help. Linux counts these
seconds, and `Moment` takes them out of what passes between two moments, so that only they are
forgiven: seconds in which the process runs, or sleeps, all count.
"""

import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Moment:
    """What the clock, and the main thread's use of a core, say of a process at one time."""

    at: float
    ran: float
    waited: float

    @classmethod
    def of(cls, pid="self"):
        """Now; without seconds of waiting where the system does not count them."""
        try:
            ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
        except OSError:
            ran = waited = 0
        return cls(time.monotonic(), float(ran) / 1e9, float(waited) / 1e9)

    def since(self, other):
        """Seconds by the clock, without waiting for a core, and running on one."""
        clock = self.at - other.at
        return clock, max(0.0, clock - (self.waited - other.waited)), self.ran - other.ran
