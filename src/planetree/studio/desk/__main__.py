"""A worker: reads tasks from standard input, a line of JSON each, and answers in such lines."""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from pathlib import Path
from queue import SimpleQueue
from typing import Any


def _main() -> None:
    """Do tasks until the server ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints does not speak in the place of the worker

    from planetree.files import plain
    from planetree.studio.desk.tables import Desk
    from planetree.studio.desk.tasks import task_named

    def say(**content: Any) -> None:
        out.write(json.dumps(content) + "\n")
        out.flush()

    desk = Desk(Path(sys.argv[1]), lambda content: say(progress=plain(content)))
    warnings.simplefilter("ignore")
    asked_for: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked_for,), daemon=True).start()
    while True:
        asked = json.loads(asked_for.get())
        try:
            say(result=plain(task_named(asked.pop("task"))(desk, **asked)))
        except Exception as error:  # whatever it is, the person who asked is told
            say(error=_words_of(error))


def _listen(asked_for: SimpleQueue[str]) -> None:
    """Pass on what is asked, and end when the server has.

    Its end closes the pipe on every system. A task that went on would write over what the next
    server makes.
    """
    for line in sys.stdin:
        asked_for.put(line)
    os._exit(1)


def _words_of(error: Exception) -> str:
    """What went wrong, in a line."""
    if isinstance(error, MemoryError):
        return "The table does not fit in memory. Ignore columns, or take fewer rows."
    if isinstance(error, ModuleNotFoundError):
        return f"This needs {error.name}: pip install {error.name}."
    text = " ".join(str(error).split()) or type(error).__name__
    known = isinstance(error, (ValueError, OSError, RuntimeError))
    return text if known else f"{type(error).__name__}: {text}"


_main()
