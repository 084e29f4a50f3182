"""Decisions with a plane for each class, from the search to everything that reads a tree."""

import re

import numpy as np
import pandas as pd
import pytest

import planetree
from planetree import PlaneTreeClassifier
from planetree.solvers.hinge_certificate import at_planes, prove
from planetree.tree.plane import candidates, tree_choice
from planetree.tree.plane.class_planes import further_weights

pytestmark = pytest.mark.core


def three_clouds(seed=0, n_rows=240):
    """Classes at the corners of a triangle, and two columns of noise."""
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(3), n_rows)
    angles = np.radians([15.0, 135.0, 255.0])  # no cut of a single column tells two of them apart
    corners = 3.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    X = np.column_stack([corners[y] + rng.normal(size=(n_rows, 2)), rng.normal(size=(n_rows, 2))])
    return pd.DataFrame(X.round(3), columns=list("abcd")), np.array(["red", "green", "blue"])[y]


@pytest.fixture(scope="module")
def clouds():
    return three_clouds()


@pytest.fixture(scope="module")
def model(clouds):
    return PlaneTreeClassifier().fit(*clouds)


def test_three_clouds_are_one_decision_of_three_planes(model, clouds, monkeypatch):
    """Two decisions of one plane each need more terms, and cost more."""
    assert [split.rule for split in model.tree_.splits if split is not None] == ["argmax"]
    assert model.score(*clouds) > 0.95
    assert not model.tree_.splits[0].weights[0].any()
    monkeypatch.setattr(candidates, "class_planes", lambda *arguments: [])
    assert PlaneTreeClassifier().fit(*clouds).n_terms_ > model.n_terms_


def test_the_certificate_is_that_of_the_planes_that_predict(model, clouds, monkeypatch):
    """Objective by its definition, at the best of a thousand sizes; the bound stays below it."""
    kept = []
    monkeypatch.setattr(
        "planetree.tree.plane.candidate.at_planes",
        lambda *arguments: kept.append((arguments, at_planes(*arguments))) or kept[-1][1],
    )
    again = PlaneTreeClassifier().fit(*clouds)
    ((program, solution, _, weights, offsets), found), certificate = (
        kept[-1],
        model.certificates_[0],
    )
    scores = program.X @ weights.T - offsets
    own = scores[np.arange(len(scores)), program.classes]
    others = np.arange(3) != program.classes[:, None]
    margins, charges = (own[:, None] - scores)[others], np.repeat(program.weights, 2) * 2.0
    price = (0.02 * program.scale * np.abs(weights)).sum()
    sizes = np.geomspace(0.01, 100.0, 1000)[:, None]
    hinges = charges / program.weights.sum() * np.maximum(0.0, 1.0 - sizes * margins)
    objectives = hinges.sum(axis=1) + sizes[:, 0] * price
    assert certificate.objective == again.certificates_[0].objective == found.objective
    assert certificate.objective == pytest.approx(objectives.min(), rel=1e-3)
    assert certificate.objective <= objectives.min() * (1 + 1e-9)
    assert prove(program, solution).bound == certificate.bound <= certificate.objective


def test_rows_in_any_order_and_weights_for_repetition_give_the_same_planes(model, clouds):
    X, y = clouds
    order = np.random.default_rng(1).permutation(len(X))
    shuffled = PlaneTreeClassifier().fit(X.iloc[order], y[order])
    assert np.array_equal(shuffled.predict_proba(X), model.predict_proba(X))
    times = np.where(np.arange(len(X)) < 120, 2, 1)
    weighted = PlaneTreeClassifier().fit(X, y, sample_weight=times)
    repeated = PlaneTreeClassifier().fit(X.loc[np.repeat(X.index, times)], np.repeat(y, times))
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert "argmax" in {split.rule for split in weighted.tree_.splits if split is not None}


def test_the_printed_scores_give_the_class(model, clouds):
    """Who adds up the printed scores by hand and takes the largest gets the class of `predict`."""
    X, _ = clouds
    text = model.to_text()
    scores = np.zeros((len(X), 3))
    for p, said in re.findall(r"^ +\((\d)\) (.+)$", text, re.MULTILINE):
        for number, name in re.findall(r"(-?[\d.]+)(?: ([abcd]))?", re.sub("([+-]) ", r"\1", said)):
            scores[:, int(p) - 1] += float(number) * (X[name] if name else 1.0)
    said = np.array(re.findall(r"is the largest: (\w+)", text))
    assert np.array_equal(said[scores.argmax(axis=1)], model.predict(X))


def test_files_and_reports_hold_the_planes(model, clouds, tmp_path):
    X, y = clouds
    planetree.save(model, tmp_path / "model.json")
    again = planetree.load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.certificates_ == model.certificates_
    assert "(1) largest" in planetree.report(model, X, y, tmp_path / "report.html").read_text()


def test_a_score_sheet_of_several_scores_is_refused_with_a_way_out(model):
    with pytest.raises(ValueError, match=r"plane for each of 3 classes.*select\(n_terms"):
        model.to_score_sheet()


def test_a_weight_of_a_further_plane_is_paid_for(model, clouds, monkeypatch):
    """A tree whose further weights cost more than all it gains is not kept."""
    asked, honest = [], tree_choice._cheapest_tree

    def dear(trees, rows, price, weight_price):
        asked.append([sum(map(further_weights, tree.graded.splits)) for tree in trees])
        return honest(trees, rows, price, 1e6)

    monkeypatch.setattr(tree_choice, "_cheapest_tree", dear)
    other = PlaneTreeClassifier().fit(*clouds)
    assert any(asked[0])
    assert sum(map(further_weights, other.tree_.splits)) == min(asked[0]) == 0
