"""A model as an ordered list of rules: the first whose conditions hold answers.

The rules of a tree are its leaves, subtree after subtree, the largest of each decision last. Three
simplifications change no answer:

- a row that comes to the last subtree took no other branch, so its rules need not ask again, and
  the last rule of all asks nothing;
- of conditions on the same sum, or the same category, only the narrowest is kept;
- a rule whose successor has the same label and asks no more is merged into it.

Rules are worded as the model's own text has it: where that rounds weights to few digits so do they,
though they answer by the weights of the model. Of a graded model they are the *way* that a reader
of its text takes, by the signs of the scores, and the percentage after a label is the probability
of the label in the leaf; near a threshold `predict_proba` tells less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.convert.plan import Formula, Plan, plan_of
from planetree.planes import NEW, Among, Categories, HalfSpace, Pattern, Test
from planetree.separators.base import missing_line
from planetree.table import Column, Table
from planetree.tree.text import rows_text
from planetree.words import Wording, printable, probability_text


@dataclass(frozen=True)
class _Condition:
    """A formula that a row satisfies; if it lacks a column of `needs`, where `or_missing`.

    `printed` is the formula with the numbers that the model's text has.
    """

    formula: Formula
    needs: tuple[int, ...]
    or_missing: bool = False
    printed: Formula = field(default=(), compare=False)

    def holds(self, X: Floats) -> Mask:
        """Whether each row satisfies it."""
        found = np.zeros(len(X), dtype=bool)
        for alternative in self.formula:
            found |= np.all([test.holds(X) for test in alternative], axis=0)
        missing = np.isnan(X[:, list(self.needs)]).any(axis=1)
        return np.where(missing, self.or_missing, found)


class Rule(NamedTuple):
    """Conditions that all hold, and what follows.

    `weight` is the training weight of the rows that the rule answers, and `confidence` the share of
    it that has the label; None where the model keeps no count. `probability` is that of the label
    in the leaf, the mean of several leaves; None where leaves have none but these shares.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.convert import to_rules
    >>> model = C45Classifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> rule, otherwise = to_rules(model).rules
    >>> len(rule.conditions), rule.confidence, otherwise.conditions
    (1, 1.0, ())
    """

    conditions: tuple[_Condition, ...]
    label: Any
    weight: float | None
    confidence: float | None
    probability: float | None = None


@dataclass(frozen=True, eq=False)
class RuleList:
    """Rules in the order in which they are asked; the last one has no conditions.

    Parameters
    ----------
    rules : tuple of Rule
    columns : tuple of Column
        Names and categories of the columns.
    majority : bool
        Whether missing values are answered; otherwise rows must have every value that is asked for.
    divided : tuple of int
        Columns with a division of categories, of which training must have had each unless
        `majority`.
    wording : Wording, optional
        How the rules are worded: as the model's text is.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.convert import to_rules
    >>> model = C45Classifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> rules = to_rules(model)
    >>> len(rules), rules.predict([[2.5]]).tolist()
    (2, ['b'])
    """

    rules: tuple[Rule, ...]
    columns: tuple[Column, ...]
    majority: bool = False
    wording: Wording | None = None
    divided: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return self.to_text()

    def apply(self, X: Any) -> Indices:
        """Number of the rule that answers each row, counting from 0."""
        rows = Table.read(X, self.columns, owner="RuleList").values
        self._refuse_missing(rows)
        found = np.full(len(rows), len(self.rules) - 1)
        left = np.arange(len(rows))
        for number, rule in enumerate(self.rules[:-1]):
            held = np.all([condition.holds(rows[left]) for condition in rule.conditions], axis=0)
            found[left[held]] = number
            left = left[~held]
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of the first rule that holds for each row: the class at the end of its way.

        It is what the model predicts, unless that was fitted with `grading="soft"`.
        """
        labels = np.array([rule.label for rule in self.rules])
        return labels[self.apply(X)]

    def to_text(self, digits: int | None = None) -> str:
        """Rules in words, one a line.

        Parameters
        ----------
        digits : int, optional
            Significant digits of the numbers; by default as in the text of the model.
        """
        lines = []
        for number, rule in enumerate(self.rules, 1):
            asked = " and ".join(self.condition_texts(rule, digits))
            head = f"if {asked}" if asked else "otherwise"
            lines.append(f"{number}. {head}: {printable(rule.label)}{_figures(rule)}")
        wording = self.wording or Wording(self.columns)
        return "\n".join([*lines, *missing_line(wording, self._read())])

    def _read(self) -> list[int]:
        """The columns that some condition asks for."""
        conditions = (each for rule in self.rules for each in rule.conditions)
        tests = (t for each in conditions for pattern in each.formula for t in pattern)
        read = ({t.column} if isinstance(t, Among) else {j for j, _ in t.terms} for t in tests)
        return sorted(set().union(*read))

    def condition_texts(self, rule: Rule, digits: int | None = None) -> list[str]:
        """Conditions of a rule in words."""
        wording = self.wording or Wording(self.columns)
        if digits is not None:
            wording = replace(wording, digits=digits)
        found = []
        for each in rule.conditions:
            missing = each.needs if each.or_missing else ()
            patterns = [p for p in each.printed or each.formula if not (missing and _is_empty(p))]
            words = wording.formula(patterns, missing)
            found.append(f"({words})" if missing and len(rule.conditions) > 1 else words)
        return found

    def _refuse_missing(self, rows: Floats) -> None:
        needs = {j for rule in self.rules for each in rule.conditions for j in each.needs}
        lacking = np.zeros(rows.shape, dtype=bool)
        lacking[:, sorted(needs)] = np.isnan(rows[:, sorted(needs)])
        lacking[:, list(self.divided)] |= rows[:, list(self.divided)] < 0
        if lacking.any() and not self.majority:
            name = self.columns[int(np.argmax(lacking.any(axis=0)))].name
            raise ValueError(
                f"Column {name!r} has missing values, or categories that training did not have. "
                "Rules cannot express what the model does with them. Use to_rules(model, "
                "missing='majority'), which sends them where most training rows went."
            )


def to_rules(model: Any, *, missing: str | None = None) -> RuleList:
    """Say a fitted model as an ordered list of rules with counts.

    Parameters
    ----------
    model : fitted separator or tree
    missing : {"majority"}, optional
        By default the rules are for rows without missing values; "majority" has these take the
        branch of most training rows.

    Returns
    -------
    RuleList

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import C45Classifier
    >>> from planetree.convert import to_rules
    >>> iris = load_iris(as_frame=True)
    >>> model = C45Classifier(confidence=0.05).fit(iris.data, iris.target_names[iris.target])
    >>> print(to_rules(model))
    1. if petal width (cm) <= 0.6: setosa (50 rows, 100% right)
    2. if petal width (cm) > 1.7: virginica (46 rows, 97.8% right)
    3. if petal length (cm) > 4.9: virginica (6 rows, 66.7% right)
    4. otherwise: versicolor (48 rows, 97.9% right)
    """
    plan = plan_of(model, missing)
    if missing is None:
        plan.refuse_strays("which rules cannot express. Pass missing='majority'.")
    rules: list[Rule] = []
    for leaf, conditions in _ways(plan):
        narrowed = _narrow(conditions)
        if narrowed is not None:
            _append(rules, Rule(narrowed, plan.label(leaf), *_figures_of(plan, leaf)))
    fitted = plan.fitted
    splits = [split for split in fitted.tree.splits if isinstance(split, Categories)]
    divided = tuple(sorted({split.column for split in splits}))
    return RuleList(tuple(rules), fitted.columns, missing == "majority", fitted.wording, divided)


def _ways(plan: Plan) -> Iterator[tuple[int, list[_Condition]]]:
    """Each leaf with what must be asked, given that those before it did not answer."""
    order, conditions = cache(plan.asked), cache(lambda *step: _conditions(plan, *step))
    for leaf, way in plan.fitted.tree.ways(order):
        asked = (step for step in way if step[1] != order(step[0])[-1])
        yield leaf, [condition for step in asked for condition in conditions(*step)]


def _conditions(plan: Plan, node: int, branch: int) -> list[_Condition]:
    """What a row must satisfy to take a branch; tests that must all hold stand for themselves."""
    decision, split = plan.decisions[node], plan.fitted.printed_splits[node]
    assert split is not None
    heaviest = plan.missing == "majority" and plan.heaviest(node) == branch
    formula, printed = decision.branches[branch], split.side(branch).patterns()
    if heaviest and decision.strays:
        (strays,) = decision.strays
        codes = formula[0][0].codes if formula else ()  # type: ignore[union-attr]
        among = Among(strays.column, tuple(sorted({*codes, *strays.codes})))
        formula = printed = ((among,),)
    if [len(each) for each in printed] != [len(each) for each in formula]:
        printed = formula
    if len(formula) != 1:
        return [_Condition(formula, decision.needs, heaviest, printed)]
    found = []
    for test, words in zip(formula[0], printed[0], strict=True):
        kept = _as_category(test, plan.fitted.columns)
        as_printed = kept if isinstance(kept, Among) else words
        found.append(_Condition(((kept,),), decision.needs, heaviest, ((as_printed,),)))
    return found


def _is_empty(pattern: Pattern) -> bool:
    """Whether it asks for one of no categories."""
    return any(isinstance(test, Among) and not test.codes for test in pattern)


def _as_category(test: Test, columns: Sequence[Column]) -> Test:
    """A comparison of one category with its offset, as the categories that satisfy it."""
    if isinstance(test, Among) or len(test.terms) != 1 or test.terms[0][1] < 0:
        return test
    column, category = test.terms[0]
    there, elsewhere = test.weights[0] > test.offset, test.offset < 0.0
    codes = range(NEW, len(columns[column].categories or ()))
    held = [c for c in codes if (there if c == category else elsewhere) == test.above]
    return Among(column, tuple(held))


def _narrow(conditions: Iterable[_Condition]) -> tuple[_Condition, ...] | None:
    """Conditions of which none follows from another; None if no row satisfies them all."""
    found: dict[Any, _Condition] = {}
    for condition in conditions:
        key = _subject(condition)
        other = found.get(key)
        found[key] = condition if other is None else _both(condition, other)
    return None if _contradicts(found) else tuple(found.values())


def _subject(condition: _Condition) -> Any:
    """What a condition is about: those about the same can be told as one."""
    if len(condition.formula) != 1:
        return condition.formula, condition.needs
    ((test,),) = condition.formula
    if isinstance(test, Among):
        return "category", test.column, condition.needs
    return test.terms, test.weights, test.above, condition.needs


def _both(condition: _Condition, other: _Condition) -> _Condition:
    """One condition for two that are about the same."""
    or_missing = condition.or_missing and other.or_missing
    if len(condition.formula) != 1:
        return replace(condition, or_missing=or_missing)
    ((test,),), ((known,),) = condition.formula, other.formula
    if isinstance(test, Among) and isinstance(known, Among):
        codes = tuple(code for code in test.codes if code in known.codes)
        formula = ((test._replace(codes=codes),),)
        return _Condition(formula, condition.needs, or_missing, formula)
    assert isinstance(test, HalfSpace)
    assert isinstance(known, HalfSpace)
    farther = test.offset > known.offset if test.above else test.offset < known.offset
    return replace(condition if farther else other, or_missing=or_missing)


def _contradicts(found: dict[Any, _Condition]) -> bool:
    """Whether no category is left, or a sum should be above one offset and below a lower one."""
    for key, condition in found.items():
        if len(condition.formula) != 1 or condition.or_missing:
            continue
        ((test,),) = condition.formula
        if isinstance(test, Among):
            if not test.codes:
                return True
        elif test.above and (below := found.get((*key[:2], False, key[3]))) is not None:
            ((limit,),) = below.formula
            assert isinstance(limit, HalfSpace)
            if limit.offset <= test.offset:
                return True
    return False


def _append(rules: list[Rule], rule: Rule) -> None:
    """Add a rule, and merge those before it that say the same and ask for more."""
    while rules and rules[-1].label == rule.label and _follows(rule, rules[-1]):
        rule = _added(rules.pop(), rule)
    rules.append(rule)


def _follows(rule: Rule, other: Rule) -> bool:
    """Whether a row that satisfies the other rule's conditions satisfies this rule's."""
    together = _narrow((*other.conditions, *rule.conditions))
    return together is not None and set(together) == set(other.conditions)


def _added(one: Rule, other: Rule) -> Rule:
    """The other rule with the figures of the rows of both."""
    if one.weight is None or other.weight is None:
        return other  # leaves of a separator are equally pure
    weights = one.weight, other.weight
    return other._replace(
        weight=sum(weights),
        confidence=_mean(weights, (one.confidence, other.confidence)),
        probability=_mean(weights, (one.probability, other.probability)),
    )


def _mean(weights: tuple[float, float], values: tuple[float | None, float | None]) -> float | None:
    """Weighted mean of the values that are known."""
    known = [(w, v) for w, v in zip(weights, values, strict=True) if v is not None and w > 0]
    total = sum(w for w, _ in known)
    return sum(w * v for w, v in known) / total if known else values[1]


def _figures_of(plan: Plan, leaf: int) -> tuple[float | None, float | None, float | None]:
    """Training weight of a leaf, the share of it with the leaf's label, and its probability."""
    tree, code = plan.fitted.tree, plan.fitted.codes[leaf]
    probability = (
        None if tree.leaf_probabilities is None else float(tree.leaf_probabilities[leaf, code])
    )
    if not tree.weights[0] > 0:
        return None, None, probability
    weight = float(tree.weights[leaf])
    right = float(tree.class_weights[leaf, code])
    return weight, right / weight if weight > 0 else None, probability


def _figures(rule: Rule) -> str:
    probability = "" if rule.probability is None else f" {probability_text(rule.probability)}"
    if rule.weight is None:
        return probability
    right = "" if rule.confidence is None else f", {100 * rule.confidence:.3g}% right"
    return f"{probability} ({rows_text(rule.weight)}{right})"
