"""The fingerprint is that of the rows, and certificates say how decisions were found."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import planetree
from planetree import (
    C45Classifier,
    HoldoutTreeClassifier,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.certificate import Certificate
from planetree.reporting.sections import _parameters as parameters
from planetree.reporting.sections import rows_fingerprint as fingerprint
from planetree.reporting.sections import verdict
from planetree.tree.inspection.rows_in_tree import rows_in_tree


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 150))
    return X, np.where(X["a"] + rng.normal(size=150) > 0, "yes", "no")


def test_the_fingerprint_is_that_of_the_rows_and_not_of_the_frame(rows):
    X, y = rows
    model = C45Classifier().fit(X, y)
    first = fingerprint(rows_in_tree(model, X, y))
    assert first == fingerprint(rows_in_tree(model, X[["kind", "c", "b", "a"]], list(y)))
    as_polars = pl.DataFrame({name: X[name].tolist() for name in X.columns})
    assert first == fingerprint(rows_in_tree(model, as_polars, pl.Series(y.tolist())))
    moved = X.copy()
    moved.loc[3, "b"] += 1e-12
    other = np.array(y)
    other[0] = "yes" if y[0] == "no" else "no"
    changed = [(moved, y), (X, other), (X[::-1], y[::-1]), (X.mask(X.iloc[0, 0] == X), y)]
    assert len({first, *(fingerprint(rows_in_tree(model, *each)) for each in changed)}) == 5


def test_parameters_that_differ_from_their_defaults_are_marked():
    found = {name: changed for name, _, changed in parameters(PlaneTreeClassifier(max_splits=3))}
    assert {name for name, changed in found.items() if changed} == {"max_splits"}


def certificates_part(model, rows, tmp_path):
    text = planetree.report(model, *rows, tmp_path / "page.html").read_text("utf-8")
    return text.split('<section id="certificates">')[1].split("</section>")[0]


def test_the_report_of_a_holdout_tree_does_not_claim_a_gain_ratio(rows, tmp_path):
    """The bug: whatever had a criterion was said to be C4.5."""
    model = HoldoutTreeClassifier(patience=5).fit(*rows)
    part = certificates_part(model, rows, tmp_path)
    assert "gain ratio" not in part
    assert "Best cut of every column, by gini" in part
    by_planes = HoldoutTreeClassifier(separator=RobustSeparator(), patience=5).fit(*rows)
    assert "Planes of RobustSeparator" in certificates_part(by_planes, rows, tmp_path)


def test_the_report_of_a_tree_grown_by_gain_does_not_claim_a_gain_ratio(rows, tmp_path):
    part = certificates_part(C45Classifier(criterion="gain").fit(*rows), rows, tmp_path)
    assert "gain ratio" not in part
    assert "Largest gain of every cut (C4.5)" in part
    part = certificates_part(C45Classifier().fit(*rows), rows, tmp_path)
    assert "Largest gain ratio of every cut (C4.5)" in part


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        HoldoutTreeClassifier(patience=5),
        MultisurfaceClassifier(max_pairs=2, conflicts="majority"),
        PlaneTreeClassifier(size="accurate"),
        SeparatorTreeClassifier(),
    ],
    ids=repr,
)
def test_every_decision_has_a_certificate(model, rows):
    model.fit(*rows)
    assert all(type(each) is Certificate for each in model.certificates_)
    assert len(model.certificates_) == np.count_nonzero(model.tree_.n_branches)
    assert rows_in_tree(model, *rows).fitted.certificates == model.certificates_


def test_a_smaller_member_of_the_path_claims_no_proof_of_another(rows):
    model = PlaneTreeClassifier(size="accurate").fit(*rows)
    for step in model.path_[1:]:
        smaller = model.select(step.n_terms)
        if smaller.tree_ is not model.tree_:
            found = rows_in_tree(smaller, *rows).fitted.certificates
            assert len(found) == np.count_nonzero(smaller.tree_.n_branches)
            assert not any(each.is_proved for each in found)


def test_figures_of_a_certificate_stand_beside_its_words(rows, tmp_path):
    model = RobustSeparator().fit(*rows)
    part = certificates_part(model, rows, tmp_path)
    figures = re.findall(r"<td>([^<]*)</td>", part)
    assert figures[:2] == [f"{model.objective_:.6g}", f"{model.bound_:.6g}"]
    said = verdict(rows_in_tree(model, *rows), 0)
    assert said == "Linear program: proved optimal; no decision of its kind is better."
    assert said in part
