"""Tasks by the names that the session calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planetree.studio.desk.comparing import compare, search
from planetree.studio.desk.fitting import fit
from planetree.studio.desk.handing_over import content_of, exported_text, report_page, score_sheet
from planetree.studio.desk.opening import columns_shown, example, survey_of
from planetree.studio.desk.present_model import alternatives_of, edit_cost, edited, model_shown
from planetree.studio.desk.scoring import predictions, score
from planetree.studio.desk.table_rows import group_errors, row_shown, rows_shown

__all__ = ["TASKS"]

TASKS: dict[str, Callable[..., Any]] = {
    "survey": survey_of,
    "columns": columns_shown,
    "example": example,
    "fit": fit,
    "model": model_shown,
    "edited": edited,
    "alternatives": alternatives_of,
    "cost": edit_cost,
    "rows": rows_shown,
    "row": row_shown,
    "groups": group_errors,
    "compare": compare,
    "search": search,
    "score": score,
    "predictions": predictions,
    "exported": exported_text,
    "content": content_of,
    "sheet": score_sheet,
    "report": report_page,
}
