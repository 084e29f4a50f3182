"""Processes that compute, so that the page never waits for them and outlives them.

A worker is asked in lines of JSON and answers so:

    {"task": "alternatives", "recipe": {...}, ...}       to the worker
    {"progress": {...}}   any number of times            from the worker
    {"result": ...} or {"error": "..."}                  at the end

One task runs at a time; others wait. To cancel is to end the process: the next task starts another,
which reads what it needs from disk again. What a worker writes to its error stream is kept, and its
last line is shown if it ends by itself.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_LONGEST = 1 << 28  # bytes of an answer
_MODULE = "planetree.studio.desk"


class TaskError(Exception):
    """What a task says to the person who asked for it."""


class CanceledError(TaskError):
    """The person who asked for a task does not want it any more."""


class Worker:
    """A process that does one task after the other.

    Parameters
    ----------
    folder : path
        Where the tables are.
    """

    def __init__(self, folder: Any) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._is_canceled = False
        self._last_words: deque[str] = deque(maxlen=20)
        self._listening: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process, unless it runs."""
        if self._process is not None and self._process.returncode is None:
            return
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            str(self._folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST,
        )
        self._last_words.clear()
        self._listening = asyncio.create_task(self._listen(self._process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last lines of the error stream."""
        assert process.stderr is not None
        async for line in process.stderr:
            self._last_words.append(line.decode("utf-8", "replace").strip())

    async def call(
        self, task: str, arguments: dict[str, Any], tell: Callable[[Any], None] = lambda _: None
    ) -> Any:
        """What a task gives; `tell` hears how far it is."""
        async with self._turn:
            self._is_canceled = False
            await self.start()
            assert self._process is not None
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            asked = json.dumps({"task": task, **arguments}) + "\n"
            with suppress(ConnectionError):
                self._process.stdin.write(asked.encode())
                await self._process.stdin.drain()
            while line := await self._process.stdout.readline():
                said = json.loads(line)
                if "progress" in said:
                    tell(said["progress"])
                elif "error" in said:
                    raise TaskError(said["error"])
                else:
                    return said["result"]
            raise await self._ended()

    async def _ended(self) -> TaskError:
        """Why a process ended in the middle of a task."""
        assert self._process is not None
        code = await self._process.wait()
        if self._listening is not None:
            await self._listening
        if self._is_canceled:
            return CanceledError("Canceled.")
        why = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        said = f" Its last words: {self._last_words[-1]}" if self._last_words else ""
        return TaskError(
            f"The computation ended {why}. Nothing else is lost; try again, perhaps with fewer "
            f"rows or columns.{said}"
        )

    def cancel(self) -> None:
        """End the process, and with it the task that it does."""
        self._is_canceled = True
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        """End the process for good."""
        self.cancel()
        if self._process is not None:
            await self._process.wait()
