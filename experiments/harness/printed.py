"""The papers as data: what each prints, which item of it is which experiment, and why we differ.

`papers/<paper>.toml` has, for each table and figure, the printed numbers as written (so that the
number of digits is known), the claims that the text makes of pairs of methods, and, where a number
of ours misses the printed one, the reason that was found. Nothing of ours is in there.
"""

import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "papers"


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    `status` is why there is nothing to compute, if there is not; `printed` one row a cell group;
    `claims` what the text says of two methods, or what we say of ours where `of_ours` is true;
    `reasons` why a cell misses; `of_other_data` what the paper prints of data or machines that are
    not ours, so that nothing can be compared.
    """

    name: str
    title: str
    status: str = ""
    note: str = ""
    of_other_data: str = ""
    printed: tuple[dict[str, Any], ...] = ()
    claims: tuple[dict[str, Any], ...] = ()
    reasons: tuple[dict[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """As the paper writes it: Table 4.1."""
        return self.name.replace("-", " ").title()


@dataclass(frozen=True)
class Paper:
    """A paper with its items in order, and where its equations live."""

    key: str
    title: str
    citation: str
    about: str = ""
    equations: tuple[dict[str, str], ...] = ()
    items: dict[str, Item] = field(default_factory=dict)


@cache
def papers() -> dict[str, Paper]:
    """The papers by the name of their first author, in order of their year."""
    found = [read(path) for path in FOLDER.glob("*.toml")]
    return {paper.key: paper for paper in sorted(found, key=lambda paper: paper.citation[-5:])}


def read(path: Path) -> Paper:
    """A paper's file."""
    content = tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
    items = {
        name: Item(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})
        for name, entry in content.pop("items").items()
    }
    equations = tuple(content.pop("equations", ()))
    return Paper(path.stem, equations=equations, items=items, **content)


def half_digit(printed: Any) -> float:
    """How far the true value may be from a printed one: half of its last digit."""
    return 0.5 * 10.0 ** Decimal(printed).as_tuple().exponent
