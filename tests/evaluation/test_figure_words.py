"""Figures in words: the numbers that were given, and what is not known said so."""

import pytest

from planetree.evaluation.figure_words import figure_sentences, percent, plural
from planetree.evaluation.figures import Figures

HARD = Figures(0.125, (0.04, 0.31), 24, ("ill", "well"), (0.5, None), (None, 1.0))
GRADED = HARD._replace(auc=0.9, average_precision=0.8, log_loss=0.25, brier=0.0625)


def test_a_share_has_one_digit_and_a_noun_its_number():
    assert [percent(share) for share in (0.0, 0.0004, 0.12345, 1.0)] == [
        "0.0%",
        "0.0%",
        "12.3%",
        "100.0%",
    ]
    assert [plural(n, "fold") for n in (0, 1, 2)] == ["0 folds", "1 fold", "2 folds"]


def test_the_sentences_hold_every_figure_that_is_known():
    error, worth, classes = figure_sentences(GRADED, "3 folds", ("well", 0.25))
    assert error == (
        "Error on held-out rows (3 folds, 24 rows): 12.5% (95% interval 4.0% to 31.0%; "
        "always predicting 'well': 25.0%)."
    )
    assert worth == (
        "Probabilities on held-out rows: AUC 0.900, average precision 0.800, log loss 0.250, "
        "Brier score 0.062."
    )
    assert classes == (
        "Recall and precision of each class: ill 50.0% and unknown, well unknown and 100.0%."
    )


@pytest.mark.parametrize("figures", [HARD, HARD._replace(auc=0.9)])
def test_probabilities_are_told_only_where_there_are_some(figures):
    told = figure_sentences(figures, "a test set", ("well", 0.25))
    assert len(told) == (2 if figures.auc is None else 3)
