"""A process that computes: answers in order, errors in words, and what its end was."""

import asyncio
import os
import signal
import sys

import pytest

from planetree.studio import workers
from planetree.studio.workers import CanceledError, TaskError, Worker

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of processes are those of POSIX")
ECHO = """
import json, os, signal, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["task"] == "die":
        print("out of paper", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    if asked["task"] == "leave":
        sys.exit(7)
    if asked["task"] == "wait":
        time.sleep(60)
    print(json.dumps({"progress": 1}), flush=True)
    said = {"error": "no"} if asked["task"] == "fail" else {"result": [asked["n"], os.getpid()]}
    print(json.dumps(said), flush=True)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """A worker of a module that loads nothing."""
    (tmp_path / "echo_worker.py").write_text(ECHO)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(workers, "_MODULE", "echo_worker")
    assert sys.executable
    return lambda: Worker(tmp_path)


def test_tasks_run_one_after_the_other_in_one_process(worker):
    async def ask():
        own, told = worker(), []
        found = await asyncio.gather(*(own.call("echo", {"n": n}, told.append) for n in range(3)))
        with pytest.raises(TaskError, match=r"^no$"):
            await own.call("fail", {"n": 9})
        await own.close()
        return found, told

    found, told = asyncio.run(ask())
    assert [n for n, _ in found] == [0, 1, 2]
    assert len({process for _, process in found}) == 1
    assert told == [1, 1, 1]


def test_the_end_of_a_process_is_told_and_the_next_task_has_another(worker):
    async def ask():
        own, said = worker(), []
        for task in ("die", "leave"):
            with pytest.raises(TaskError) as caught:
                await own.call(task, {"n": 0})
            said.append(str(caught.value))
        found = await own.call("echo", {"n": 5})
        await own.close()
        return said, found

    said, found = asyncio.run(ask())
    assert f"by signal {signal.SIGTERM.name}" in said[0]
    assert said[0].endswith("Its last words: out of paper")
    assert "with exit code 7" in said[1]
    assert found[0] == 5


def test_a_canceled_task_ends_at_once_and_says_so(worker):
    async def ask():
        own = worker()
        waiting = asyncio.create_task(own.call("wait", {"n": 0}))
        while own._process is None:
            await asyncio.sleep(0.01)
        own.cancel()
        with pytest.raises(CanceledError):
            await waiting
        await own.close()

    asyncio.run(ask())
