"""Tasks by name: every one that the session calls is there."""

import inspect
import re
from pathlib import Path

import pytest

from planetree.studio import session
from planetree.studio.desk.tasks import _ROOMS, task_named


def called_tasks():
    """Names that the session gives to its workers."""
    text = Path(session.__file__).read_text("utf-8")
    return set(re.findall(r"\.(?:call|_asked)\(\s*\"(\w+)\"", text))


def test_every_task_takes_the_desk_first():
    names = {*_ROOMS, "warm", "fit", "model", "edited", "alternatives", "cost"}
    for name in names:
        assert next(iter(inspect.signature(task_named(name)).parameters)) == "desk"
    assert called_tasks() == names


def test_a_task_that_there_is_not_is_an_error():
    with pytest.raises(KeyError):
        task_named("format the disk")
