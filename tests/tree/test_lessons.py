"""Lessons: whole cells of real rows, the teacher's classes, and what was learned."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from teachers import forest, lesson_of, noisy, table_with_gaps

from planetree.tree.plane import plane_tree
from planetree.tree.teaching import fidelity

pytestmark = pytest.mark.core


def test_smeared_rows_are_made_of_whole_cells_and_weigh_as_much_as_the_real_ones():
    X, y = table_with_gaps()
    rows, taught = lesson_of(forest(), X, y)
    n, values = len(rows.codes), taught.table.values
    assert np.array_equal(values[:n], rows.table.values, equal_nan=True)
    assert taught.weights[n:].sum() == pytest.approx(rows.weights.sum())
    assert (taught.weights[n:] > 0).all()
    for cells in values.T:
        assert np.isin(cells[n:], cells[:n]).sum() == (~np.isnan(cells[n:])).sum()
    real = np.average(np.isnan(values[:n]), axis=0, weights=rows.weights)
    np.testing.assert_allclose(np.isnan(values[n:]).mean(axis=0), real, atol=0.08)


def test_their_classes_are_the_teachers_and_their_weights_its_margins():
    X, y = noisy()
    teacher = LogisticRegression().fit(X, y)
    rows, taught = lesson_of(teacher, X, y)
    n = len(rows.codes)
    given = np.empty((len(taught.codes) - n, 4))
    given[:, rows.columns] = np.ldexp(taught.table.values[n:], rows.exponents)
    p = teacher.predict_proba(given)
    assert np.array_equal(rows.order[taught.codes[n:]], p.argmax(axis=1))
    margins = np.abs(p[:, 1] - p[:, 0])
    assert margins.min() > 0.02
    np.testing.assert_allclose(taught.weights[n:], margins * (rows.weights.sum() / margins.sum()))


def test_fidelity_is_the_agreement_on_rows_that_were_held_out():
    """A pupil that knows its own rows alone agrees on none; one that says the same on all."""
    X, y = noisy(n_rows=60)
    rows, _ = lesson_of(GaussianNB(), X, y)
    seen = []

    class _Says:
        def probabilities(self, rows, cells):
            assert (cells == cells[:, :1]).all()  # whole rows
            return np.eye(2)[rows.codes[cells[:, 0]]]

    def pupil(answers):
        def taught(some):
            seen.append(some)
            return plane_tree.Pupil(lambda held: answers(some, held), _Says())

        return taught

    def parrot(some, held):
        known = {row.tobytes(): c for row, c in zip(some.table.values, some.codes, strict=True)}
        return np.array([known.get(row.tobytes(), -1) for row in held.table.values])

    assert fidelity(rows, pupil(parrot)) == 0.0
    assert sum(len(some.codes) for some in seen) == 2 * len(rows.codes)
    assert fidelity(rows, pupil(lambda some, held: held.codes)) == 1.0
