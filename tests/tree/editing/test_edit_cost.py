"""What edits cost: nothing without edits, and what counting gives with them."""

import numpy as np
from editing_tables import table

from planetree import PlaneTreeClassifier, TreeEditor
from planetree.table import Table
from planetree.tree.constraints.required_columns import UnreadColumnsError
from planetree.tree.editing import tree_stability


def test_what_edits_cost_is_nothing_without_edits_and_is_counted_with_them(breast):
    model, X, y = breast
    editor = TreeEditor(model, X, y)
    free = editor.cost()
    assert free.objective == free.free_objective
    assert free.training_error == free.free_training_error == (model.predict(X) != y).mean()
    assert free.cross_validated_error == free.free_cross_validated_error
    editor.replace(0, "mean smoothness > 0.1", below="close")
    cost = editor.cost()
    assert cost.training_error == (editor.model_.predict(X) != y).mean()
    assert cost.cross_validated_error > free.free_cross_validated_error
    assert cost.objective > cost.free_objective == free.objective


def test_folds_and_resamples_that_cannot_read_a_required_column_are_skipped(monkeypatch):
    """Few rows have another value of the column: without them, no tree can read it."""
    X, y = table(1)
    X = X.assign(rare=np.where(np.arange(60) < 3, 1.0, 0.0))
    model = PlaneTreeClassifier(size=0.5, required_features=["rare"]).fit(X, y)
    editor = TreeEditor(model, X, y)
    fitted = PlaneTreeClassifier.fit

    def without_rare(self, table, *given, **named):
        if len(table.values) % 2:  # as if these rows had one value of the column
            table = Table(table.values * [1, 1, 1, 1, 0], table.columns)
        return fitted(self, table, *given, **named)

    monkeypatch.setattr(PlaneTreeClassifier, "fit", without_rare)
    assert not np.isnan(editor.cost().cross_validated_error)
    steady = editor.stability(n=6)
    assert 0 < steady.n < 6
    assert steady.columns["rare"] == 1.0
    monkeypatch.setattr(tree_stability, "_resampled", unreadable)
    assert editor.stability(n=2).n == 0
    monkeypatch.setattr(PlaneTreeClassifier, "fit", unreadable)
    assert np.isnan(editor.cost().cross_validated_error)


def unreadable(*_given, **_named):
    raise UnreadColumnsError
