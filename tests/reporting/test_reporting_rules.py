"""The rules in words account for every row shown."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import planetree
from planetree import (
    C45Classifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)


@pytest.mark.parametrize(
    "make",
    [PlaneTreeClassifier, C45Classifier, SeparatorTreeClassifier, RobustSeparator],
)
def test_the_rules_account_for_every_row_and_every_right_answer(make, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make().fit(X, y)
    text = planetree.report(model, X, y, tmp_path / "page.html").read_text("utf-8")
    part = text.split('<section id="rules">')[1].split("</section>")[0]
    found = re.findall(r"([\d,.]+) rows?, ([\d,.]+) correct", part)
    assert len(found) > 2
    n_rows, n_right = np.array(found, dtype=float).sum(axis=0)
    assert (n_rows, n_right) == (150, np.sum(model.predict(X) == y))


def test_the_rules_say_of_how_many_rows_they_do_not_speak(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.iloc[:7, 3] = np.nan
    page = planetree.report(C45Classifier().fit(X, y), X, y, tmp_path / "page.html")
    assert "7 of 150 rows lack one" in page.read_text("utf-8")
