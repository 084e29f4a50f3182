"""A fit to a table in parts is that of the whole table, proved over all of its rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import QuadraticSeparator, RobustSeparator, load, save
from planetree.distributed import Partitions, open_partitions, predict, sample
from planetree.solvers.partitioned import reduction


def table(seed, n, d, k, kind):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    X = rng.normal(size=(n, d)) + rng.normal(scale=0.5, size=(k, d))[y]
    if kind == "levels":
        X = np.round(2 * X) / 2
    if kind == "tails":
        X *= np.exp(rng.normal(scale=1.5, size=X.shape))
    if kind == "separable":
        X[:, 0] += 20 * y
    if kind == "far":
        X += 1e6
    return X, y


def dealt(X, y, w, n_parts, how, seed):
    """Rows in parts: at random, sorted, by class, skewed, or one by one; some parts empty."""
    rng = np.random.default_rng(seed)
    at = {
        "random": rng.integers(0, n_parts, len(y)),
        "sorted": np.argsort(np.argsort(X[:, 0])) * n_parts // len(y),
        "class": y,
        "skewed": (rng.random(len(y)) < 0.02).astype(int),
        "single": np.minimum(np.arange(len(y)), 20),
    }[how]
    parts = [(X[at == p], y[at == p], w[at == p]) for p in range(at.max() + 1)]
    return open_partitions([*parts, (X[:0], y[:0], w[:0])])


def assert_same(found, whole):
    assert found.error_ == pytest.approx(whole.error_, rel=1e-9, abs=1e-12)
    assert found.bound_ <= whole.objective_ * (1 + 1e-15)
    assert found.gap_ <= 1e-9
    assert found.status_ == "optimal"


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 2, 3, 5]),
    kind=st.sampled_from(["plain", "levels", "tails", "separable", "far"]),
    how=st.sampled_from(["random", "sorted", "class", "skewed", "single"]),
    weighted=st.booleans(),
    price=st.sampled_from([0.0, 0.0, 0.02]),
)
def test_the_value_and_the_proof_are_those_of_the_whole_table(seed, k, kind, how, weighted, price):
    X, y = table(seed, 600, 4, k, kind)
    w = np.random.default_rng(seed).integers(0, 4, len(y)) * 1.0 if weighted else np.ones(len(y))
    w[:k] = 1.0
    model = RobustSeparator(perturbation=price)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", 150)
        found = RobustSeparator(perturbation=price).fit(dealt(X, y, w, 5, how, seed))
    assert_same(found, model.fit(X, y, w))
    assert found.separable_ == model.separable_


def test_costs_and_uniform_charges_are_those_of_the_whole_table():
    X, y = table(3, 800, 3, 3, "plain")
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]
    for options in ({"costs": costs}, {"weighting": "uniform"}):
        whole = RobustSeparator(**options).fit(X, y)
        parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
        assert_same(RobustSeparator(**options).fit(parts), whole)


def test_newtons_method_on_kept_rows_leads_to_the_same_planes(monkeypatch):
    monkeypatch.setattr(reduction, "_BUDGET", 300)
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 500)
    X, y = table(4, 20_000, 5, 2, "plain")
    parts = open_partitions([(X[i::4], y[i::4]) for i in range(4)])
    for price in (0.0, 0.02):
        whole = RobustSeparator(perturbation=price).fit(X, y)
        found = RobustSeparator(perturbation=price).fit(parts)
        assert_same(found, whole)
        assert found.n_reads_ <= 6


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([2, 3]))
def test_means_of_any_groups_never_cost_more_than_their_rows(seed, k):
    """The lemma: by Jensen's inequality the reduced program is below the program at every z."""
    rng = np.random.default_rng(seed)
    X, y = table(seed, 60, 3, k, "tails")
    group = rng.integers(0, 6, len(y)) * k + y
    means = np.array([X[group == g].mean(axis=0) for g in np.unique(group)])
    sizes = np.array([np.sum(group == g) for g in np.unique(group)], dtype=float)
    classes = np.unique(group) % k
    for _ in range(20):
        W, b = rng.normal(size=(k, 3)), rng.normal(size=k)
        assert cost(means, classes, sizes, W, b) <= cost(X, y, np.ones(60), W, b) * (1 + 1e-12)


def cost(X, y, w, W, b):
    scores = X @ W.T - b
    lack = np.maximum(0, 1 - (scores[np.arange(len(y)), y][:, None] - scores))
    lack[np.arange(len(y)), y] = 0
    return float(w @ lack.sum(axis=1))


def test_categories_are_joined_by_their_labels():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"color": rng.choice(list("abcd"), 900), "size": rng.normal(size=900)})
    frame["kind"] = np.where(
        (frame.color == "a") | (frame["size"] + rng.normal(size=900) > 0.5), "yes", "no"
    )
    parts = [part for _, part in frame.groupby("color")] + [frame[:0]]
    found = RobustSeparator().fit(open_partitions(parts, target="kind"))
    whole = RobustSeparator().fit(frame[["color", "size"]], frame.kind)
    assert found.columns_ == whole.columns_
    assert found.classes_.tolist() == whole.classes_.tolist()
    assert_same(found, whole)
    some = frame[["color", "size"]][:100]
    assert (found.predict(some) == whole.predict(some)).all()


def test_a_column_that_is_text_in_one_part_and_numbers_in_another_is_named():
    one = pd.DataFrame({"age": [1.0, 2.0], "kind": [0, 1]})
    other = pd.DataFrame({"age": ["x", "y"], "kind": [0, 1]})
    with pytest.raises(ValueError, match=r"'age' holds numbers in part 0, but text .* part 1"):
        RobustSeparator().fit(open_partitions([one, other], target="kind"))
    with pytest.raises(ValueError, match="columns of part 1"):
        RobustSeparator().fit(open_partitions([one, one.assign(b=1)], target="kind"))


def test_some_rows_are_the_same_for_any_partitioning():
    X, y = table(6, 3000, 3, 3, "plain")
    parts = [open_partitions([(X[i::p], y[i::p]) for i in range(p)]) for p in (1, 2, 7)]
    first, *others = (sample(each, 200) for each in parts)
    assert first.X.values.shape == (200, 3)
    rows = {tuple(row) for row in X}
    assert all(tuple(row) in rows for row in first.X.values)
    for other in others:
        assert np.array_equal(other.X.values, first.X.values)
        assert np.array_equal(other.y, first.y)


def test_rows_that_change_between_two_reads_are_noticed():
    X, y = table(7, 500, 3, 2, "plain")

    class Moving:
        name = "moving part"
        reads = 0

        def read(self):
            self.reads += 1
            return (X if self.reads < 3 else X + 1e-9, y)

    parts = open_partitions([(X, y)])
    object.__setattr__(parts, "parts", (Moving(),))
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(parts)


def test_labels_are_given_once():
    parts = open_partitions([([[0.0], [1.0]], [0, 1])])
    with pytest.raises(ValueError, match="call fit without y"):
        RobustSeparator().fit(parts, [0, 1])
    with pytest.raises(ValueError, match="requires y"):
        RobustSeparator().fit([[0.0], [1.0]])
    with pytest.raises(TypeError, match="have to load whole"):
        np.asarray(parts)


class Moving:
    """A part that gives other rows at each read, the last ones ever after."""

    name = "moving part"

    def __init__(self, *reads):
        self.reads = list(reads)

    def read(self):
        return self.reads.pop(0) if len(self.reads) > 1 else self.reads[0]


class Interrupted:
    """A part during whose nth read somebody presses Ctrl-C, once."""

    name = "part"

    def __init__(self, rows, n_before):
        self.rows, self.n_before = rows, n_before

    def read(self):
        self.n_before -= 1
        if self.n_before == -1:
            raise KeyboardInterrupt
        return self.rows


def test_classes_that_grow_after_the_first_read_are_noticed():
    """The charges are 1 over the weights of the first read: they must be those of all others."""
    X, y = table(8, 300, 2, 2, "plain")
    more = np.append(np.arange(300), np.flatnonzero(y == 1))
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(Partitions((Moving((X, y), (X[more], y[more])),)))


def test_rows_that_change_before_they_are_grouped_again_are_noticed(monkeypatch):
    """Else the bound of the old rows is kept beside the value of the new ones."""
    X, y = table(9, 3000, 3, 2, "tails")
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 60)
    monkeypatch.setattr("planetree.solvers.partitioned.passes._MOST_STRAYS", 0)
    same, moved = (X, y), (X / 2, y)
    with pytest.raises(ValueError, match="changed since they were read first"):
        RobustSeparator().fit(Partitions((Moving(same, same, same, moved),)))


def test_rows_of_weight_0_are_none():
    """Neither their labels nor their categories nor their gaps exist."""
    rng = np.random.default_rng(10)
    frame = pd.DataFrame({"size": rng.normal(size=90), "color": rng.choice(["a", "b"], 90)})
    frame["kind"] = np.where(frame["size"] + rng.normal(size=90) > 0, "yes", "no")
    frame["times"] = 1.0
    frame.loc[7] = [np.nan, "q", "perhaps", 0.0]
    parts = open_partitions([frame[i::3] for i in range(3)], target="kind", weight="times")
    found, count = RobustSeparator().fit(parts), frame.times > 0
    whole = RobustSeparator().fit(frame[["size", "color"]][count], frame.kind[count])
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.columns_ == whole.columns_
    assert_same(found, whole)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ((["a"], ["apple"]), ["a", "apple"]),
        (([False], [2]), [0, 2]),
        (([1], [0.0]), [0.0, 1.0]),
    ],
)
def test_labels_of_several_types_are_those_of_all_parts_together(labels, classes):
    X = np.arange(8.0)[:, None]
    parts = [(X[4 * i : 4 * i + 4], np.array(labels[i] * 4)) for i in range(2)]
    for order in (parts, parts[::-1]):
        found = RobustSeparator().fit(open_partitions(order))
        assert found.classes_.tolist() == classes
        assert found.classes_.dtype == np.concatenate([y for _, y in parts]).dtype
        assert found.predict(X[:1]).tolist() == labels[0]


def test_labels_of_text_and_of_numbers_do_not_mix():
    X = np.arange(4.0)[:, None]
    parts = open_partitions([(X[:2], np.array([0, 1])), (X[2:], np.array(["0", "1"]))])
    with pytest.raises(ValueError, match="mixes or nests labels of type 'int', 'str'"):
        RobustSeparator().fit(parts)


def test_a_sample_of_few_distinct_rows_has_them_all_with_their_weights():
    """Equal rows have equal hashes: taken one by one, the sample would be copies of one row."""
    rng = np.random.default_rng(11)
    X, y = rng.integers(0, 2, (5000, 2)) * 1.0, rng.integers(0, 2, 5000)
    for p in (1, 3):
        some = sample(open_partitions([(X[i::p], y[i::p]) for i in range(p)]), 100)
        rows = {(*map(float, x), int(c)) for x, c in zip(some.X.values, some.y, strict=True)}
        assert len(rows) == len(some.y) == 8
        assert some.sample_weight.sum() == 5000
        for x, c, w in zip(some.X.values, some.y, some.sample_weight, strict=True):
            assert w == np.sum((x == X).all(axis=1) & (y == c))


def test_an_offset_is_not_refined_silently():
    X, y = table(12, 100, 2, 2, "plain")
    with pytest.raises(ValueError, match=r"refine_offset=False, or fit .*sample"):
        RobustSeparator(refine_offset=True).fit(open_partitions([(X, y)]))


def test_rows_and_labels_of_a_part_are_as_many():
    with pytest.raises(ValueError, match="part 0: There are 3 rows, but 2 labels"):
        RobustSeparator().fit(open_partitions([([[0.0], [1.0], [2.0]], [0, 1])]))


def test_a_model_of_parts_is_saved_with_what_it_read(tmp_path):
    X, y = table(13, 200, 2, 2, "plain")
    model = RobustSeparator().fit(open_partitions([(X, y)]))
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.n_reads_, again.n_bytes_gathered_) == (model.n_reads_, model.n_bytes_gathered_)
    assert (again.predict(X) == model.predict(X)).all()


def test_parts_with_labels_are_predicted_by_their_features():
    X, y = table(14, 60, 2, 2, "plain")
    model = RobustSeparator().fit(X, y)
    found = list(predict(model, [(X[:20], y[:20]), (X[20:], y[20:])]))
    assert np.concatenate(found).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("k", [2, 3])
def test_a_column_of_one_value_needs_no_balance(k):
    """The offset does all that its weight could do, so the proof may leave it out."""
    X, y = table(15, 400, 2, k, "plain")
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(tenth=0.1, color="red", kind=y)
    frame["times"] = np.random.default_rng(15).random(400)
    parts = open_partitions([frame[i::3] for i in range(3)], target="kind", weight="times")
    whole = RobustSeparator().fit(X, y, frame.times)
    assert_same(RobustSeparator().fit(parts), whole)


@pytest.mark.parametrize("factor", [1e200, 1e-250])
def test_numbers_whose_squares_are_none_are_named(factor):
    X, y = table(16, 100, 2, 2, "plain")
    X *= [1.0, factor]
    parts = open_partitions([(X[:50], y[:50]), (X[50:], y[50:])])
    with pytest.raises(ValueError, match="numbers of column 'x1' are too large, or differ too"):
        RobustSeparator().fit(parts)


@pytest.mark.parametrize("k", [2, 3])
def test_a_copy_of_a_column_does_not_cost_the_proof(k):
    X, y = table(17, 500, 3, k, "plain")
    X = np.column_stack([X, X[:, 0], X[:, 2]])
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    assert_same(RobustSeparator().fit(parts), RobustSeparator().fit(X, y))
    X[-1, 3] += 1.0  # no copy any more
    parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
    with warnings.catch_warnings(action="ignore"):  # nothing may be proved of it
        found = RobustSeparator().fit(parts)
    assert found.bound_ <= RobustSeparator().fit(X, y).objective_ * (1 + 1e-15)


@pytest.mark.parametrize("kind", [RobustSeparator, QuadraticSeparator])
def test_terms_that_others_imply_exactly_do_not_cost_the_proof(kind):
    """A column turned around or times a power of two, and indicators of which one is 1."""
    X, y = table(18, 600, 3, 2, "plain")
    rng = np.random.default_rng(18)
    color, size = rng.integers(0, 4, 600), rng.integers(0, 2, 600)
    X = np.column_stack([X, -X[:, 0], 8 * X[:, 1], np.eye(4)[color], size, 1 - size])
    for w in (np.ones(600), np.where(color == 3, 0.0, 1.0)):
        parts = dealt(X, y, w, 3, "random", 18)
        whole = kind().fit(X, y, w)
        found = kind().fit(parts)
        assert_same(found, whole)
    X[-1, 5:9] = 1.0  # no union any more
    with warnings.catch_warnings(action="ignore"):  # nothing may be proved of it
        found = kind().fit(dealt(X, y, np.ones(600), 3, "random", 18))
    assert found.bound_ <= kind().fit(X, y).objective_ * (1 + 1e-15)


def test_what_is_wrong_with_a_part_is_said_with_its_name():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "y": [0, 1, 1], "w": 1.0})
    for wrong, said in (
        (frame.assign(a=[0.0, np.inf, 1.0]), "infinity"),
        (frame.assign(a=[0.0, np.nan, 1.0]), "a table in parts needs every value"),
        (frame.assign(y=[0.0, np.nan, 1.0]), "label of row 1"),
        (frame.assign(w=-1.0), "not negative"),
        (frame.assign(a=pd.Timestamp("2020-01-01")), "Dates"),
        (frame.drop(columns="y"), "no column 'y'"),
    ):
        parts = open_partitions([frame, wrong], target="y", weight="w")
        with pytest.raises((ValueError, TypeError), match=f"^part 1: .*{said}"):
            RobustSeparator().fit(parts)


def test_columns_of_frames_are_found_by_their_names():
    rng = np.random.default_rng(19)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["u", "v", "w"], 300)})
    frame["c"] = 100 + rng.normal(size=300)
    frame["y"] = (frame.a + (frame.b == "u") + 0.3 * rng.normal(size=300) > 0.3) * 1
    turned = [frame[:100], frame[100:200][["c", "y", "b", "a"]], frame[200:][["b", "a", "c", "y"]]]
    for kind in (RobustSeparator, QuadraticSeparator):
        whole = kind().fit(frame.drop(columns="y"), frame.y)
        found = kind().fit(open_partitions(turned, target="y"))
        assert found.columns_ == whole.columns_
        assert_same(found, whole)
    some = sample(open_partitions(turned, target="y"), 300)
    assert set(map(tuple, some.X.values[:, ::2])) == set(map(tuple, frame[["a", "c"]].to_numpy()))
