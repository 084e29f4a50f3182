"""Columns of which more may only raise, or only lower, the share of some classes.

Of two classes these are `classes_[1]`, and a sign for each column says all. Of more, a column has a
pair: its sign, and the classes whose share it is about, the same for all columns of a tree.

The share of some classes rises exactly where that of all others falls, so the classes never include
the first: where they would, the others take their place and the signs turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.statistics import ShareBounds, with_share
from planetree.table import Canonical, column_values


class MonotonicShare(NamedTuple):
    """Signs of columns, and the classes whose share they are about.

    Parameters
    ----------
    signs : array of shape (n_columns,)
        1 where more of a column may only raise the share, -1 where it may only lower it, else 0.
    classes : boolean array of shape (n_classes,)

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.constraints.monotonic_share import MonotonicShare
    >>> share = MonotonicShare(np.array([1.0, 0.0]), np.array([True, False, False]))
    >>> share.without_first()
    MonotonicShare(signs=array([-1.,  0.]), classes=array([False,  True,  True]))
    >>> share.of(np.array([3.0, 0.0, 1.0]))
    0.75
    """

    signs: Floats
    classes: Mask

    def without_first(self) -> MonotonicShare:
        """The same of classes without the first."""
        if not self.classes[0]:
            return self
        return MonotonicShare(-self.signs + 0.0, ~self.classes)

    @property
    def holds(self) -> bool:
        """Whether any column has a sign."""
        return bool(self.signs.any())

    def of(self, class_weights: NDArray[Any]) -> float:
        """Share of the classes in some weight; a half of none."""
        total = float(class_weights.sum())
        return float(class_weights[self.classes].sum()) / total if total > 0 else 0.5

    def change(self, codes: Indices, weights: Floats, above: Mask) -> float:
        """By how much more of the weight above has the classes than of that below."""
        k = len(self.classes)
        counts = [np.bincount(codes[side], weights[side], k) for side in (above, ~above)]
        return self.of(counts[0]) - self.of(counts[1])

    def within(self, class_weights: Floats, low: float, high: float) -> Floats:
        """Class weights whose share of the classes is moved into bounds."""
        share, total = self.of(class_weights), class_weights.sum()
        if total == 0 or low <= share <= high:
            return class_weights
        moved = np.clip([share], low, high)
        return np.asarray(total * with_share(class_weights[None], self.classes, moved)[0])

    def in_order(self, rows: Canonical) -> MonotonicShare:
        """The same for columns and classes in canonical order."""
        signs, classes = self.signs[rows.columns], self.classes[rows.order]
        return MonotonicShare(signs, classes).without_first()

    def bounds(self, ends: Floats, *, graded: bool) -> ShareBounds | None:
        """Least and largest share at each of some nodes; None where no column has a sign."""
        if not self.holds:
            return None
        return ShareBounds(ends[:, 0], ends[:, 1], self.classes, graded or len(self.classes) == 2)

    def given_ends(self, low: Any, high: Any, order: Indices) -> tuple[Any, Any]:
        """Bounds of nodes with classes in canonical order, for classes as given, or back."""
        return (1.0 - high, 1.0 - low) if self.classes[order[0]] else (low, high)


def read_monotonic_share(estimator: Any) -> MonotonicShare:
    """`monotonic_cst` of an estimator that knows its `columns_` and `classes_`."""
    names, labels = [column.name for column in estimator.columns_], estimator.classes_.tolist()
    signs, given = _signs_and_classes(estimator.monotonic_cst, names)
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must hold -1, 0 or 1 for each of {len(names)} columns.")
    pairs = zip(estimator.columns_, signs, strict=True)
    wrong = [c.name for c, sign in pairs if sign and len(c.categories or ()) > 2]
    if wrong:
        raise ValueError(
            f"monotonic_cst is set for {wrong}, which hold more than two categories. These have no "
            "order: omit such columns, or turn them into numbers."
        )
    return MonotonicShare(signs, _classes(given, labels)).without_first()


def _signs_and_classes(given: Any, names: list[Any]) -> tuple[Floats, list[Any]]:
    """Signs of columns, and the classes that each is about; None where a sign stands alone."""
    if not isinstance(given, Mapping):
        signs = column_values(given, 0.0, names, "monotonic_cst")
        return signs, [None] if signs.any() else []
    pairs = {key: _pair(key, value) for key, value in given.items()}
    by_column = {key: sign for key, (sign, _) in pairs.items()}
    signs = column_values(by_column, 0.0, names, "monotonic_cst")
    return signs, [classes for sign, classes in pairs.values() if sign]


def _pair(column: Any, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, (tuple, list)):
        return given, None
    if len(given) == 2:
        return given[0], given[1]
    raise ValueError(
        "monotonic_cst must hold a sign, or a pair of a sign and classes, for each column, but for "
        f"{column!r} it is {given!r}."
    )


def _classes(given: list[Any], labels: list[Any]) -> Mask:
    """The classes that all columns are about, by their codes."""
    sets = {frozenset(_codes(each, labels)) for each in given}
    if len(sets) > 1:
        named = [sorted(str(labels[code]) for code in each) for each in sets]
        raise ValueError(
            f"monotonic_cst names different classes for different columns: {sorted(named)}. A tree "
            "keeps one share monotonic: name the same classes for all columns."
        )
    return np.isin(np.arange(len(labels)), list(next(iter(sets), frozenset())))


def _codes(given: Any, labels: list[Any]) -> list[int]:
    """Codes of one label or several, but not all; of two classes the second by default."""
    if given is None and len(labels) == 2:
        return [1]
    if given is None:
        raise ValueError(
            f"y holds {len(labels)} classes, so monotonic_cst must say whose share a column raises "
            f"or lowers, such as {{'age': (1, [{labels[-1]!r}])}}. The classes are {labels}."
        )
    several = isinstance(given, (list, tuple, set, frozenset, np.ndarray))
    named = list(given) if several else [given]
    missing = [label for label in named if label not in labels]
    if missing or not 0 < len(set(named)) < len(labels):
        raise ValueError(
            f"monotonic_cst must name some of the classes {labels}, and not all of them, but it "
            f"names {named}."
        )
    return [labels.index(label) for label in named]
