"""Tasks by the names that the session calls them; what a task needs is loaded when it is asked for.

Libraries take seconds to load where a table takes a tenth of one to read, so that a file is shown
before they are there. `warm` loads them while nobody waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_Tasks = dict[str, Callable[..., Any]]


def _opening() -> _Tasks:
    from planetree.studio.desk.opening import columns_shown, example, survey_of

    return {"survey": survey_of, "columns": columns_shown, "example": example}


def _model() -> _Tasks:
    from planetree.studio.desk.fitting import fit
    from planetree.studio.desk.present_model import alternatives_of, edit_cost, edited, model_shown

    return {
        "warm": lambda desk: None,
        "fit": fit,
        "model": model_shown,
        "edited": edited,
        "alternatives": alternatives_of,
        "cost": edit_cost,
    }


def _rows() -> _Tasks:
    from planetree.studio.desk.scoring import predictions, score
    from planetree.studio.desk.table_rows import group_errors, row_shown, rows_shown

    return {
        "rows": rows_shown,
        "row": row_shown,
        "groups": group_errors,
        "score": score,
        "predictions": predictions,
    }


def _methods() -> _Tasks:
    from planetree.studio.desk.comparing import compare, search

    return {"compare": compare, "search": search}


def _handing_over() -> _Tasks:
    from planetree.studio.desk.handing_over import (
        content_of,
        exported_text,
        report_page,
        sheet_shown,
    )

    return {
        "exported": exported_text,
        "content": content_of,
        "sheet": sheet_shown,
        "report": report_page,
    }


_ROOMS: dict[str, Callable[[], _Tasks]] = {
    **dict.fromkeys(("survey", "columns", "example"), _opening),
    **dict.fromkeys(("rows", "row", "groups", "score", "predictions"), _rows),
    **dict.fromkeys(("compare", "search"), _methods),
    **dict.fromkeys(("exported", "content", "sheet", "report"), _handing_over),
}


def task_named(name: str) -> Callable[..., Any]:
    """The function of a task."""
    return _ROOMS.get(name, _model)()[name]
