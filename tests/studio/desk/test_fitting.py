"""A model in all its sizes: its figures are those of validating each by hand."""

import numpy as np

from planetree import PlaneTreeClassifier, load
from planetree.evaluation.figure_words import percent
from planetree.evaluation.validation import stratified_folds, validate
from planetree.studio.desk.fitting import fit
from planetree.studio.recipe import recipe_of


def test_the_figures_of_the_tree_are_those_of_cross_validation(at_work):
    data = at_work.desk.training(recipe_of(at_work.recipe))
    own = at_work.fitted["sizes"][0]
    found = validate(PlaneTreeClassifier(), data, stratified_folds(data.labels, 2, 0))
    assert own["at"] is None
    assert own["error"] == percent(found.figures.error)
    kept = at_work.desk.unseen(recipe_of(at_work.recipe), None)
    assert np.array_equal(kept, found.probabilities)


def test_sizes_rise_and_the_model_is_told_of_before_its_folds(at_work):
    terms = [each["terms"] for each in at_work.fitted["sizes"][1:]]
    assert terms == sorted(terms)
    kinds = ["fitted" if "fitted" in each else each.get("stage") for each in at_work.told]
    assert kinds.index("fitted") < kinds.index("Cross-validation")


def test_the_file_of_the_model_holds_its_figures(at_work):
    path = at_work.desk.place(recipe_of(at_work.recipe), "model.json")
    model = load(path)
    assert percent(model.validation_["error"]) == at_work.fitted["sizes"][0]["error"]
    assert at_work.fitted["classes"] == model.classes_.tolist()


def test_without_folds_nothing_is_estimated(at_work, tmp_path):
    from planetree.studio.desk.tables import Desk

    (tmp_path / "t.csv").write_text((at_work.desk.folder / "plain.csv").read_text())
    found = fit(Desk(tmp_path, lambda told: None), {**at_work.recipe, "file": "t.csv", "folds": 0})
    assert found["how"] == "no rows were held out"
    assert "error" not in found["sizes"][0]
