"""What the report says of probabilities agrees with scikit-learn and with the rows."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict

import planetree
from planetree import C45Classifier, MultisurfaceClassifier, PlaneTreeClassifier, RobustSeparator
from planetree.reporting.probabilities import _calibration as calibration
from planetree.reporting.probabilities import row_probabilities
from planetree.reporting.sections import verdict
from planetree.tree.inspection.rows_in_tree import rows_in_tree


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 150))
    return X, np.where(X["a"] + rng.normal(size=150) > 0, "yes", "no")


def cancer():
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


def part(page, name):
    """Words of a section."""
    text = page.read_text("utf-8").split(f'<section id="{name}">')[1].split("</section>")[0]
    return re.sub(r"<[^>]*>", " ", text)


def test_the_brier_score_is_that_of_scikit_learn(rows):
    """The bug: the page had twice the figure that the command printed for two classes."""
    X, y = rows
    model = C45Classifier().fit(X, y)
    _, brier, _ = calibration(row_probabilities(rows_in_tree(model, X, y), None))
    expected = brier_score_loss(y == "yes", model.predict_proba(X)[:, 1])
    assert brier == pytest.approx(expected)


def test_the_shares_of_a_tree_are_calibrated_on_its_training_rows(rows):
    """Each leaf's share is that of its rows, so every point lies on the diagonal."""
    X, y = rows
    shown = rows_in_tree(C45Classifier().fit(X, y), X, y)
    points, _, error = calibration(row_probabilities(shown, None))
    for point in points:
        assert point.predicted == pytest.approx(point.n_right / point.n_rows, abs=1e-6)
    assert error == pytest.approx(0.0, abs=1e-6)


def test_graded_probabilities_make_points_all_along_the_diagonal(rows):
    """Hard leaves give two or three shares; graded ones enough points to see a curve."""
    X, y = rows
    numbers = {}
    for grading in ("leaf", None):
        model = PlaneTreeClassifier(grading=grading, size="smallest")
        unseen = cross_val_predict(model, X, y, cv=5, method="predict_proba")
        shown = rows_in_tree(model.fit(X, y), X, y)
        points = calibration(row_probabilities(shown, unseen))[0]
        numbers[grading] = len(calibration(row_probabilities(shown, None))[0])
        assert sum(point.n_rows for point in points) == 150
    assert numbers[None] == 2
    assert numbers["leaf"] >= 6


def test_figures_of_unseen_rows_are_those_of_scikit_learn_and_say_where_they_come_from(tmp_path):
    X, y = cancer()
    model = PlaneTreeClassifier()
    unseen = cross_val_predict(model, X, y, cv=5, method="predict_proba")
    page = planetree.report(model.fit(X, y), X, y, tmp_path / "page.html", unseen=unseen)
    auc = roc_auc_score(y == "malignant", unseen[:, 1])
    precision = average_precision_score(y == "malignant", unseen[:, 1])
    assert f"AUC {auc:.3f}" in part(page, "roc")
    assert f"average precision {precision:.3f}" in part(page, "precision")
    assert f"Log loss {log_loss(y, unseen):.3f}" in part(page, "calibration")
    for name in ("roc", "precision", "calibration"):
        assert (
            "569 rows, each predicted by a model trained on other rows (cross-validation)"
            in part(page, name)
        )


def test_rows_of_training_are_called_so_and_others_are_not(tmp_path):
    X, y = cancer()
    model = PlaneTreeClassifier().fit(X[::2], y[::2])
    seen = planetree.report(model, X[::2], y[::2], tmp_path / "seen.html")
    new = planetree.report(model, X[1::2], y[1::2], tmp_path / "new.html")
    assert "the 285 training rows" in part(seen, "roc")
    assert "training" not in part(new, "roc")
    assert "the 284 rows of this report" in part(new, "roc")


def test_rows_without_unseen_probabilities_are_left_out(rows):
    X, y = rows
    model = PlaneTreeClassifier().fit(X, y)
    unseen = model.predict_proba(X)
    unseen[:100] = np.nan
    given = row_probabilities(rows_in_tree(model, X, y), unseen)
    assert len(given.codes) == 50
    assert given.rows.startswith("50 rows")


def test_unseen_probabilities_of_other_rows_are_refused(rows, tmp_path):
    X, y = rows
    model = PlaneTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"shape \(150, 2\).*\(149, 2\)"):
        planetree.report(model, X, y, tmp_path / "p.html", unseen=model.predict_proba(X)[1:])
    with pytest.raises(ValueError, match="unseen has no probabilities"):
        planetree.report(model, X, y, tmp_path / "p.html", unseen=np.full((150, 2), np.nan))


def test_every_class_of_three_has_its_curve(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    page = planetree.report(RobustSeparator().fit(X, y), X, y, tmp_path / "page.html")
    shares = RobustSeparator().fit(X, y).predict_proba(X)
    for code in range(3):
        auc = roc_auc_score(y == code, shares[:, code])
        assert f"{code} : AUC {auc:.3f}" in part(page, "roc")


def test_a_model_without_probabilities_has_no_curves(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = MultisurfaceClassifier(conflicts="majority").fit(X[50:], y[50:])
    page = planetree.report(model, X[50:], y[50:], tmp_path / "page.html")
    assert "without probabilities" in part(page, "calibration")
    assert 'id="roc"' not in page.read_text("utf-8")
    assert 'id="curves"' not in page.read_text("utf-8")


def test_the_curve_of_a_decision_is_the_probability_of_its_rows():
    """Along a tree of one decision the curve is predict_proba before it is mixed."""
    X, y = cancer()
    model = PlaneTreeClassifier(size="smallest", grading="soft").fit(X, y)
    shown = rows_in_tree(model, X, y)
    (split, *_) = model.tree_.splits
    at = split.scores(X.to_numpy())[:, 0] + split.offsets[0]
    np.testing.assert_allclose(shown.curve(0, at), model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_curve_of_an_interval_falls_on_both_sides(mirrored):
    points = np.random.default_rng(1).normal(size=(150, 2)) * (-1 if mirrored else 1)
    X = pd.DataFrame(np.vstack([points, -points]), columns=["a", "b"])
    y = np.where(np.abs(X["a"] + X["b"]) < 0.8, "inside", "outside")
    model = PlaneTreeClassifier(size="smallest").fit(X, y)
    shown = rows_in_tree(model, X, y)
    assert " to " in shown.words[0].ways[1]
    inside = shown.curve(0, np.array([-1e3, 0.0, 1e3]))[:, 0]
    assert inside[1] > 0.9 > 0.1 > max(inside[0], inside[2])


def test_a_moved_threshold_is_said_as_the_decision_compares_with_it():
    """The bug: 'moved from 110 to 93' beside a decision that was printed as '< -93'."""
    X, y = cancer()
    for model in (PlaneTreeClassifier().fit(X, y), PlaneTreeClassifier().fit(-X, y)):
        shown = rows_in_tree(model, X, y)
        after = verdict(shown, 0).rpartition(" to ")[2].rstrip(".")
        assert re.fullmatch(rf"[<>] {re.escape(after)}", shown.words[0].ways[1])
    assert after.startswith("-")


def test_the_report_says_from_where_to_where_a_threshold_moved(tmp_path):
    X, y = cancer()
    model = PlaneTreeClassifier(size="smallest").fit(X, y)
    before, after = model.certificates_[0].moved
    page = planetree.report(model, X, y, tmp_path / "page.html")
    assert f"Threshold moved from {before:.7g} to {after:.7g}" in part(page, "certificates")
    assert f"> {after:.7g}" in model.to_text()
    hard = PlaneTreeClassifier(size="smallest", grading=None).fit(X, y)
    page = planetree.report(hard, X, y, tmp_path / "hard.html")
    assert "moved" not in part(page, "certificates")
