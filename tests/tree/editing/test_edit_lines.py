"""A line of text is one call of the editor; one that says nothing is refused with what to say."""

from types import SimpleNamespace

import numpy as np
import pytest

from planetree.exceptions import MethodError
from planetree.tree.editing.edit_lines import apply_edit


class Calls:
    """An editor that writes down what it is asked for."""

    def __init__(self, names=("age", "dose", "a, b"), classes=(0, 1)):
        columns = [SimpleNamespace(name=name) for name in names]
        self.model_ = SimpleNamespace(columns_=columns, classes_=np.array(classes))
        self.calls = []

    def alternatives(self, node):
        return [f"first of {node}", f"second of {node}"]

    def __getattr__(self, name):
        return lambda *given, **named: self.calls.append((name, *given, *named.values()))


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("replace 0: age > 50", ("replace", 0, "age > 50", "grow")),
        (" replace 12, keep: age > 50 ", ("replace", 12, "age > 50", "keep")),
        ("split 0: age, dose", ("replace", 0, ["age", "dose"], "grow")),
        ("split 0: a, b", ("replace", 0, ["a, b"], "grow")),
        ("take 3: 2", ("replace", 3, "second of 3", "grow")),
        ("close 3", ("close", 3)),
        ("grow 3", ("grow", 3)),
        ("lock 3", ("lock", 3)),
        ("unlock 3", ("unlock", 3)),
        ("relabel 3: 1", ("relabel", 3, 1)),
        ("relabel 3: other", ("relabel", 3, "other")),
        ("forbid: age, dose", ("forbid", ["age", "dose"], None)),
        ("forbid 3: age", ("forbid", ["age"], 3)),
    ],
)
def test_a_line_is_one_call(line, call):
    editor = Calls()
    apply_edit(editor, line)
    assert editor.calls == [call]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "is not an edit"),
        ("close", "names no node"),
        ("close 3: now", "is not an edit"),
        ("paint 3", "is not an edit"),
        ("take 3: two", "is not an edit"),
        ("take 3: 9", "has 2 alternatives, so there is no number 9"),
        ("take 3: 0", "there is no number 0"),
    ],
)
def test_a_line_that_is_no_edit_is_refused_and_calls_nothing(line, says):
    editor = Calls()
    with pytest.raises(MethodError, match=says):
        apply_edit(editor, line)
    assert editor.calls == []
