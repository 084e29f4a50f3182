"""Words of a model are what it prints, its classes and the columns that it reads."""

import json

import numpy as np
import pandas as pd

from planetree import C45Classifier, FloatingSelector
from planetree.evaluation.model_words import words_of

X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])
Y = np.where(X["b"] > 0, "yes", "no")


def test_words_of_a_tree_are_its_text_and_survive_json():
    model = C45Classifier().fit(X, Y)
    found = json.loads(json.dumps(words_of(model)))
    assert found["method"] == "C45Classifier"
    assert found["text"] == model.to_text()
    assert (found["classes"], found["columns"]) == (["no", "yes"], ["a", "b", "c"])


def test_of_a_selector_the_chosen_columns_are_named():
    model = FloatingSelector(C45Classifier(), n_features_to_select=1).fit(X, Y)
    assert words_of(model)["text"] == "Compares rows by these columns:\n  b"
