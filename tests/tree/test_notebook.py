"""A notebook shows the words of a fitted model below scikit-learn's box, as static HTML."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator

from planetree import (
    C45Classifier,
    GeneticSelector,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
)
from planetree.separators import base

MODELS = [PlaneTreeClassifier(), C45Classifier(), RobustSeparator(), MultisurfaceClassifier()]


def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["<script>a</script>", "b"])
    return X, np.where(X["b"] + X.iloc[:, 0] > 0, "<b>yes", "no")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_words_stand_below_the_box(model):
    model.fit(*rows())
    for shown in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        words = shown.rsplit("<pre>", 1)[1]
        assert unescape(words.removesuffix("</pre>")) == model.to_text()
        assert "<script>" not in words
        assert "<b>yes" not in words
        assert "sk-top-container" in shown.rsplit("<pre>", 1)[0]


def test_a_model_that_is_not_fitted_is_the_box_alone():
    model = PlaneTreeClassifier()
    number = r"id-\d+"  # of each box another
    box = super(base.ShownInWords, model)._repr_html_()
    assert re.sub(number, "", model._repr_html_()) == re.sub(number, "", box)
    assert model._words_as_html() == ""


def test_plain_display_has_no_html():
    model = C45Classifier().fit(*rows())
    with config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(model, "_repr_html_")
        assert not hasattr(BaseEstimator(), "_repr_html_")


def test_the_box_links_to_the_page_of_the_estimator_where_the_package_declares_a_site(monkeypatch):
    monkeypatch.setattr(base, "metadata", lambda _: _Declared())
    base._api_pages.cache_clear()
    try:
        for estimator in (RobustSeparator(), C45Classifier(), GeneticSelector()):
            page = f"https://site.example/docs/api/planetree.{type(estimator).__name__}.html"
            assert page in estimator._repr_html_()
    finally:
        base._api_pages.cache_clear()


class _Declared:
    def get_all(self, _):
        return ["Source, https://code.example", "Documentation, https://site.example/docs/"]
