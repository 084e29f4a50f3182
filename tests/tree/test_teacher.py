"""A teacher is asked with rows like those of X, or with numbers where it is fitted here."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from teachers import Oracle, lesson_of, noisy, table_with_gaps

from planetree import PlaneTreeClassifier

pytestmark = pytest.mark.core


def test_a_fitted_teacher_is_asked_with_rows_like_those_of_x():
    """Columns keep names and types, whatever order they are sought in."""
    X, y = table_with_gaps()
    oracle = Oracle(lambda rows: rows["color"] == "red").fit(X, y)
    model = PlaneTreeClassifier(teacher=oracle).fit(X, y)
    assert oracle.asked_
    for asked in oracle.asked_:
        assert isinstance(asked, pd.DataFrame)
        assert asked.dtypes.equals(X.dtypes)
        assert set(asked["size"].dropna()) <= set(X["size"].dropna())
    assert oracle.seen_ is X  # nothing fitted it again
    assert model.fidelity_ > 0.9


def test_a_teacher_that_is_not_fitted_sees_numbers_and_stays_as_it_was():
    X, y = table_with_gaps()
    rows, taught = lesson_of(LogisticRegression(), X, y)
    assert len(taught.codes) > len(rows.codes)  # it takes neither text nor gaps
    teacher = LinearSVC()  # nor has it probabilities
    model = PlaneTreeClassifier(teacher=teacher).fit(X, y)
    assert not hasattr(teacher, "coef_")
    assert 0.5 < model.fidelity_ <= 1.0


def test_what_cannot_teach_is_refused():
    X, y = noisy(n_rows=40)
    with pytest.raises(ValueError, match="teacher"):
        PlaneTreeClassifier(teacher="forest").fit(X, y)
    strange = GaussianNB().fit(X, y + 5)
    with pytest.raises(ValueError, match="knows the class"):
        PlaneTreeClassifier(teacher=strange).fit(X, y)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        PlaneTreeClassifier(teacher=KNeighborsClassifier()).fit(
            X, y, sample_weight=np.linspace(0.5, 1.5, 40)
        )
