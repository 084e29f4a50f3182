"""Steps, points and tables of a score sheet: the figures that counting gives."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hinge_oracle import highs_value, hinges
from sheet_tables import patients

from planetree import PlaneTreeClassifier
from planetree.tree.score_sheet.score_sheet import Steps


def test_steps_are_one_two_or_five_times_a_power_of_ten(sheet):
    asked = [question.asked for question in sheet[1].sheets_[0].questions]
    steps = [each for each in asked if isinstance(each, Steps)]
    assert len(steps) >= 2
    for each in steps:
        digits = Decimal(repr(each.step)).normalize().as_tuple().digits
        assert digits in ((1,), (2,), (5,))
        assert Decimal(repr(each.base)) % Decimal(repr(each.step)) == 0


def test_points_are_whole_and_not_above_the_most():
    X, y = patients()
    model = PlaneTreeClassifier(max_splits=1).fit(X, y)
    for most in (1, 3):
        (sheet,) = model.to_score_sheet(max_points=most).sheets_
        assert {type(question.points) for question in sheet.questions} == {int}
        assert 1 <= max(abs(question.points) for question in sheet.questions) <= most


def test_the_objective_is_that_of_the_totals_and_more_points_never_raise_it():
    X, y = patients()
    model = PlaneTreeClassifier(max_splits=1).fit(X, y)
    before = np.inf
    for most in (1, 2, 5):
        made = model.to_score_sheet(max_points=most)
        (proof,) = made.certificates_
        totals = made.points(X)
        sides = np.searchsorted(made.classes_, y)
        program = hinges(totals, sides, np.ones(2), weights=np.full(len(y), 2.0 / len(y)))
        assert highs_value(program) == pytest.approx(proof.objective, abs=1e-9)
        assert proof.bound <= proof.objective <= before + 1e-9
        assert proof.is_proved
        assert proof.gap <= 1e-8
        before = proof.objective


def test_order_and_repetition_of_rows_change_nothing():
    X, y = patients()
    model = PlaneTreeClassifier(max_splits=1)
    text = model.fit(X, y).to_score_sheet().to_text()
    assert model.fit(X[::-1], y[::-1]).to_score_sheet().to_text() == text
    weights = np.arange(len(y)) % 3
    twice = np.repeat(np.arange(len(y)), weights)
    weighted = model.fit(X, y, sample_weight=weights).to_score_sheet().to_text()
    assert model.fit(X.iloc[twice], y[twice]).to_score_sheet().to_text() == weighted


def test_points_keep_the_direction_that_was_asked_for():
    X, y = patients()
    model = PlaneTreeClassifier(max_splits=1, monotonic_cst={"age": -1, "pressure": -1})
    made = model.fit(X, y).to_score_sheet()
    for question in made.sheets_[0].questions:
        if isinstance(question.asked, Steps) and question.asked.column in (0, 1):
            assert question.points < 0
    low, high = X.copy(), X.assign(age=X.age + 10)
    assert np.all(made.predict_proba(high)[:, 1] <= made.predict_proba(low)[:, 1])


def test_a_rare_class_still_gets_points():
    """By the hinge alone no points were best: the table had one line, "any"."""
    i = np.arange(400)
    X = pd.DataFrame({"group": i % 2})
    y = np.where(i // 2 % 10 < np.where(i % 2, 4, 1), "yes", "no")
    model = PlaneTreeClassifier(max_splits=1).fit(X, y)
    with pytest.raises(ValueError, match=r"select\(n_terms"):
        model.to_score_sheet()
    made = model.select(1).to_score_sheet()
    assert len(made.sheets_[0].table()) == 2
    assert made.certificates_[0].is_proved
    np.testing.assert_allclose(made.predict_proba(X.head(2))[:, 1], [0.1, 0.4], atol=0.02)
