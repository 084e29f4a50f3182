"""Tasks by the names that the session calls them; what a task needs is loaded when it is asked for.

Libraries take seconds to load where a table takes a tenth of one to read, so that a file is shown
before they are there. `warm` loads them while nobody waits.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["task_named"]

_TASKS = {
    "opening": {"survey": "survey_of", "columns": "columns_shown", "example": "example"},
    "fitting": {"fit": "fit"},
    "present_model": {
        "model": "model_shown",
        "edited": "edited",
        "alternatives": "alternatives_of",
        "cost": "edit_cost",
    },
    "table_rows": {"rows": "rows_shown", "row": "row_shown", "groups": "group_errors"},
    "comparing": {"compare": "compare", "search": "search"},
    "scoring": {"score": "score", "predictions": "predictions"},
    "handing_over": {
        "exported": "exported_text",
        "content": "content_of",
        "sheet": "score_sheet",
        "report": "report_page",
    },
}
_HOMES = {name: (home, each) for home, own in _TASKS.items() for name, each in own.items()}


def task_named(name: str) -> Callable[..., Any]:
    """The function of a task."""
    if name == "warm":
        return _warm
    home, function = _HOMES[name]
    found: Callable[..., Any] = getattr(import_module(f"planetree.studio.desk.{home}"), function)
    return found


def _warm(desk: Any) -> None:
    """Load what most tasks need."""
    for home in ("fitting", "present_model"):
        import_module(f"planetree.studio.desk.{home}")
