"""The report: one self-contained HTML file that explains a fitted model."""

from planetree.reporting.page import report

__all__ = ["report"]
