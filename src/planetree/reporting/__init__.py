"""One self-contained HTML file that explains a fitted model, and score sheets to print."""

from planetree.reporting.page import report
from planetree.reporting.score_sheet_page import score_sheet_html

__all__ = ["report", "score_sheet_html"]
