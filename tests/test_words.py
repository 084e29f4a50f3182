"""Words say what decisions do, and everything that prints says a model in the same words."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.base import clone

import planetree
from planetree import C45Classifier, PlaneTreeClassifier, plot
from planetree.convert import to_rules
from planetree.planes import Among, Categories, HalfSpace, Planes
from planetree.separators.problem import term_scales
from planetree.table import Column, Table, canonical
from planetree.tree import fitted_tree
from planetree.words import Wording, printable, typeset

COLUMNS = [Column("a"), Column("b"), Column("kind", ("u", "v", "w"))]

weight = st.integers(-4, 4).map(float)
rows = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 2)), min_size=1, max_size=30
).map(lambda cells: np.array(cells, dtype=float))


@st.composite
def decisions(draw, rules=("slabs", "argmax", "both", "same_side")):
    """Planes of some rules over two numbers and a category, their offsets between the scores."""
    rule = draw(st.sampled_from(rules))
    n = draw(st.integers(1, 3)) if rule == "slabs" else draw(st.integers(2, 3))
    normal = st.tuples(weight, weight, weight).filter(any)
    W = [draw(normal)] * n if rule == "slabs" else [draw(normal) for _ in range(n)]
    if rule == "both" and n == 2 and draw(st.booleans()):
        W[1] = [-each for each in W[0]]
    halves = st.lists(st.integers(-9, 9), min_size=n, max_size=n, unique=True)
    offsets = sorted(each + 0.5 for each in draw(halves))
    return Planes(W, offsets, rule, columns=[0, 1, 2], categories=[-1, -1, 1])


def value_of(condition, row):
    """Whether a condition in words holds, by reading its words."""
    if match := re.fullmatch(r"kind is (not )?v", condition):
        return (row[2] == 1) != bool(match[1])
    for name, cell in (("[kind is v]", float(row[2] == 1)), ("a", row[0]), ("b", row[1])):
        condition = re.sub(rf"([\d.]+) {re.escape(name)}", rf"\1 * ({cell})", condition)
        condition = condition.replace(name, f"({cell})")
    if " to " in condition:
        condition = re.sub(r"(.*\)) (\S+) to (\S+)", r"\2 < (\1) <= \3", condition)
    return eval(condition)


@given(decisions(rules=["slabs"]), rows)
def test_the_words_of_a_branch_hold_for_its_rows_and_no_others(planes, X):
    words = Wording(COLUMNS, digits=17).decision(planes)
    assert len(words.ways) == planes.n_branches
    for row, branch in zip(X, planes.branch(X), strict=True):
        held = [bool(value_of(condition, row)) for condition in words.conditions]
        assert held == [b == branch for b in range(planes.n_branches)]


@pytest.mark.parametrize(
    ("planes", "unsure"),
    [
        (Planes([[2.0, 1.0]], [3.0], spread=0.1), "unsure between 2.78 and 3.22"),
        (Planes([[-2.0, -1.0]], [1230.0], spread=100.0), "unsure between -1450 and -1010"),
        (Planes([[-2.0, 0.0]], [1.0], spread=0.1), "unsure between -0.61 and -0.39"),
        (Planes([[2.0, 1.0], [0.0, 1.0]], [3.0, 0.0], "argmax", spread=0.1), "by less than 0.22"),
        (
            Planes([[2.0, 1.0], [-2.0, -1.0]], [1.0, -3.0], "both", spread=0.1),
            "unsure between 0.78 and 1.22 and between 2.78 and 3.22",
        ),
        (
            Planes([[2.0, 1.0], [-2.0, -1.0]], [1.0, -3.0], "both", spread=0.6),
            "unsure between -0.3 and 4.3",
        ),
        (
            Planes([[2.0, 0.0], [0.0, -1.0]], [1.0, -3.0], "same_side", spread=0.1),
            "unsure between 0.39 and 0.61 and between 2.78 and 3.22",
        ),
    ],
)
def test_a_graded_decision_says_where_its_shares_run_from_10_to_90_percent(planes, unsure):
    """Ends are 2.197 spreads from the threshold, in the units in which it is said."""
    assert Wording(COLUMNS).decision(planes).unsure.endswith(unsure)
    hard = replace(planes, spread=0.0)
    assert Wording(COLUMNS).decision(hard).unsure == ""


def test_categories_are_said_by_name():
    words = Wording(COLUMNS).decision(Categories(2, [0, 1, 0]))
    assert words.lines == ("kind",)
    assert words.ways == ("u or w", "v")
    assert words.conditions == ("kind is u or w", "kind is v")


def test_the_term_that_moves_the_score_most_comes_first():
    planes = Planes([[1.0, 1.0]], [0.0])
    assert Wording(COLUMNS, {(1, -1): 9.0}).decision(planes).lines == ("b", "+ a")


def test_a_half_space_is_said_as_the_decision_it_belongs_to():
    wording = Wording(COLUMNS, {(0, -1): 2.0})
    plane = Planes([[-1.0, 3.0, 0.5]], [2.0], columns=[0, 1, 2], categories=[-1, -1, 1])
    words = wording.decision(plane)
    assert words.lines == ("3 b", "- a", "+ 0.5 [kind is v]")
    for branch, condition in enumerate(words.conditions):
        (pattern,) = plane.side(branch).patterns()
        assert wording.formula((pattern,)) == condition
    turned = plane.half_space(0)._replace(weights=(-3.0, 3.0, 0.5))
    assert wording.test(turned) == "3 a - 3 b - 0.5 [kind is v] < -2"
    assert wording.test(HalfSpace(((2, 1),), (-2.0,), -1.0, True)) == "kind is not v"
    assert wording.test(Among(2, (0, 2))) == "kind is u or w"
    either = wording.formula(((turned,), (turned,)), or_missing=[0, 1])
    assert either.endswith(")) or (a or b is missing)")
    assert wording.formula((), or_missing=[2]) == "kind is missing"


def test_signs_of_print_are_set_at_numbers_only():
    assert typeset("<= 1.5") == "≤ 1.5"
    assert typeset("a >= -2 and b <= 3") == "a ≥ -2 and b ≤ 3"
    assert typeset("a <= 3 (unsure between 2 and 4)") == "a ≤ 3 (unsure between 2 and 4)"
    assert typeset("x <= y > 3") == "x <= y > 3"  # a name that holds a sign


def test_names_stay_in_one_line():
    assert [printable(each) for each in ("a b", "a\nb", "", 3)] == ["a b", "'a\\nb'", "''", "3"]


def test_scales_are_weighted_deviations_of_the_rows_that_have_the_term():
    cells = np.array([[1.0, 0.0], [3.0, 2.0], [np.nan, 1.0], [5.0, np.nan]])
    table = Table(cells, (Column("a"), Column("kind", ("u", "v", "w"))))
    weights = np.array([1.0, 2.0, 1.0, 1.0])
    rows = canonical(table, np.zeros(4, dtype=int), weights, n_classes=1)
    found = term_scales(rows, rows.weights)
    expected = np.sqrt(np.cov([1.0, 3.0, 5.0], aweights=[1, 2, 1], ddof=0))
    assert found[0, -1] == pytest.approx(float(expected))
    assert found[1, 2] == pytest.approx(0.5)
    assert set(found) == {(0, -1), (1, 0), (1, 1), (1, 2)}


SAYING = [
    planetree.BilinearSeparator(max_restarts=1),
    planetree.C45Classifier(),
    planetree.HoldoutTreeClassifier(separator=planetree.RobustSeparator()),
    planetree.MaxNormSeparator(),
    planetree.MultisurfaceClassifier(max_pairs=2, conflicts="majority"),
    planetree.PlaneTreeClassifier(size="accurate"),
    planetree.QuadraticSeparator(),
    planetree.RobustSeparator(),
    planetree.SeparatorTreeClassifier(planetree.SparseSeparator(), pruning=None),
]


def comparisons(text):
    """Sums with the numbers they are compared with, as signs without sense."""
    text = text.replace("≤", "<=").replace("≥", ">=")
    sums = r"(?:\d\S* )?(?:\[color is \w+\]|age|dose)(?: [+-] (?:\d\S* )?(?:\[[^]]*\]|age|dose))*"
    return {
        (terms, number) for terms, number in re.findall(rf"({sums}) [<>]=? (-?\d[^\s:<,)]*)", text)
    }


@pytest.mark.parametrize("model", SAYING, ids=repr)
def test_text_rules_report_and_plot_say_the_same_numbers_in_the_same_order(model, tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"age": rng.normal(50, 9, 120), "dose": rng.normal(size=120)})
    X["color"] = pd.Categorical(rng.choice(["red", "green", "blue"], 120))
    score = X["age"] / 9 - 2 * X["dose"] - 2 * (X["color"] == "red") + rng.normal(size=120)
    y = np.where(score > score.median(), "ill", "well")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(model).fit(X, y)
    text = comparisons(model.to_text())
    assert text
    rules = comparisons(
        to_rules(model, missing="majority" if fitted_tree(model).missing else None).to_text()
    )
    page = planetree.report(model, X, y, tmp_path / "page.html").read_text("utf-8")
    listed = page.split('<section id="rules">')[1].split("</section>")[0]
    listed = comparisons(re.sub(r"<[^>]*>", "", listed).replace("&gt;", ">").replace("&lt;", "<"))
    assert rules
    assert rules | listed <= text
    drawn = " ".join(each.get_text() for each in plot.tree(model, X, y).texts)
    plt.close()
    for terms, _ in text:
        assert terms.split(" ")[0] in drawn


def test_the_branch_of_missing_values_is_said():
    wording = Wording([Column("age"), Column("color", ("red", "blue"))])
    above = wording.decision(Planes([[1.0, 0.0]], [7.0], unknown=1))
    assert above.openings == [(1, "if age > 7 or age is missing: "), (0, "otherwise: ")]
    below = wording.decision(Categories(1, np.array([0, 1]), unknown=0))
    assert below.openings[1] == (0, "otherwise, also if color is missing: ")
    assert below.ways == ("red or missing", "blue")
    alone = wording.decision(Categories(1, np.array([0, 0]), unknown=1))
    assert alone.openings[0] == (1, "if color is missing: ")
    left = wording.decision(Categories(1, np.array([1, 1]), unknown=0))
    assert left.openings[1] == (0, "otherwise (color is missing): ")


def test_what_may_be_missing_of_several_columns_stands_apart():
    """A pair was said as `a > 0.5 and b > 1, or neither or a or b is missing`."""
    wording = Wording(COLUMNS)
    pair = Planes([[1.0, 0.0], [0.0, 1.0]], [0.5, 1.0], "same_side", unknown=1)
    said = "(a > 0.5 and b > 1, or neither) or (a or b is missing)"
    assert wording.decision(pair).conditions[1] == said
    plane = wording.decision(Planes([[1.0, 1.0]], [0.5], unknown=1))
    assert plane.conditions[1] == "a + b > 0.5 or (a or b is missing)"


def test_a_threshold_among_large_whole_numbers_is_said_in_full():
    """Seven digits hid it: 16777218 and 16777220 were both told apart at 1.677722e+07."""
    X, y = [[16777218.0], [16777220.0]] * 3, [0, 1] * 3
    for arithmetic in ("single", "double"):
        text = C45Classifier(arithmetic=arithmetic).fit(X, y).to_text()
        said = float(text.split("<=")[1].split(":")[0])
        assert 16777218 <= said < 16777220
    assert "e+" not in PlaneTreeClassifier(grading=None).fit(X * 5, y * 5).to_text()
