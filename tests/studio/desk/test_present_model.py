"""The model that the page shows: rules and figures of its tree, decisions questioned."""

import numpy as np

from planetree import TreeEditor
from planetree.evaluation.figure_words import percent
from planetree.studio.desk.present_model import alternatives_of, edit_cost, edited, model_shown
from planetree.studio.recipe import recipe_of


def rows_of(at_work):
    recipe = recipe_of(at_work.recipe)
    return at_work.desk.fitted(recipe), at_work.desk.training(recipe)


def test_rules_and_counts_are_those_of_the_tree(at_work):
    shown, (model, data) = model_shown(at_work.desk, **at_work.asked), rows_of(at_work)
    right = model.predict(data.table) == data.labels
    assert (shown["rows"], shown["right"]) == (120, percent(right.mean()))
    assert sum(rule["rows"] for rule in shown["rules"]) == 120
    assert sum(rule["right"] for rule in shown["rules"]) == right.sum()
    assert shown["text"] == model.to_text()
    assert len(shown["certificates"]) == model.tree_.n_decisions
    assert len(shown["drawing"]["nodes"]) == model.tree_.n_nodes


def test_alternatives_are_those_of_the_editor_the_present_one_first(at_work):
    found = alternatives_of(at_work.desk, **at_work.asked, node=0)["alternatives"]
    model, data = rows_of(at_work)
    editor = TreeEditor(model, data.table, data.labels)
    assert found[0]["typed"] == editor.present(0).words
    assert [each["typed"] for each in found[1:]] == [a.words for a in editor.alternatives(0)]
    assert found[0]["difference"] == "+0.0"


def test_edits_are_told_in_sentences_with_what_they_cost(at_work):
    asked = {**at_work.asked, "edits": ["close 0"]}
    assert len(edited(at_work.desk, **asked)) == 1
    cost = edit_cost(at_work.desk, **asked)
    _, data = rows_of(at_work)
    counts = np.unique(data.labels, return_counts=True)[1]
    assert cost["training_error"] == counts.min() / counts.sum()
    assert cost["training_error"] >= cost["free_training_error"]
