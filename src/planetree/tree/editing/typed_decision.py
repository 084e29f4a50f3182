"""Decisions as a person gives them: typed, by columns, by weights, by categories.

    "age > 50"                            a cut
    "2 age - 0.5 dose <= 1.25"            a plane; also as the tree prints it
    "color is red or blue"                a grouping of categories
    {"color": ["red", "blue"]}            the same
    ({"age": 2, "dose": -0.5}, 1.25)      a plane
    {"age": 2, "dose": -0.5}              its weights; the threshold is to be found
    "age", ["age", "dose"]                columns; weights and threshold are to be found

`x > t` and `x <= t` are the two answers to one question, and so are `x >= t` and `x < t`: what is
typed names the decision, and rows for which it holds and those for which it does not take the two
branches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from planetree.planes import Categories, Planes, Split
from planetree.table import Column, column_number
from planetree.words import printable

_SIGNS = re.compile(r"\s(<=|>=|<|>|≤|≥)\s*(\S+)\s*$")
_NUMBER = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\s*\*?\s*")


class _DecisionRequest(NamedTuple):
    """What a person asks for: a decision, or the columns or weights that one is to be found for.

    Parameters
    ----------
    split : Planes, Categories or None
    columns : frozenset of int
        Where `split` is None: those that the decision is to read.
    finds_threshold : bool
        Whether the threshold of `split` is to be found.
    """

    split: Split | None
    columns: frozenset[int] = frozenset()
    finds_threshold: bool = False


def column_set(given: Any, columns: Sequence[Column]) -> frozenset[int]:
    """Numbers of a column or of several, by names or numbers."""
    one = isinstance(given, (str, int, np.integer))
    names = [column.name for column in columns]
    found = frozenset(column_number(each, names, "columns") for each in ([given] if one else given))
    if not found:
        raise ValueError("columns names no column. Name at least one.")
    return found


def decision_request(given: Any, columns: Sequence[Column]) -> _DecisionRequest:
    """Read a decision that a person gives.

    Examples
    --------
    >>> from planetree.table import Column
    >>> from planetree.tree.editing.typed_decision import decision_request
    >>> asked = decision_request("age > 50", [Column("age"), Column("dose")])
    >>> asked.split.columns, asked.split.offsets
    (array([0]), array([50.]))
    >>> sorted(decision_request(["dose", "age"], [Column("age"), Column("dose")]).columns)
    [0, 1]
    """
    names = [column.name for column in columns]
    if isinstance(given, (Planes, Categories)):
        return _DecisionRequest(given)
    if isinstance(given, str) and given not in names:
        return _DecisionRequest(_typed(given, columns))
    if isinstance(given, Mapping):
        return _mapped(given, columns)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Mapping):
        asked = _mapped(given[0], columns)
        if not isinstance(asked.split, Planes):
            raise ValueError(f"{given!r}: categories have no threshold.")
        return _DecisionRequest(_plane(asked.split, _finite(given[1], "The threshold")))
    return _DecisionRequest(None, column_set(given, columns))


def _plane(weights: Planes, threshold: float) -> Planes:
    return Planes(weights.weights, [threshold], "slabs", weights.columns, weights.categories)  # type: ignore[arg-type]


def _mapped(given: Mapping[Any, Any], columns: Sequence[Column]) -> _DecisionRequest:
    """Weights of columns, or categories of one column."""
    if not given:
        raise ValueError("The decision names no column.")
    names = [column.name for column in columns]
    numbered = {column_number(key, names, "The decision"): value for key, value in given.items()}
    if any(columns[j].categories is not None for j in numbered):
        if len(numbered) > 1:
            raise ValueError(
                f"{dict(given)!r} mixes categories with other columns. Type such a sum, with "
                "[column is category] for a term."
            )
        ((column, values),) = numbered.items()
        listed = [values] if isinstance(values, str) or not _is_iterable(values) else list(values)
        return _DecisionRequest(_grouping(column, listed, columns))
    terms = {(j, -1): _finite(w, f"The weight of {names[j]!r}") for j, w in numbered.items()}
    return _DecisionRequest(_sum(terms, 0.0), finds_threshold=True)


def _is_iterable(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, np.ndarray))


def _finite(value: Any, what: str) -> float:
    if isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value)):
        return float(value)
    raise ValueError(f"{what} must be a finite number, but it is {value!r}.")


def _sum(terms: Mapping[tuple[int, int], float], offset: float) -> Planes:
    """Plane of terms with weights that are not 0."""
    used = {term: weight for term, weight in terms.items() if weight != 0}
    if not used:
        raise ValueError("All weights of the decision are 0.")
    read, categories = zip(*used, strict=True)
    weights, offsets = np.array([list(used.values())]), np.array([offset])
    return Planes(weights, offsets, "slabs", np.array(read), np.array(categories))


def _grouping(column: int, values: Sequence[Any], columns: Sequence[Column]) -> Categories:
    """Some categories of a column on the upper branch, the others on the lower."""
    held = columns[column]
    if held.categories is None:
        raise ValueError(f"{held.name!r} holds numbers. Compare it: '{held.name} > 1'.")
    known = {printable(each): code for code, each in enumerate(held.categories)}
    branches = np.zeros(len(known), dtype=np.intp)
    for value in values:
        if printable(value) not in known:
            raise ValueError(f"{held.name!r} has no category {value!r}; it has {list(known)}.")
        branches[known[printable(value)]] = 1
    if branches.all() or not branches.any():
        raise ValueError(f"All categories of {held.name!r} are on one side. Name some of them.")
    return Categories(column, branches)


def _typed(text: str, columns: Sequence[Column]) -> Split:
    """Decision of a line of text."""
    grouping = _typed_grouping(text.strip(), columns)
    if grouping is not None:
        return grouping
    found = _SIGNS.search(text)
    if found is None:
        names = [column.name for column in columns]
        raise ValueError(
            f"{text!r} is not a decision and names no column. Type 'column > number', "
            f"'2 column + 3 other > number' or 'column is category'. The columns are {names}."
        )
    sign, number = found.groups()
    try:
        threshold = _finite(float(number), "The threshold")
    except ValueError as error:
        raise ValueError(f"{text!r} compares with {number!r}, which is not a number.") from error
    plane = _sum(_typed_terms(text[: found.start()], columns, text), threshold)
    if sign in (">", "<=", "≤"):
        return plane
    return Planes(-plane.weights, -plane.offsets, "slabs", plane.columns, plane.categories)


def _typed_grouping(text: str, columns: Sequence[Column]) -> Categories | None:
    """Categories of 'column is a or b', 'column is not a', 'column in a, b'; None if not such."""
    for j in sorted(range(len(columns)), key=lambda j: -len(str(columns[j].name))):
        name, held = printable(columns[j].name), columns[j].categories
        rest = text.removeprefix(name)
        match = re.match(r"\s+(is not|is|in)\s+(.+)$", rest) if rest != text else None
        if match is None or held is None:
            continue
        sense, listed = match.groups()
        known = {printable(each) for each in held}
        values = [listed] if listed in known else re.split(r"\s+or\s+|\s*,\s*", listed)
        if sense != "is not":
            return _grouping(j, values, columns)
        split = _grouping(j, values, columns)
        return Categories(j, 1 - split.branches)
    return None


def _typed_terms(text: str, columns: Sequence[Column], whole: str) -> dict[tuple[int, int], float]:
    """Weights of the terms of a sum."""
    names = _term_names(columns)
    terms: dict[tuple[int, int], float] = {}
    rest = text.strip()
    while rest:
        sign = re.match(r"[+-]\s*", rest)
        factor = -1.0 if sign and sign[0].startswith("-") else 1.0
        if terms and not sign:
            raise ValueError(f"{whole!r}: expected + or - before {rest!r}.")
        rest = rest[sign.end() :] if sign else rest
        size, name = _sized_name(rest, names)
        if name is None:
            listed = [column.name for column in columns]
            raise ValueError(f"{whole!r}: {rest!r} names no column. The columns are {listed}.")
        rest = rest[size[1] :][len(name) :].strip()
        terms[names[name]] = terms.get(names[name], 0.0) + factor * size[0]
    if not terms:
        raise ValueError(f"{whole!r} names no column.")
    return terms


def _term_names(columns: Sequence[Column]) -> dict[str, tuple[int, int]]:
    """What terms are called: columns of numbers, and [column is category]; the longest first."""
    found = {}
    for j, column in enumerate(columns):
        name = printable(column.name)
        if column.categories is None:
            found[name] = (j, -1)
        for code, category in enumerate(column.categories or ()):
            found[f"[{name} is {printable(category)}]"] = (j, code)
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def _sized_name(
    text: str, names: Mapping[str, tuple[int, int]]
) -> tuple[tuple[float, int], str | None]:
    """Weight, where it ends, and the name that follows; a name that begins with digits is one."""
    number = _NUMBER.match(text)
    for size in ((1.0, 0), (float(number[1]), number.end()) if number else None):
        if size is not None:
            rest = text[size[1] :]
            for name in names:
                if rest.startswith(name) and re.match(r"\s|$|[+-]", rest[len(name) :]):
                    return size, name
    return (1.0, 0), None
