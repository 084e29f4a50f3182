"""One self-contained HTML file that explains a fitted model, and score sheets to print."""

from planetree.reporting.charts import MethodPoint, size_and_error
from planetree.reporting.page import report
from planetree.reporting.score_sheet_page import score_sheet_html

__all__ = ["MethodPoint", "report", "score_sheet_html", "size_and_error"]
