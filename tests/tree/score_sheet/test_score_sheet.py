"""Score sheets: followed by hand they say what they predict, and no others are better."""

import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sheet_tables import one_sheet, patients
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.metrics import RocCurveDisplay, get_scorer, log_loss
from sklearn.model_selection import cross_val_score

import planetree
from planetree import PlaneTreeClassifier
from planetree.tree.score_sheet.score_sheet import ScoreSheet, Sheet, Steps


def by_hand(text, row):
    """Probability of the class that the table is about, with a pencil: decimals and no floats."""
    questions, table, last = text.split("\n\n")
    total = Decimal(0)
    for line in questions.splitlines():
        steps = re.fullmatch(r" *([+-]\d+) points? for each full (\S+) of (\w+) above (\S+)", line)
        has = re.fullmatch(r" *([+-]\d+) points? if (\w+) is (\w+)", line)
        if steps:
            points, step, column, base = steps.groups()
            above = Decimal(str(row[column])) - Decimal(base)
            total += int(points) * max(Decimal(0), above // Decimal(step))
        else:
            points, column, category = has.groups()
            total += int(points) * (row[column] == category)
    for line in table.splitlines()[1:]:
        low, high, percent = re.match(
            r" *(-?\d+)(?: to (-?\d+)| or less| or more)?  +(\S+)%", line
        ).groups()
        ends = int(low), int(high or low)
        if (
            ("or less" in line[:14] and total <= ends[0])
            or ("or more" in line[:14] and total >= ends[0])
            or ends[0] <= total <= ends[1]
        ):
            return Decimal(percent) / 100
    raise AssertionError(f"{total} is not in the table: {last}")


def test_who_follows_the_text_by_hand_gets_the_probability(sheet):
    X, made = sheet
    text, found = made.to_text(), made.predict_proba(X)
    for i in range(len(X)):
        assert float(by_hand(text, X.iloc[i])) == pytest.approx(found[i, 1], abs=1e-12)


def test_probabilities_lie_between_0_and_1_and_rise_with_the_total(sheet):
    p = sheet[1].sheets_[0].probabilities
    assert np.all((p > 0) & (p < 1))
    assert p.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(p[:, 1]) >= 0)
    assert p[-1, 1] > p[0, 1] + 0.3


def test_the_table_counts_every_training_row_once(sheet):
    X, made = sheet
    rows = made.sheets_[0].table()
    assert sum(row.weights.sum() for row in rows) == len(X)
    assert sum(row.group.sum() for row in rows if row.group is not None) == len(X)
    assert [row.first for row in rows[1:]] == [row.last + 1 for row in rows[:-1]]


def test_totals_beyond_the_table_are_its_ends(sheet):
    X, made = sheet
    far = pd.concat([X.head(1)] * 2, ignore_index=True)
    for name in ("age", "pressure", "depression"):
        far[name] = [-1e300, 1e300]
    p = made.sheets_[0].probabilities
    found = made.predict_proba(far)[:, 1]
    assert found[1] == p[0, 1]  # who is old and has a high pressure is not well
    assert p[0, 1] < found[0] <= p[-1, 1]


def test_a_value_on_a_step_is_that_many_steps_though_not_in_binary():
    """0.6 / 0.2 is less than 3 in floating point."""
    counts = Steps(0, 0.0, 0.2).counts(np.array([[0.6], [0.59], [1.4], [-5.0], [np.nan]]))
    assert counts[:4].tolist() == [3.0, 2.0, 7.0, 0.0]
    assert np.isnan(counts[4])


def test_a_missing_value_has_the_probabilities_of_all_rows():
    X, y, made = one_sheet(missing=True)
    missing = np.isnan(made.points(X)[:, 0])
    assert 0 < missing.sum() < len(X)
    assert np.all(made.predict_proba(X)[missing] == made.sheets_[0].if_missing)
    assert made.sheets_[0].if_missing[1] == pytest.approx(np.mean(y == "well"), abs=0.01)


def test_a_missing_value_takes_the_branch_that_its_decision_has_for_it():
    """Sheets gave such rows the probabilities of all rows, against the tree's own text."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 1)) + 0.5 * y[:, None]
    gap = rng.random(300) < np.where(y == 1, 0.7, 0.03)
    X[gap] = np.nan
    model = PlaneTreeClassifier(max_splits=1).fit(X, y)
    assert "is missing: 1" in model.to_text()
    made = model.to_score_sheet()
    gaps = model.predict_proba([[np.nan]])
    assert made.predict_proba([[np.nan]]) == pytest.approx(gaps, abs=0.001)
    percent = f"{100 * made.sheets_[0].if_missing[1]:.10g}%"
    assert f"If a value is missing: 1 {percent}." in made.to_text()


def test_a_missing_value_leads_on_to_the_sheet_of_its_branch():
    """Of rows without x the sign of z tells the class, which sheet 1 does not ask for."""
    rng = np.random.default_rng(5)
    X, gap = rng.normal(size=(400, 2)), rng.random(400) < 0.4
    y = np.where(gap, np.where(X[:, 1] > 0, "a", "b"), np.where(X[:, 0] > 0, "c", "b"))
    X[gap, 0] = np.nan
    model = PlaneTreeClassifier().fit(X, y)
    made = model.to_score_sheet()
    assert "If a value is missing: go to sheet 2." in made.to_text()
    assert "\n1,missing,a value is missing,,2," in made.to_csv().replace("\r", "")
    assert np.array_equal(made.predict(X[gap]), model.predict(X[gap]))


def test_gaps_that_are_a_branch_alone_are_the_line_for_missing_values():
    rng = np.random.default_rng(1)
    gap = rng.random(200) < 0.4
    kind = np.where(gap, None, rng.choice(["u", "v"], 200))
    X, y = pd.DataFrame({"kind": pd.Categorical(kind)}), np.where(gap, "p", "q")
    made = PlaneTreeClassifier().fit(X, y).to_score_sheet()
    assert "if kind is u or v" in made.to_text()
    assert np.array_equal(made.predict(X), y)


def test_it_takes_the_same_tables_as_its_model_and_survives_pickle(sheet):
    X, made = sheet
    p = made.predict_proba(X)
    shuffled = X[["pain", "depression", "age", "pressure"]]
    assert np.array_equal(made.predict_proba(shuffled), p)
    assert np.array_equal(made.predict_proba(pl.from_pandas(X)), p)
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.predict_proba(X), p)
    assert again.to_text() == made.to_text()
    assert np.array_equal(made.predict(X), made.classes_[p.argmax(axis=1)])


def test_a_larger_tree_has_a_sheet_for_each_decision_and_every_row_an_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4)).round(2)
    y = np.where(X[:, 0] > 0.5, np.where(X[:, 1] + X[:, 2] > 0, 2, 1), (X[:, 3] > X[:, 1]) * 1)
    model = PlaneTreeClassifier().fit(X, y)
    made = model.to_score_sheet()
    assert len(made.sheets_) == model.n_nodes_ - model.n_leaves_ > 1
    p = made.predict_proba(X)
    assert p.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    assert np.all(p > 0)
    assert np.mean(made.predict(X) == y) > 0.85
    leads_to = {row.following for sheet in made.sheets_ for row in sheet.table()}
    assert leads_to == {-1, *range(1, len(made.sheets_))}


def test_a_decision_that_no_row_can_answer_has_no_sheet():
    """Rows end at a sheet that they lack a value for, so none may be left for a later one."""
    rng, sheets = np.random.default_rng(1), 0
    for _ in range(6):
        X = rng.normal(size=(60, 4)).round(1)
        y = np.where(X[:, 0] > 0, 0, rng.integers(0, 4, 60))
        X[rng.random(X.shape) < 0.8] = np.nan
        model = PlaneTreeClassifier(size=0.1, class_weight="balanced", grading=None).fit(X, y)
        if model.n_terms_ and model.tree_.n_branches.max() == 2:  # sheets take no more branches
            sheets += 1
            p = model.to_score_sheet().predict_proba(X)
            assert p.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    assert sheets > 3


def test_the_answer_costs_least_where_mistakes_have_costs():
    X, y = patients()
    costs = np.array([[0.0, 2.0], [1.0, 0.0]])
    made = PlaneTreeClassifier(max_splits=1, costs=costs).fit(X, y).to_score_sheet()
    p = made.predict_proba(X)
    assert np.array_equal(made.predict(X), made.classes_[(p @ costs).argmin(axis=1)])
    assert np.any(made.predict(X) != made.classes_[p.argmax(axis=1)])


def test_a_tree_without_decisions_and_one_from_a_file_say_what_to_do(tmp_path):
    X, y = patients()
    with pytest.raises(ValueError, match="without decisions has no score sheet"):
        PlaneTreeClassifier(max_splits=0).fit(X, y).to_score_sheet()
    planetree.save(PlaneTreeClassifier().fit(X, y), tmp_path / "model.json")
    with pytest.raises(ValueError, match="model files do not hold"):
        planetree.load(tmp_path / "model.json").to_score_sheet()
    with pytest.raises(ValueError, match="'max_points'"):
        PlaneTreeClassifier().fit(X, y).to_score_sheet(max_points=0)


def test_csv_has_every_question_and_every_line_of_the_table(sheet):
    X, made = sheet
    lines = made.to_csv().splitlines()
    assert sum(",question," in line for line in lines) == len(made.questions(0))
    assert sum(",total," in line for line in lines) == len(made.sheets_[0].table())
    weights = [line.split(",")[-2:] for line in lines if ",total," in line]
    assert np.sum(np.array(weights, dtype=float)) == len(X)


def test_it_is_a_classifier_to_scorers_displays_and_wrappers():
    X, y, made = one_sheet()
    assert is_classifier(made)
    assert made.score(X, y) == np.mean(made.predict(X) == y)
    loss = log_loss(y, made.predict_proba(X))
    assert get_scorer("neg_log_loss")(made, X, y) == -loss
    for display in (RocCurveDisplay, CalibrationDisplay):
        assert display.from_estimator(made, X, y, pos_label="well") is not None
    used = permutation_importance(made, X, y, n_repeats=2, random_state=0).importances_mean
    assert used.max() > 0.05
    frozen = FrozenEstimator(made)
    assert -cross_val_score(frozen, X, y, cv=2, scoring="neg_log_loss").mean() < 2 * loss
    assert CalibratedClassifierCV(frozen).fit(X, y).predict_proba(X).shape == (len(X), 2)


def test_fitting_it_is_refused_in_words():
    X, y, made = one_sheet()
    assert clone(made) is made
    with pytest.raises(TypeError, match=r"to_score_sheet\(\).*FrozenEstimator"):
        made.fit(X, y)
    with pytest.raises(ValueError, match="to_score_sheet"):
        cross_val_score(made, X, y)


def seen_of(sheet, number=0):
    """What each line of the printed table says was seen in training."""
    made = sheet.sheets_[number]
    return [sheet.cells(row)[-1] for row in made.table()]


def test_of_many_classes_the_table_shows_how_often_the_likeliest_was_seen():
    """The column stood there empty."""
    X, y = patients(400)
    y = np.where((y == "ill") & (X.age > 55), "very ill", y)
    made = PlaneTreeClassifier(size="accurate").fit(X, y).to_score_sheet()
    assert len(made.classes_) == 3
    shown = 0
    for number, each in enumerate(made.sheets_):
        for row, seen in zip(each.table(), seen_of(made, number), strict=True):
            if seen:
                name = made.classes_[row.probabilities.argmax()]
                code = list(made.classes_).index(name)
                rows = f"{name} {row.group[code]:.0f} of {row.group.sum():.0f}, "
                assert rows in seen
                shown += 1
    assert shown > 3
    assert "(95% interval)" in made.to_text()


def with_table(sheet, following, seen):
    """A sheet of the same questions with lines that end, or lead on, and rows seen at each."""
    first, n = sheet.sheets_[0], len(following)
    p = np.linspace(0.1, 0.9, n)
    table = Sheet(
        first.questions, 0, np.column_stack([1 - p, p]), np.array(seen, dtype=float),
        np.array(following), first.if_missing, first.certificate, first.plane_objective,
    )  # fmt: skip
    return ScoreSheet(sheet.model, [table])


def test_rows_that_go_on_to_another_sheet_are_in_no_share_that_is_shown(sheet):
    made = with_table(sheet[1], [1, -1, -1], [[3, 2], [20, 20], [10, 30]])
    assert seen_of(made) == ["", "20 of 40, 50% (35 to 65%)", "30 of 40, 75% (60 to 86%)"]


def test_a_line_that_leads_on_hides_no_share_of_the_lines_before_it(sheet):
    made = with_table(sheet[1], [-1, -1, 1], [[20, 20], [10, 30], [3, 2]])
    assert seen_of(made) == ["20 of 40, 50% (35 to 65%)", "30 of 40, 75% (60 to 86%)", ""]


def test_lines_without_rows_between_lines_that_lead_on_show_nothing(sheet):
    made = with_table(sheet[1], [1, -1, 2], [[20, 20], [0, 0], [30, 20]])
    assert seen_of(made) == ["", "", ""]
