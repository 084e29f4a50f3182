"""The table of groups holds the counts of its rows; without groups there is none."""

import re

import numpy as np

from planetree.evaluation.groups import Groups
from planetree.reporting.html import DASH
from planetree.reporting.sections import group_section

CODES, ANSWERS = np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])


def test_rows_error_and_recall_of_each_group_are_counted():
    groups = Groups("<town>", ("x", "y"), np.array([0, 0, 0, 0, 1]))
    text = group_section(["no", "yes"], CODES, ANSWERS, groups, "new rows")
    assert "Errors by &lt;town&gt;" in text
    assert "Counted on new rows." in text
    lines = [re.findall(r"<td>(.*?)</td>", line) for line in text.split("<tr>")[2:]]
    assert [(n, error, *recall) for n, error, _, *recall in lines] == [
        ("4", "25.0%", "50.0%", "100.0%"),
        ("1", "0.0%", "100.0%", DASH),
    ]


def test_without_groups_there_is_no_section():
    assert group_section(["no", "yes"], CODES, ANSWERS, None, "new rows") == ""
