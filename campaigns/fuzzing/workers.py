"""Trials in worker processes that their parent ends, so that a hang or a crash is a finding too.

A campaign is a module with `trial(seed, number) -> Trial`. A worker makes the trials start,
start + step, start + 2 step, ... and prints a line for each. One that prints nothing for `LIMIT`
seconds, those of waiting for a core not counted, is killed; one that dies is noticed. Another takes
its place at the next number.
"""

import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from campaigns.moments import ROOT, Moment

LIMIT = 60.0
_MEMORY = "/dev/shm"  # files that a trial writes need no disk, which is slow
_IN_MEMORY = {"TMPDIR": _MEMORY} if os.access(_MEMORY, os.W_OK) else {}


class Trial(NamedTuple):
    """What was tried, in a word; kinds of findings with a sentence each; what reproduces them."""

    what: str
    found: dict[str, str]
    call: str = ""


class _Worker:
    """A process, the number of the trial that it makes, and when that began."""

    def __init__(self, campaign: tuple[str, int, int], number: int, lines: queue.Queue) -> None:
        module, seed, step = campaign
        given = ["-m", "campaigns.fuzzing.workers", module, str(seed), str(number), str(step)]
        self.process = subprocess.Popen(
            [sys.executable, *given],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | _IN_MEMORY,
        )
        self.campaign, self.number, self.lines = campaign, number, lines
        self.begun = Moment.of(self.process.pid)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put((self, line))
        self.lines.put((self, b""))

    def next(self) -> "_Worker":
        """The worker at its next trial, or another if this one has ended."""
        self.number, self.begun = self.number + self.campaign[2], Moment.of(self.process.pid)
        ended = self.process.poll() is not None
        return _Worker(self.campaign, self.number, self.lines) if ended else self

    def outcome(self, line: bytes) -> Trial:
        """The trial that a line tells, or the end of the process."""
        if line:
            return Trial(*json.loads(line))
        code = self.process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit {code}"
        return Trial("", {"died": f"the worker ended with {name}"})

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def run(
    module: str, seed: int, *, start: int, trials: int, seconds: float, jobs: int
) -> Iterator[tuple[int, Trial]]:
    """Number and outcome of each trial, until there were so many or the time is over."""
    ends, lines = time.monotonic() + seconds, queue.Queue()
    workers = {_Worker((module, seed, jobs), start + job, lines) for job in range(jobs)}
    try:
        while time.monotonic() < ends and any(each.number < start + trials for each in workers):
            for worker, trial in _outcomes(lines, workers):
                if worker.number < start + trials:
                    yield worker.number, trial
                workers.remove(worker)
                workers.add(worker.next())
    finally:
        for worker in workers:
            worker.end()


def _outcomes(lines: queue.Queue, workers: set[_Worker]) -> Iterator[tuple[_Worker, Trial]]:
    """What came within a fifth of a second, and workers that have been silent for too long."""
    try:
        worker, line = lines.get(timeout=0.2)
    except queue.Empty:
        for worker in list(workers):
            if Moment.of(worker.process.pid).since(worker.begun)[1] > LIMIT:
                worker.end()
                yield worker, Trial("", {"hang": f"no answer after {LIMIT:.0f} s"})
        return
    if worker in workers:
        yield worker, worker.outcome(line)


def main() -> None:
    """Make trials until the parent ends this process."""
    module, seed, number, step = sys.argv[1], *map(int, sys.argv[2:])
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the library prints goes nowhere
    trial = importlib.import_module(module).trial
    while True:
        out.write(json.dumps(trial(seed, number)).encode() + b"\n")
        number += step


if __name__ == "__main__":
    main()
