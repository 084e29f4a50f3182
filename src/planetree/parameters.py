"""What a parameter may be, and the error that says so.

An estimator is a dataclass that states each of its parameters once, with its type, its default and
what it may be:

    weighting: str = parameter("class", choice("class", "uniform"))
    time_limit: float | None = parameter(None, optional(SECONDS))

`check_parameters(self)`, where its `fit` begins, refuses a value that is none of these in the words
of scikit-learn, with the parameter, its owner, what is allowed and what was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier


class Allowed(NamedTuple):
    """What a value may be: in words, and as a test."""

    words: str
    holds: Callable[[Any], bool]


def count(least: int = 1, most: int | None = None) -> Allowed:
    """Whole number from `least` on, to `most` if that is given.

    Examples
    --------
    >>> from planetree.parameters import count
    >>> count(2).words, count(2).holds(3), count(2).holds(2.5), count(0).holds(True)
    ('a whole number of at least 2', True, False, False)
    """
    ends = f"of at least {least}" if most is None else f"from {least} to {most}"
    return Allowed(
        f"a whole number {ends}", lambda value: _is_whole(value) and _is_within(value, least, most)
    )


def number(
    least: float | None = None, most: float | None = None, *, above: float | None = None
) -> Allowed:
    """Finite number from `least` to `most`, or one greater than `above`.

    Examples
    --------
    >>> from planetree.parameters import number
    >>> number(0, 1).words, number(above=0).words, number(0).holds(float("inf"))
    ('a number from 0 to 1', 'a number above 0', False)
    >>> number(above=0, most=1).words
    'a number above 0 and at most 1'
    """
    to = "to" if least is not None else "and at most" if above is not None else "at most"
    parts = [("of at least" if most is None else "from", least), ("above", above), (to, most)]
    words = " ".join(["a number", *(f"{word} {end}" for word, end in parts if end is not None)])

    def holds(value: Any) -> bool:
        is_above = above is None or (_is_number(value) and value > above)
        return _is_number(value) and _is_within(value, least, most) and is_above

    return Allowed(words, holds)


def share(*, zero: bool = False, one: bool = False) -> Allowed:
    """Number between 0 and 1; the ends belong to it if asked.

    Examples
    --------
    >>> from planetree.parameters import share
    >>> share().words, share(zero=True).words
    ('a number between 0 and 1', 'a number between 0 and 1, 0 included')
    """
    ends = " and ".join(end for end, included in (("0", zero), ("1", one)) if included)
    words = "a number between 0 and 1" + (f", {ends} included" if ends else "")

    def holds(value: Any) -> bool:
        return _is_number(value) and (
            0 < value < 1 or (zero and value == 0) or (one and value == 1)
        )

    return Allowed(words, holds)


def choice(*values: Any) -> Allowed:
    """One of some values.

    Examples
    --------
    >>> from planetree.parameters import choice
    >>> choice("class", "uniform").words
    "'class' or 'uniform'"
    """
    words = [repr(value) for value in values]
    listed = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    def holds(value: Any) -> bool:
        return any(type(value) is type(each) and value == each for each in values)

    return Allowed(listed, holds)


def flag() -> Allowed:
    """True or False."""
    return Allowed("True or False", lambda value: isinstance(value, bool | np.bool_))


def classifier() -> Allowed:
    """Classifier of scikit-learn's kind, not its class."""
    return Allowed(
        "a classifier",
        lambda value: (
            hasattr(value, "get_params") and not isinstance(value, type) and is_classifier(value)
        ),
    )


def either(*allowed: Allowed) -> Allowed:
    """Whatever one of several allows."""
    words = " or ".join(each.words for each in allowed)
    return Allowed(words, lambda value: any(each.holds(value) for each in allowed))


def optional(allowed: Allowed) -> Allowed:
    """None, or what is allowed.

    Examples
    --------
    >>> from planetree.parameters import count, optional
    >>> optional(count(1)).words
    'a whole number of at least 1 or None'
    """
    return either(allowed, Allowed("None", lambda value: value is None))


SECONDS = number(above=0)._replace(words="a number of seconds above 0")
GAP_FILLING = choice("refuse", "impute")  # what is done with missing values


def parameter(default: Any, allowed: Allowed) -> Any:
    """Field of an estimator for a parameter: its default, and what it may be."""
    return field(default=default, metadata={"allowed": allowed})


def check_argument(name: str, value: Any, allowed: Allowed, owner: str = "") -> None:
    """Raise ValueError unless a value is allowed.

    Examples
    --------
    >>> from planetree.parameters import check_argument, choice
    >>> check_argument("dialect", "basic", choice("sqlite", "duckdb"))
    Traceback (most recent call last):
    ValueError: The 'dialect' parameter must be 'sqlite' or 'duckdb'. Got 'basic' instead.
    """
    if not allowed.holds(value):
        of = f" of {owner}" if owner else ""
        raise ValueError(
            f"The {name!r} parameter{of} must be {allowed.words}. Got {value!r} instead."
        )


def check_parameters(estimator: Any, /, **more: Allowed) -> None:
    """Raise ValueError for the first parameter of an estimator that is not what it may be.

    That is what its fields declare, or what is given `more` for some of them.
    """
    kind: Any = type(estimator)  # mypy holds a type to be not hashable
    for name, each in (_declared(kind) | more).items():
        check_argument(name, getattr(estimator, name), each, type(estimator).__name__)


@cache
def _declared(kind: type) -> dict[str, Allowed]:
    """What the fields of a class of estimators may be."""
    declared = fields(kind) if is_dataclass(kind) else ()
    return {each.name: each.metadata["allowed"] for each in declared if each.metadata}


def listed(values: Iterable[Any], limit: int = 12, text: Callable[[Any], str] = repr) -> str:
    """Values for a message, at most `limit` of them.

    Examples
    --------
    >>> from planetree.parameters import listed
    >>> listed("abc"), listed(range(4), limit=2)
    ("'a', 'b', 'c'", '0, 1 and 2 more')
    """
    values = list(values)
    more = f" and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(map(text, values[:limit])) + more


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_number(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _is_within(value: Any, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
