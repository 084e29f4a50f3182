"""The first rule that holds says what the model says, and no rule asks what it need not."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_tables import around_iris, heaviest_way, is_on_a_plane, odd_table, quietly
from sklearn.datasets import load_iris

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.convert import to_rules
from planetree.convert.rules import Rule, RuleList
from planetree.convert.rules import _Condition as Condition
from planetree.convert.rules import _follows as follows
from planetree.convert.rules import _narrow as narrow
from planetree.planes import Among, HalfSpace
from planetree.table import Column


def test_rules_say_what_a_tree_says(tree):
    frame = odd_table(3000, seed=2)
    rules, tied = to_rules(tree, missing="majority"), is_on_a_plane(tree, frame)
    assert tied.mean() < 0.05
    assert np.array_equal(rules.predict(frame)[~tied], tree.predict(frame)[~tied])


def test_rules_say_what_planes_say(planes):
    frame = odd_table(3000, seed=3)
    assert np.array_equal(to_rules(planes).predict(frame), planes.predict(frame))


def test_missing_values_can_go_with_the_majority(tree):
    frame = odd_table(1000, seed=4, missing=0.2, unseen=0.1)
    rules = to_rules(tree, missing="majority")
    assert np.array_equal(quietly(rules.predict, frame), quietly(heaviest_way, tree, frame))


def test_rules_say_what_selectors_that_are_planes_say(selector):
    rows = around_iris(2000)  # training rows may be on a surface
    assert np.array_equal(to_rules(selector).predict(rows), selector.predict(rows))


def test_a_rule_names_the_column_that_may_be_missing():
    """It said `if  or missing` where gaps alone take a branch."""
    rng = np.random.default_rng(5)
    X, gap = pd.DataFrame(rng.normal(size=(300, 2)), columns=["x", "z"]), rng.random(300) < 0.4
    kind = pd.Categorical(np.where(gap, None, rng.choice(["u", "v"], 300)))
    y = np.where(gap, "p", np.where(X.x > 0, "q", "r"))
    text = to_rules(PlaneTreeClassifier().fit(X.assign(kind=kind), y), missing="majority").to_text()
    assert "if kind is missing: p" in text


def test_conditions_that_may_be_missing_are_told_apart():
    """They said `a > 0 or missing and b > 0 or missing`."""
    tests = [Condition(((HalfSpace(((j, -1),), (1.0,), 0.0, True),),), (j,), True) for j in (0, 1)]
    never = Condition(((Among(2, ()),),), (2,), True)
    columns = (Column("a"), Column("b"), Column("kind", ("u", "v")))
    rules = RuleList(
        (Rule((*tests, never), "yes", None, None), Rule((), "no", None, None)), columns
    )
    said = "1. if (a > 0 or a is missing) and (b > 0 or b is missing) and (kind is missing): yes"
    assert str(rules).splitlines()[0] == said


def test_the_last_rule_asks_nothing_and_the_others_something(tree):
    *others, last = to_rules(tree, missing="majority").rules
    assert last.conditions == ()
    assert all(rule.conditions for rule in others)


def test_no_condition_follows_from_the_others(tree):
    for rule in to_rules(tree, missing="majority").rules:
        assert narrow(rule.conditions) == rule.conditions


def test_no_rule_repeats_its_successor(tree):
    rules = to_rules(tree, missing="majority").rules
    for one, other in pairwise(rules):
        assert one.label != other.label or not follows(other, one)


def test_counts_are_those_of_the_training_rows():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = C45Classifier().fit(X, y)
    rules = to_rules(model)
    numbers = rules.apply(X)
    for number, rule in enumerate(rules.rules):
        assert rule.weight == np.sum(numbers == number)
        assert rule.confidence == pytest.approx(np.mean(y[numbers == number] == rule.label))
    assert sum(rule.weight for rule in rules.rules) == len(X)


def test_rules_are_no_more_than_leaves_and_ask_no_more_than_the_tree(tree):
    rules = to_rules(tree, missing="majority")
    assert len(rules) <= tree.n_leaves_
    n_tests = sum(len(rule.conditions) for rule in rules.rules)
    ways = sum(len(region.conditions) for region in tree.tree_.regions())
    assert n_tests <= 2 * ways  # a slab is two tests


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans())
def test_rules_of_small_trees_agree_row_by_row(seed, n_classes, subsets):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 6, 80), "b": rng.normal(size=80)})
    frame["c"] = pd.Categorical(rng.choice([*"wxyz"], 80))
    labels = rng.integers(0, n_classes, 80)
    model = C45Classifier(prune=False, min_cases=1, subsets=subsets).fit(frame, labels)
    rules = to_rules(model, missing="majority")
    assert np.array_equal(rules.predict(frame), model.predict(frame))


def test_missing_values_are_refused_by_name():
    model = C45Classifier().fit(load_iris(as_frame=True).data, load_iris().target)
    rows = load_iris(as_frame=True).data.copy()
    rows.iloc[3, 3] = np.nan
    with pytest.raises(ValueError, match="'petal width \\(cm\\)' has missing values"):
        to_rules(model).predict(rows)
    rows = load_iris(as_frame=True).data.copy()
    rows.iloc[3, 0] = np.nan  # no rule asks for it
    assert len(to_rules(model).predict(rows)) == len(rows)


def check_lines(rules):
    lines = str(rules).split("\n")
    assert [line.split(". ")[0] for line in lines] == [str(i + 1) for i in range(len(rules))]
    assert lines[-1].startswith(f"{len(rules)}. otherwise: ")


def test_the_text_of_a_tree_is_one_line_a_rule_whatever_the_names(tree):
    check_lines(to_rules(tree, missing="majority"))


def test_the_text_of_planes_is_one_line_a_rule_whatever_the_names(planes):
    check_lines(to_rules(planes))


def test_planes_have_no_counts():
    model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    assert str(to_rules(model)) == "1. if x0 > 1.5: b 81.6%\n2. otherwise: a 81.6%"
    assert to_rules(model).rules[0].weight is None


def test_rules_say_the_probabilities_that_the_text_of_the_tree_says():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    said = re.findall(r": (\d \S+%) \((\d+) rows", model.to_text())
    rules = re.findall(r": (\d \S+%) \((\d+) rows", str(to_rules(model)))
    assert len(said) == len(rules) == model.n_leaves_
    assert sorted(said) == sorted(rules)


def test_the_probability_of_a_merged_rule_is_the_mean_of_its_leaves():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = C45Classifier(prune=False, min_cases=1, smoothing="laplace").fit(X, y > 0)
    rules = to_rules(model)
    assert len(rules) == 2
    leaf = model.apply(X)
    of_leaf = model.tree_.leaf_probabilities[leaf, (y > 0).astype(int)]
    for number, rule in enumerate(rules.rules):
        assert rule.probability == pytest.approx(of_leaf[rules.apply(X) == number].mean())


def test_categories_of_no_branch_need_the_majority(with_strays):
    frame = odd_table(1000, seed=8, missing=0.1)
    with pytest.raises(ValueError, match="down every branch in part"):
        to_rules(with_strays)
    rules = to_rules(with_strays, missing="majority")
    assert np.array_equal(rules.predict(frame), heaviest_way(with_strays, frame))
