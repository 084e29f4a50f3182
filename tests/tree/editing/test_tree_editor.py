"""Edits of a tree: each makes a new model that is whole, changes its subtree alone, and can go."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.datasets import load_breast_cancer

import planetree
from planetree import PlaneTreeClassifier, TreeEditor
from planetree.convert import to_python
from planetree.planes import Planes
from planetree.table import Table
from planetree.tree.constraints.required_columns import UnreadColumnsError
from planetree.tree.editing import tree_stability
from planetree.tree.impurity import entropy

COLUMNS = ["age", "dose", "color", "noise"]


def table(seed, n_classes=2, n=60):
    """Numbers with gaps, categories, and classes that depend on both."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3)).round(2)
    color = rng.choice(["red", "blue", "green"], size=n)
    score = numbers[:, 0] + (numbers[:, 1] > 0.3) + (color == "red") + 0.4 * rng.normal(size=n)
    numbers[rng.random((n, 3)) < 0.03] = np.nan
    X = pd.DataFrame({"age": numbers[:, 0], "dose": numbers[:, 1], "color": color})
    X["noise"] = numbers[:, 2]
    steps = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.array(["a", "b", "c"])[np.searchsorted(steps, score)]


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


@pytest.fixture(scope="module")
def breast():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = PlaneTreeClassifier(size=0.5).fit(X, y)
    return model, X, y


def test_growing_the_root_again_gives_the_fitted_model_bit_for_bit(breast):
    model, X, y = breast
    again = TreeEditor(model, X, y).grow(0)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.to_text() == model.to_text()


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


def test_a_plane_over_given_columns_is_proved_and_no_other_weights_do_better(breast):
    """The bound of its program lies below what any other plane of the columns has."""
    _, X, y = breast
    editor = TreeEditor(PlaneTreeClassifier(grading=None).fit(X, y), X, y)
    edited = editor.replace(0, ["worst area", "worst texture"], below="close")
    certificate = edited.certificates_[0]
    assert certificate.kind == "set by hand: linear program"
    assert certificate.gap < 1e-6
    Z = X[["worst area", "worst texture"]].to_numpy()
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    side = np.where(y == 0, 1.0, -1.0)
    rng = np.random.default_rng(0)
    for w in rng.normal(scale=2, size=(300, 2)):
        offsets = np.quantile(Z @ w, np.linspace(0.05, 0.95, 19))
        margins = side[:, None] * (Z @ w[:, None] - offsets)
        hinge = 2 * np.maximum(0, 1 - margins).mean(axis=0) + 0.02 * np.abs(w).sum()
        assert hinge.min() >= certificate.bound - 1e-9


def test_alternatives_are_told_with_figures_that_counting_gives(breast):
    model, X, y = breast
    editor, rng = TreeEditor(model, X, y), np.random.default_rng(1)
    unseen = rng.choice(len(X), 100, replace=False)
    found = editor.alternatives(0, n=6, validation=(X.iloc[unseen], y.iloc[unseen]))
    assert len(found) == 6
    present = editor.present(0)
    for each in found:
        above = each.split.branch(X.to_numpy()) == 1
        sides = [np.bincount(y[mask], minlength=2) for mask in (above, ~above)]
        assert each.entropy == pytest.approx(sum(entropy(s.astype(float)) for s in sides))
        assert each.errors == sum(s.min() for s in sides)
        assert each.difference == pytest.approx(each.cost - present.cost)
        labels = np.where(above, sides[0].argmax(), sides[1].argmax())
        assert each.unseen_error == pytest.approx((labels != y)[unseen].mean())
    assert [each.cost for each in found] == sorted(each.cost for each in found)


def test_a_locked_node_and_the_way_to_it_stay_when_the_rest_is_grown_again(breast):
    model, X, y = breast
    editor = TreeEditor(model, X, y)
    editor.replace(0, "mean radius > 15")
    locked = int(editor.model_.tree_.children_of(0)[1])
    assert editor.model_.tree_.splits[locked] is not None
    editor.lock(locked)
    before = editor.model_
    with pytest.raises(ValueError, match="locked"):
        editor.replace(locked, "mean area > 700")
    with pytest.raises(ValueError, match="locked"):
        editor.close(0)
    after = editor.grow(0)
    at = int(after.tree_.children_of(0)[1])
    assert after.tree_.splits[at] is before.tree_.splits[locked]
    kept = editor.replace(0, "mean radius > 14", below="keep")
    split = kept.tree_.splits[int(kept.tree_.children_of(0)[1])]
    assert split is before.tree_.splits[locked]
    assert kept.certificates_[-1].status == "unproved"
    assert any("found on other rows" in each.kind for each in kept.certificates_)


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


@pytest.mark.parametrize("grading", ["leaf", None])
def test_an_edited_monotonic_tree_stays_monotonic(grading):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    y = X["a"] + 0.5 * X["b"] ** 2 + 0.5 * rng.normal(size=300) > 0.4
    signs = {"a": 1, "c": 1}
    model = PlaneTreeClassifier(size=0.3, grading=grading, monotonic_cst=signs).fit(X, y)
    editor = TreeEditor(model, X, y)
    with pytest.raises(ValueError, match="monotonic_cst"):
        editor.replace(0, ({"a": 1.0, "c": -1.0}, 0.0))
    for node, decision in ((0, "b > 0.7"), (1, "a > 0.1"), (0, ["a", "b"])):
        editor.replace(node, decision)
        steps = np.linspace(-3, 3, 61)
        for row in rng.normal(size=(30, 3)):
            line = pd.DataFrame(np.tile(row, (61, 1)), columns=list("abc")).assign(a=steps)
            assert (np.diff(editor.model_.predict_proba(line)[:, 1]) >= -1e-12).all()


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


def test_near_equal_trees_are_within_the_bound_and_can_be_taken(breast):
    _, X, y = breast
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    found = editor.near_equal(within=0.3, n=2)
    assert found
    assert all(each.ratio <= 1.3 for each in found)
    taken = editor.replace(found[0].node, found[0].alternative)
    assert (taken.predict(X) != y).mean() == pytest.approx(found[0].training_error)
    assert taken.n_terms_ == found[0].n_terms


def test_stability_counts_how_often_columns_and_decisions_return():
    """The oracle draws the same rows, and fits a tree to them as rows, not as weights."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    y = X["a"] + 0.3 * rng.normal(size=80) > 0
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    found = editor.stability(n=3, random_state=1)
    draws, trees = np.random.default_rng(1), []
    for _ in range(3):
        drawn = np.repeat(np.arange(80), draws.multinomial(80, np.full(80, 1 / 80)))
        trees.append(PlaneTreeClassifier().fit(X.iloc[drawn], y.iloc[drawn]).tree_)
    for j, name in enumerate("abc"):
        assert found.columns.get(name, 0.0) == np.mean([j in tree.features for tree in trees])
    first = editor.model_.tree_.splits[0].features.tolist()
    returns = [
        any(split is not None and split.features.tolist() == first for split in tree.splits)
        for tree in trees
    ]
    assert found.decisions[0] == np.mean(returns)
    assert found.n_terms == tuple(tree.n_terms for tree in trees)


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


def test_a_column_of_many_categories_is_edited_like_others():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 400)
    y = np.where(rng.random(400) < 0.9, city % 2, 1 - city % 2)
    X = pd.DataFrame({"a": rng.normal(size=400) + y, "city": [f"city {i}" for i in city]})
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    assert 1 in editor.model_.features_used_
    assert editor.forbid("city").features_used_.tolist() == [0]
    editor.undo()
    assert editor.split_on("a").tree_.splits[0].features.tolist() == [0]
    assert editor.split_on("city").tree_.splits[0].features.tolist() == [1]
    few = X[["city"]]
    alone = TreeEditor(PlaneTreeClassifier().fit(few, y), few, y)
    assert alone.grow().features_used_.tolist() == [0]


def three_classes():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    scores = X.to_numpy() @ np.array([[1.0, -0.5, -0.5], [0.0, 0.9, -0.9]])
    return X, scores.argmax(axis=1)


def test_what_is_below_planes_for_classes_is_not_dropped_where_it_was_to_be_kept():
    X, y = three_classes()
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    assert editor.model_.tree_.n_branches[0] == 3
    editor.lock(1)
    with pytest.raises(ValueError, match="3 branches and the new one 2"):
        editor.replace(0, "a > 0", below="keep")


def test_planes_for_classes_pay_for_their_further_weights_and_are_said_whole():
    X, y = three_classes()
    model = PlaneTreeClassifier().fit(X, y)
    present = TreeEditor(model, X, y).present(0)
    split = model.tree_.splits[0]
    further = np.count_nonzero(split.weights) - split.n_terms
    unit = np.log(2) + np.log(300) / 2  # two terms, 300 rows
    price = 0.75 * (split.n_terms * unit + further * np.log(300) / 2)
    assert present.price == pytest.approx(price)
    assert present.words.startswith("the largest of (1) ")


def test_a_decision_that_a_person_asks_for_is_found_whatever_the_time_limit_of_growing():
    X, y = three_classes()
    model = PlaneTreeClassifier().fit(X, y).set_params(time_limit=1e-9)
    editor = TreeEditor(model, X, y)
    assert editor.split_on(["a", "b"]).tree_.splits[0].features.tolist() == [0, 1]


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


def test_counts_of_rows_in_part_have_one_digit_and_no_difference_is_below_zero():
    """Once '49.835 rows wrong', and '-0.0' where the price is the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)).round(1)
    y = X[:, 0] + rng.normal(size=80) > 0
    X[:7, 0] = np.nan
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    said = [str(editor.present(0)), *map(str, editor.alternatives(0))]
    assert all(re.search(r", \d+(\.\d)? wrong$", each) for each in said)
    same = replace(editor.present(0), difference=-1e-9)
    assert "terms, +0.0)" in str(same)
