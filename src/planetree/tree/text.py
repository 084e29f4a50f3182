"""Trees in words: in sentences, and in the form that users of C4.5 know.

Sentences have names, the user's units, and the terms that count most first:

    if 2 petal width - 0.3 sepal width > 1.6 (unsure between 1.4 and 1.8): virginica 98.4% (50 rows)
    otherwise:
        scores (unsure where the two largest differ by less than 0.3)
            (1) 1.2 petal length - 3
            (2) -1.2 petal length + 5
            (3) 0.4 sepal width + 0
        if score (1) is the largest: versicolor 98.1% (47 rows)
        ...

Who takes the ways that hold finds the class of `predict`, unless `grading="soft"`. The percentage
is the probability of the class in the leaf, far from where any decision on the way is unsure. In
brackets stand the training weight of a leaf and the weight of those it is wrong for. The form of
C4.5 tests one column at a time, and its errors, after the stroke, are those that pruning expects:

    petal_width <= 0.6 : setosa (50.0/1.4)
    petal_width > 0.6 :
    |   petal_width <= 1.7 : versicolor (54.0/6.8)
    |   petal_width > 1.7 : virginica (46.0/2.6)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planetree.planes import Among, Split
from planetree.table import Column
from planetree.tree.tree import Tree
from planetree.words import Wording, printable, probability_text


def to_sentences(tree: Tree, classes: Sequence[Any], wording: Wording, graded: bool = True) -> str:
    """Say the decisions of a tree one after the other.

    Parameters
    ----------
    tree : Tree
    classes : sequence
        Names of the classes.
    wording : Wording
        Names of columns, and digits.
    graded : bool
        Whether to say where decisions are unsure, and probabilities of leaves.
    """
    lines: list[str] = []
    pending = [(0, "", 0)]
    while pending:
        depth, opening, node = pending.pop()
        split = tree.splits[node]
        if split is None:
            lines.append("    " * depth + opening + _leaf(tree, node, classes, graded))
            continue
        if opening:
            lines.append("    " * depth + opening.rstrip())
            depth += 1
        words, children = wording.decision(split), tree.children_of(node).tolist()
        words = words if graded else words._replace(unsure="")
        lines.extend("    " * depth + line for line in words.preface)
        pending.extend((depth, begun, children[b]) for b, begun in reversed(words.openings))
    return "\n".join(lines)


def _leaf(tree: Tree, node: int, classes: Sequence[Any], graded: bool) -> str:
    weight, label = tree.weights[node], tree.predicted[node]
    errors = weight - tree.class_weights[node, label] if weight > 0 else 0.0
    wrong = f", {count_text(errors)} wrong" if errors > 1e-6 * weight else ""
    said = printable(classes[label])
    if graded and tree.leaf_probabilities is not None:
        said += f" {probability_text(tree.leaf_probabilities[node, label])}"
    return f"{said} ({rows_text(weight)}{wrong})"


def count_text(weight: float) -> str:
    """A number of rows, or their weight with one digit where they count in part.

    Examples
    --------
    >>> from planetree.tree.text import count_text
    >>> count_text(1234567.0), count_text(61.7778)
    ('1234567', '61.8')
    """
    whole = abs(weight - round(weight)) <= 1e-6 * max(1.0, abs(weight))
    return f"{weight:.0f}" if whole else f"{weight:.1f}" if weight >= 0.1 else f"{weight:.1g}"


def rows_text(weight: float) -> str:
    """How many rows there are or, where some count in part or by a weight, what they weigh.

    Examples
    --------
    >>> from planetree.tree.text import rows_text
    >>> rows_text(1.0), rows_text(61.7778)
    ('1 row', 'weight 61.8')
    """
    count = count_text(weight)
    return (
        f"weight {count}" if "." in count else f"{count} row" if count == "1" else f"{count} rows"
    )


def to_c45_text(tree: Tree, columns: Sequence[Column], classes: Sequence[Any]) -> str:
    """Print a tree whose decisions test one column each.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
        Names and categories.
    classes : sequence
        Names of the classes.
    """
    wording, lines = Wording(columns), []
    pending = [(-1, "", 0)]
    while pending:
        depth, test, node = pending.pop()
        split, indent = tree.splits[node], "|   " * max(depth, 0)
        if test or split is None:
            ends = "" if split is not None else _c45_leaf(tree, node, classes)
            lines.append(f"{indent}{test}{ends}")
        if split is not None:
            ways = list(enumerate(tree.children_of(node).tolist()))
            tests = ((depth + 1, _c45_test(split, b, wording), child) for b, child in ways[::-1])
            pending.extend(tests)
    return "\n".join(lines)


def _c45_test(split: Split, branch: int, wording: Wording) -> str:
    side = split.side(branch)
    if not isinstance(side, Among):
        return f"{wording.test(side.patterns()[0][0])} :"
    taken = [wording.categories(side.column, [code]) for code in side.codes]
    among = f"= {taken[0]}" if len(taken) == 1 else f"in {{{', '.join(taken)}}}"
    return f"{wording.name(side.column)} {among} :"


def _c45_leaf(tree: Tree, node: int, classes: Sequence[Any]) -> str:
    errors = f"/{tree.errors[node]:.1f}" if tree.errors[node] > 0 else ""
    return f" {printable(classes[tree.predicted[node]])} ({tree.weights[node]:.1f}{errors})"
