"""How a model is made, as the page knows it: a field for each option of `planetree fit`.

The recipe is all that a model depends on beside the bytes of the table. So it is what the project
file keeps, what workers are sent, and what `reproduction` turns into a command line and into
Python.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planetree.evaluation.methods import (
    DEFAULT_METHOD,
    Settings,
    parse_class_weight,
    wished_settings,
)

if TYPE_CHECKING:
    from planetree.table_files import Reading


@dataclass(frozen=True)
class Recipe:
    """What a model is made of.

    Parameters
    ----------
    file : str
        Name of the table within the folder of the studio.
    delimiter, encoding, decimal, sheet : str, optional
        How it is written; detected unless given.
    header, dates : bool
    missing : tuple of str
        Further words for a missing cell.
    categorical, numeric, ignore : tuple of str
        Columns that are categories, that are numbers, and that are not read.
    target, weight, group : str, optional
        Columns of the class, of weights of rows, and to count errors by.
    required, forbidden, increasing, decreasing : tuple of str
        Columns that the tree must or may not read, and what more of a column may do to the second
        class.
    feature_costs : dict
    costs : tuple of str
        What mistakes cost, such as `sick as well=5`.
    class_weight : str, optional
        `balanced`, or weights such as `yes=5,no=1`.
    size, method : str
    folds : int, optional
    test : str, optional
        Name of a table to count errors on instead of folds.
    metric : str
        What methods are ordered by.
    seed : int
    """

    file: str
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = True
    dates: bool = False
    missing: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str | None = None
    weight: str | None = None
    group: str | None = None
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    increasing: tuple[str, ...] = ()
    decreasing: tuple[str, ...] = ()
    feature_costs: Mapping[str, float] = field(default_factory=dict)
    costs: tuple[str, ...] = ()
    class_weight: str | None = None
    size: str = "balanced"
    method: str = DEFAULT_METHOD
    folds: int | None = None
    test: str | None = None
    metric: str = "error"
    seed: int = 0

    @property
    def key(self) -> str:
        """A digest of what a fitted model depends on."""
        data = {**self.to_data(), "metric": None}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def to_data(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        return dataclasses.asdict(self)

    def reading(self) -> Reading:
        """How the file is read."""
        from planetree.table_files import Reading  # the server starts without the table reader

        return Reading(
            categorical=self.categorical,
            ignore=self.ignore,
            missing=self.missing,
            encoding=self.encoding,
            header=self.header,
            sheet=self.sheet,
            dates=self.dates,
            numbers=self.numeric,
            decimal=self.decimal,
            delimiter=self.delimiter,
        )

    def settings(self, labels: Any) -> Settings:
        """What is asked of the method."""
        wishes = wished_settings(
            labels,
            size=None if self.size == "balanced" else self.size,
            required=self.required,
            excluded=self.forbidden,
            increasing=self.increasing,
            decreasing=self.decreasing,
            feature_costs=self.feature_costs,
            costs=self.costs,
        )
        weight = parse_class_weight(self.class_weight, labels)
        return Settings(class_weight=weight, random_state=self.seed, n_jobs=1)._replace(**wishes)


_LISTS = {each.name for each in dataclasses.fields(Recipe) if "tuple" in str(each.type)}
_TEXTS = {each.name for each in dataclasses.fields(Recipe) if str(each.type).startswith("str")}


def recipe_of(data: Mapping[str, Any]) -> Recipe:
    """A recipe from JSON; refuse fields that there are not, and values of other types.

    Examples
    --------
    >>> from planetree.studio.recipe import recipe_of
    >>> recipe_of({"file": "a.csv", "ignore": ["id"]}).ignore
    ('id',)
    """
    known = {each.name for each in dataclasses.fields(Recipe)}
    strange = sorted(set(data) - known)
    if strange:
        raise ValueError(f"A recipe has no field {strange[0]!r}.")
    return Recipe(**{name: _checked(name, value) for name, value in data.items()})


def _checked(name: str, value: Any) -> Any:
    """A value of a field, if it is of the field's type."""
    if name in _LISTS and isinstance(value, list | tuple) and all(map(_is_text, value)):
        return tuple(dict.fromkeys(value))
    if name == "feature_costs" and isinstance(value, Mapping):
        return {str(key): float(each) for key, each in value.items()}
    is_flag = name in ("header", "dates") and isinstance(value, bool)
    is_count = name in ("folds", "seed") and (value is None or type(value) is int)
    if is_flag or is_count or (name in _TEXTS and (value is None or _is_text(value))):
        return value
    raise ValueError(f"{name} of a recipe cannot be {value!r}.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
