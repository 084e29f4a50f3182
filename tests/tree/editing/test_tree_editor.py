"""Edits of a tree: each makes a new model that is whole, changes its subtree alone, and can go."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from editing_tables import COLUMNS, table
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import planetree
from planetree import PlaneTreeClassifier, TreeEditor
from planetree.convert import to_python
from planetree.planes import Planes


def held(value):
    """A value by its bits."""
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def bits(model):
    """All that predicts, what is proved of it, and what was edited."""
    tree = model.tree_
    splits = [
        split and [held(each) for _, each in sorted(vars(split).items())] for split in tree.splits
    ]
    figures = tree.class_weights, tree.leaf_probabilities, tree.predicted, tree.weights
    told = [repr(model.certificates_), getattr(model, "edits_", [])]
    return [splits, *map(held, figures), *told]


def parents(tree):
    """Nodes above each node."""
    found = {0: []}
    for node in range(tree.n_nodes):
        for child in tree.children_of(node).tolist():
            found[child] = [*found[node], node]
    return found


class Edits(RuleBasedStateMachine):
    """Edits in any order keep every promise."""

    @initialize(
        seed=st.integers(0, 3),
        n_classes=st.sampled_from([2, 2, 3]),
        grading=st.sampled_from(["leaf", "soft", None]),
    )
    def begin(self, seed, n_classes, grading):
        self.X, self.y = table(seed, n_classes)
        model = PlaneTreeClassifier(size=0.5, grading=grading).fit(self.X, self.y)
        self.editor, self.seen = TreeEditor(model, self.X, self.y), []

    def node(self, at):
        return at % self.editor.model_.tree_.n_nodes

    def edit(self, node, change):
        """An edit is made, and changes nothing outside its subtree, or it is refused."""
        before, history = self.editor.model_, self.editor.history
        try:
            after = change()
        except ValueError:
            assert self.editor.model_ is before
            assert self.editor.history == history
            return
        assert after is self.editor.model_
        assert self.editor.history[:-1] == history
        size = sum(node in above for above in parents(before.tree_).values()) + 1
        outside = [*range(node), *range(node + size, before.tree_.n_nodes)]
        shift = after.tree_.n_nodes - before.tree_.n_nodes
        for old in outside:
            new = old if old < node else old + shift
            assert after.tree_.splits[new] is before.tree_.splits[old]
            assert np.array_equal(after.tree_.class_weights[new], before.tree_.class_weights[old])
            if before.tree_.leaf_probabilities is not None:
                one, other = (m.tree_.leaf_probabilities for m in (after, before))
                assert np.array_equal(one[new], other[old])

    @rule(at=st.integers(0, 20), below=st.sampled_from(["grow", "keep", "close"]), data=st.data())
    def replace(self, at, below, data):
        node = self.node(at)
        decision = data.draw(
            st.sampled_from(
                [
                    "age > 0.25",
                    "color is red or blue",
                    "2 age + dose <= 0.5",
                    "dose > 900",
                    "height > 1",
                    ["age", "dose"],
                    ["noise"],
                    "color",
                    {"age": 1.0, "dose": 2.0},
                    ({"age": 1.0, "noise": -1.0}, 0.1),
                ]
            )
        )
        self.edit(node, lambda: self.editor.replace(node, decision, below=below))

    @rule(at=st.integers(0, 20), below=st.sampled_from(["grow", "keep"]))
    def alternative(self, at, below):
        node = self.node(at)
        found = self.editor.alternatives(node, n=2)
        if found:
            self.edit(node, lambda: self.editor.replace(node, found[-1], below=below))

    @rule(at=st.integers(0, 20))
    def close(self, at):
        node = self.node(at)
        self.edit(node, lambda: self.editor.close(node))

    @rule(at=st.integers(0, 20))
    def grow(self, at):
        node = self.node(at)
        self.edit(node, lambda: self.editor.grow(node))

    @rule(at=st.integers(0, 20))
    def lock(self, at):
        node = self.node(at)
        self.edit(node, lambda: self.editor.lock(node))

    @rule(at=st.integers(0, 20), label=st.sampled_from(["a", "b", "z"]))
    def relabel(self, at, label):
        node = self.node(at)
        self.edit(node, lambda: self.editor.relabel(node, label))
        if label == "z":
            return

    @rule(column=st.sampled_from([*COLUMNS, "height"]))
    def forbid(self, column):
        self.edit(0, lambda: self.editor.forbid(column))

    @precondition(lambda self: len(self.editor.history) > 0)
    @rule()
    def undo_and_redo(self):
        model, before = self.editor.model_, bits(self.editor.model_)
        self.editor.undo()
        assert self.editor.redo() is model
        assert bits(model) == before

    @precondition(lambda self: len(self.editor.history) > 1)
    @rule()
    def undo(self):
        self.editor.undo()

    @invariant()
    def earlier_models_never_change(self):
        if not hasattr(self, "editor"):
            return
        if not any(model is self.editor.model_ for model, _ in self.seen):
            self.seen.append((self.editor.model_, bits(self.editor.model_)))
        assert all(bits(model) == before for model, before in self.seen)

    @invariant()
    def the_model_is_whole(self):
        if not hasattr(self, "editor"):
            return
        model, X = self.editor.model_, self.X
        tree = model.tree_
        assert len(model.certificates_) == tree.n_decisions
        assert np.isclose(tree.class_weights[0].sum(), len(X))
        answers, shares = model.predict(X), model.predict_proba(X)
        with tempfile.TemporaryDirectory() as folder:
            planetree.save(model, Path(folder) / "model.json")
            again = planetree.load(Path(folder) / "model.json")
        assert bits(again) == bits(model)
        assert np.array_equal(again.predict_proba(X), shares)
        scope = {}
        exec(to_python(model), scope)
        rows = [{k: (None if pd.isna(v) else v) for k, v in row.items()} for _, row in X.iterrows()]
        assert [scope["predict"](row) for row in rows[:20]] == answers[:20].tolist()


TestEdits = Edits.TestCase
TestEdits.settings = settings(
    max_examples=3, stateful_step_count=5, deadline=None, phases=(Phase.generate,)
)


def test_a_typed_cut_stays_where_it_was_typed_and_says_who_set_it(breast):
    model, X, y = breast
    edited = TreeEditor(model, X, y).replace(0, "mean radius > 15")
    root = edited.tree_.splits[0]
    assert (root.weights.tolist(), root.offsets.tolist()) == ([[1.0]], [15.0])
    assert root.spread > 0
    assert edited.certificates_[0].kind == "set by hand"
    assert not edited.certificates_[0].is_proved
    assert all("hand" not in each.kind for each in edited.certificates_[1:])
    assert "mean radius > 15 (unsure" in edited.to_text()
    assert not hasattr(edited.select(1), "edits_")
    counts = [(X["mean radius"] <= 15).sum(), (X["mean radius"] > 15).sum()]
    assert edited.tree_.weights[edited.tree_.children_of(0)].tolist() == counts


def test_a_forbidden_column_is_read_by_no_decision_of_its_part(breast):
    model, X, y = breast
    editor = TreeEditor(model, X, y)
    first = X.columns[model.tree_.splits[0].features[0]]
    edited = editor.forbid(first)
    assert first not in X.columns[edited.features_used_]
    with pytest.raises(ValueError, match="forbidden"):
        editor.replace(0, f"{first} > {X[first].median()}")
    editor.undo()
    editor.replace(0, f"{first} > {X[first].median()}")
    with pytest.raises(ValueError, match="set by hand"):
        editor.forbid(first)


def test_a_label_set_by_hand_is_predicted_and_its_cost_is_counted(breast):
    model, X, y = breast
    editor = TreeEditor(model, X, y)
    leaf = int(model.apply(X.iloc[[0]])[0])
    old = model.predict(X.iloc[[0]])[0]
    edited = editor.relabel(leaf, 1 - old)
    there = model.apply(X) == leaf
    assert set(edited.predict(X[there])) == {1 - old}
    assert np.array_equal(edited.predict(X[~there]), model.predict(X[~there]))
    more = int((y[there] == old).sum() - (y[there] == 1 - old).sum())
    assert editor.history == [f"Node {leaf}: labeled {1 - old}; {more:+d} training rows wrong."]
    assert edited.predict_proba(X[there])[:, 1 - old].min() > 0.5


def test_other_rows_or_another_kind_of_model_are_refused(breast):
    model, X, y = breast
    with pytest.raises(ValueError, match="not the rows"):
        TreeEditor(model, X[:300], y[:300])
    with pytest.raises(TypeError, match="RobustSeparator"):
        TreeEditor(planetree.RobustSeparator().fit(X, y), X, y)
    editor = TreeEditor(model, X, y)
    for refused in (editor.undo, editor.redo):
        with pytest.raises(ValueError, match="no edit"):
            refused()
    with pytest.raises(ValueError, match="'node'"):
        editor.close(99)
    assert editor.model_ is model


def test_edits_are_in_the_report(breast, tmp_path):
    model, X, y = breast
    edited = TreeEditor(model, X, y).replace(0, "mean radius > 15")
    planetree.report(edited, X, y, path=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "Set by hand." in text
    assert "Node 0: mean radius &gt; 15" in text
    assert isinstance(edited.tree_.splits[0], Planes)


def test_locks_are_kept_in_the_model_file_and_hold_for_the_next_editor(tmp_path):
    X, y = table(0)
    editor = TreeEditor(PlaneTreeClassifier(size="accurate").fit(X, y), X, y)
    editor.replace(0, "age > 0")
    planetree.save(editor.lock(1), tmp_path / "model.json")
    loaded = planetree.load(tmp_path / "model.json")
    assert loaded.locked_.tolist() == [1]
    again = TreeEditor(loaded, X, y)
    with pytest.raises(ValueError, match="locked"):
        again.close(1)
    assert again.unlock(1).locked_.tolist() == []
    again.undo()
    assert again.model_.locked_.tolist() == [1]
    assert not hasattr(loaded.select(n_terms=0), "locked_")
