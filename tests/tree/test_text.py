"""Who follows the printed tree by hand gets the class that `predict` gives."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from planetree import C45Classifier, PlaneTreeClassifier, SeparatorTreeClassifier
from planetree.convert import to_rules
from planetree.tree.text import to_sentences
from planetree.words import wording_of

TERM = r"\[q\d+ is \w+\]|q\d+"


def table(loader):
    data = loader(as_frame=True)
    X = data.data.set_axis([f"q{j}" for j in range(data.data.shape[1])], axis=1)
    return X, data.target_names[data.target].astype(object)


def corners():
    """Mirrored, so that no single plane tells anything."""
    points = np.random.default_rng(0).random((60, 2)) + 0.01
    X = np.vstack([points * signs for signs in ([1, 1], [1, -1], [-1, 1], [-1, -1])])
    y = np.where((X > 0).all(axis=1) | (X < 0).all(axis=1), "same", "differ")
    return pd.DataFrame(X, columns=["q0", "q1"]), y


def interval():
    points = np.random.default_rng(1).normal(size=(150, 2))
    X = pd.DataFrame(np.vstack([points, -points]), columns=["q0", "q1"])
    return X, np.where(np.abs(X["q0"] + X["q1"]) < 0.8, "inside", "outside")


def mixed():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"q0": rng.normal(5, 2, 400), "q1": rng.normal(0, 1e-3, 400)})
    X["q2"] = pd.Categorical(rng.choice(["red", "green", "blue"], 400))
    X["q3"] = pd.Categorical(rng.choice(list("uvwxyz"), 400))
    score = X["q0"] - 3 * (X["q2"] == "red") + 800 * X["q1"] * X["q3"].isin(["u", "x"])
    return X, np.digitize(score, np.quantile(score, [0.3, 0.7])).astype(str)


TABLES = {
    "breast cancer": lambda: table(load_breast_cancer),
    "iris": lambda: table(load_iris),
    "wine": lambda: table(load_wine),
    "corners": corners,
    "interval": interval,
    "mixed": mixed,
}


@cache
def fitted(name, size):
    """Rows of a table and a tree of them, which no test changes."""
    X, y = TABLES[name]()
    return X, PlaneTreeClassifier(size=size).fit(X, y)


class Reader:
    """A reader of a printed tree: lines, and nothing else of the model."""

    def __init__(self, text):
        self.lines = [re.fullmatch(r"((?:    )*)(.*)", line).groups() for line in text.split("\n")]

    def answer(self, row):
        """Class and probability at the end of the way that holds, from the first line down."""
        depth, skipped = 0, None
        for indent, line in self.lines:
            level = len(indent) // 4
            if level == depth and line.startswith("scores"):
                self.scores = []
                continue
            if level == depth + 1 and (score := re.fullmatch(r"\((\d+)\) (.*)", line)):
                self.scores.append(self.score(score[2], row))
                continue
            if level > depth or (skipped is not None and level > skipped):
                continue
            assert level == depth, (line, depth)
            condition, end = re.fullmatch(r"(if .*?|otherwise):(?: (.*))?", line).groups()
            if condition != "otherwise" and not self.holds(condition[3:], row):
                continue
            if end:
                found = re.fullmatch(
                    r"(\S+)(?: ([\d.]+)%)? \((?:\S+ rows?|weight \S+)(?:, \S+ wrong)?\)", end
                )
                return found[1], found[2]
            depth += 1
        raise AssertionError(f"no way for {row}")

    def holds(self, condition, row):
        condition = re.sub(r" \(unsure [^)]*\)$", "", condition)
        if largest := re.fullmatch(r"score \((\d+)\) is the largest", condition):
            return int(np.argmax(self.scores)) == int(largest[1]) - 1
        if both := re.fullmatch(r"(.*) and (.*), or neither", condition):
            return self.holds(both[1], row) == self.holds(both[2], row)
        if named := re.fullmatch(r"(q\d+) is (not )?([\w ]+)", condition):
            return (row[named[1]] in named[3].split(" or ")) != bool(named[2])
        if " and " in condition:
            return all(self.holds(part, row) for part in condition.split(" and "))
        first, *rest = re.split(r" (<=|>=|<|>) ", condition)
        signs, values = rest[::2], [self.total(each, row) for each in (first, *rest[1::2])]
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        pairs = zip(signs, values[:-1], values[1:], strict=True)
        return all(compare[sign](left, right) for sign, left, right in pairs)

    def score(self, text, row):
        """A sum of terms with a number at its end."""
        sum_, sign, number = re.fullmatch(r"(.*?)(?: ([+-]) ([\d.e-]+))?", text).groups()
        number = float(number or 0)
        return self.total(sum_, row) + (-number if sign == "-" else number)

    def total(self, text, row):
        if not re.search(TERM, text):
            return float(text)
        parts = re.findall(rf"(?:^|([+-]) )(-?)(?:(\d\S*) )?({TERM})(?= [+-] |$)", text)
        assert len(parts) == len(re.findall(TERM, text)), text
        total = 0.0
        for joined, lead, weight, term in parts:
            sign = -1.0 if "-" in (joined, lead) else 1.0
            total += sign * float(weight or 1) * self.value(term, row)
        return total

    def value(self, term, row):
        asked = re.fullmatch(r"\[(q\d+) is (\w+)\]", term)
        return float(row[asked[1]] == asked[2]) if asked else row[term]


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("size", ["smallest", "accurate"])
@pytest.mark.parametrize("name", TABLES)
def test_who_follows_the_printed_tree_by_hand_gets_the_class_of_predict(name, size, graded):
    X, model = fitted(name, size)
    reader = Reader(model.to_text(graded=graded))
    found = [reader.answer(row)[0] for row in X.to_dict("records")]
    assert found == model.predict(X).tolist()
    assert len(set(found)) > 1


def test_the_tables_that_are_read_hold_pairs_of_planes_and_categories():
    sizes = ("smallest", "accurate")
    text = "".join(fitted(name, size)[1].to_text() for name in TABLES for size in sizes)
    for words in (", or neither", r" < [^<:]* < ", "q2 is ", r"\[q"):
        assert re.search(words, text), words


def test_the_percentage_of_a_leaf_is_its_probability_far_from_the_thresholds():
    X, model = fitted("breast cancer", "smallest")
    reader, far = Reader(model.to_text()), X.copy()
    far[:] = np.where(np.arange(len(X))[:, None] % 2, 1e6, -1e6)
    for row, shares in zip(far.to_dict("records"), model.predict_proba(far), strict=True):
        label, percent = reader.answer(row)
        best = shares.argmax()
        assert (label, percent) == (model.classes_[best], f"{100 * shares[best]:.1f}")


def test_a_row_at_either_end_of_the_gray_zone_takes_the_upper_way_with_10_and_90_percent():
    X, y = table(load_iris)
    keep = y != "setosa"
    model = PlaneTreeClassifier(max_features_per_split=1, max_splits=1).fit(X[keep], y[keep])
    said = re.search(r"(q\d) > \S+ \(unsure between (\S+) and (\S+)\)", model.to_text())
    rows = X[keep][:2].assign(**{said[1]: [float(said[2]), float(said[3])]})
    shares = model.tree_.splits[0].shares(rows.to_numpy())
    assert shares[:, 1] == pytest.approx([0.1, 0.9], abs=0.01)


def test_a_hard_tree_says_neither_zones_nor_percentages():
    X, y = table(load_iris)
    hard = PlaneTreeClassifier(grading=None).fit(X, y).to_text()
    assert "unsure" not in hard
    assert "%" not in hard
    graded = SeparatorTreeClassifier().fit(X, y)
    assert "unsure" in graded.to_text()
    assert not re.search("unsure|%", graded.to_text(graded=False))


def test_a_leaf_of_one_row_says_so():
    """Once '1 rows'."""
    model = C45Classifier(min_cases=1, prune=False).fit([[0.0], [1.0], [2.0]], list("aab"))
    assert "b (1 row)" in to_sentences(model.tree_, ["a", "b"], wording_of(model), True)
    assert "b (1 row, 100% right)" in str(to_rules(model))
