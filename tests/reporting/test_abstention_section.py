"""Rows for a person: counted by `predict_or_ask`, limit by limit."""

import re

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, RobustSeparator
from planetree.reporting.probabilities import RowProbabilities, abstention_section
from planetree.tree.inspection.abstention import ASK
from planetree.tree.inspection.rows_in_tree import rows_in_tree


@pytest.fixture(scope="module")
def shown():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=150) > 0, "yes", "no")
    return rows_in_tree(PlaneTreeClassifier().fit(X, y), X, y)


def given_by(shown):
    return RowProbabilities(shown.model.predict_proba(shown.rows), shown.codes, "all rows")


def test_each_line_counts_the_rows_that_the_model_leaves_to_a_person(shown):
    text = abstention_section(shown, given_by(shown))
    lines = re.findall(
        r"<th[^>]*>(\d+)%</th><td[^>]*>([\d,]+)</td><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", text
    )
    assert [int(limit) for limit, *_ in lines] == [1, 2, 5, 10, 20, 30]
    classes = np.array(shown.classes)[shown.codes]
    for limit, count, share, error in lines:
        answers = shown.model.predict_or_ask(shown.rows, int(limit) / 100)
        asked = answers == ASK
        assert int(count) == asked.sum()
        assert share == f"{100 * asked.mean():.1f}%"
        if not asked.all():
            assert error == f"{100 * (answers != classes)[~asked].mean():.1f}%"


def test_a_model_that_cannot_ask_has_no_section(shown):
    assert abstention_section(shown, None) == ""
    X, y = shown.rows, shown.codes
    plane = rows_in_tree(RobustSeparator().fit(X, y), X, y)
    assert abstention_section(plane, given_by(shown)) == ""
