"""Score sheets in SQL: the query gives what the sheet predicts."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

from planetree import (
    PlaneTreeClassifier,
    RobustSeparator,
)
from planetree.convert import score_sheet_to_sql, to_sql


def table(n=400, classes=2):
    rng = np.random.default_rng(classes)
    frame = pd.DataFrame({'the "age"': rng.integers(20, 90, n).astype(float)})
    frame["dose"] = rng.gamma(2, 0.6, n).round(1)
    frame["kind"] = pd.Categorical(rng.choice(["it's", "b", "c"], n))
    score = 0.08 * frame.iloc[:, 0] + frame.dose + 2 * (frame.kind == "b") + rng.logistic(size=n)
    if classes > 2:
        score += 3 * (frame.dose > 1.5)
    ranks = np.searchsorted(np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]), score)
    y = np.array([f"class {r}'" for r in ranks])
    for name in frame.columns[:2]:
        frame.loc[rng.random(n) < 0.1, name] = np.nan
    extremes = pd.DataFrame({frame.columns[0]: [1e300, -1e300, 50.0], "dose": [1.0, 0.3, 1e300]})
    extremes["kind"] = pd.Categorical(["b", "c", "it's"], categories=frame.kind.cat.categories)
    return frame, y, pd.concat([frame, extremes], ignore_index=True)


def by_sqlite(sheet, frame):
    base = sqlite3.connect(":memory:")
    frame.assign(kind=frame.kind.astype(str)).to_sql("some rows", base, index=False)
    return pd.read_sql(score_sheet_to_sql(sheet, "some rows", dialect="sqlite"), base)


def by_duckdb(sheet, frame):
    base = duckdb.connect()
    base.register("some rows", frame.assign(kind=frame.kind.astype(str)))
    return base.execute(score_sheet_to_sql(sheet, "some rows", dialect="duckdb")).df()


@pytest.mark.parametrize("ask", [by_sqlite, by_duckdb])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_query_gives_points_probabilities_and_classes_of_the_sheet(ask, classes):
    X, y, asked = table(classes=classes)
    sheet = PlaneTreeClassifier(max_splits=1 if classes == 2 else 15).fit(X, y).to_score_sheet()
    assert (len(sheet.sheets_) > 1) == (classes > 2)
    found = ask(sheet, asked)
    expected = sheet.predict_proba(asked)
    for code, label in enumerate(sheet.classes_):
        said = found[f"probability of {label}"].to_numpy(float, na_value=np.nan)
        assert np.abs(said - expected[:, code]).max() <= 1e-9
    assert found["prediction"].tolist() == sheet.predict(asked).tolist()
    points = sheet.points(asked)[:-3, 0]  # beyond its table the query has the totals themselves
    said = found["points_1"].to_numpy(float, na_value=np.nan)[:-3]
    assert np.array_equal(np.isnan(said), np.isnan(points))
    assert np.array_equal(said[~np.isnan(said)], points[~np.isnan(points)])


def test_the_query_sends_a_missing_value_to_the_sheet_of_its_branch():
    """It ended such rows at the sheet that asks for what they lack."""
    rng = np.random.default_rng(5)
    frame, gap = pd.DataFrame(rng.normal(size=(400, 2)), columns=["x", "z"]), rng.random(400) < 0.4
    y = np.where(gap, np.where(frame.z > 0, "a", "b"), np.where(frame.x > 0, "c", "b"))
    frame.loc[gap, "x"] = np.nan
    sheet = PlaneTreeClassifier().fit(frame, y).to_score_sheet()
    assert sheet.sheets_[0].after_missing == 1
    base = sqlite3.connect(":memory:")
    frame.to_sql("rows", base, index=False)
    found = pd.read_sql(score_sheet_to_sql(sheet, "rows", dialect="sqlite"), base)
    assert found["prediction"].tolist() == sheet.predict(frame).tolist()
    assert np.allclose(found["probability of a"], sheet.predict_proba(frame)[:, 0])


def test_a_dialect_that_does_not_exist_is_refused():
    X, y, _ = table()
    sheet = PlaneTreeClassifier(max_splits=1).fit(X, y).to_score_sheet()
    with pytest.raises(ValueError, match="'dialect'"):
        score_sheet_to_sql(sheet, "rows", dialect="basic")


def test_probabilities_in_sql_need_a_table():
    model = RobustSeparator().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="needs a table"):
        to_sql(model, probabilities=True)
