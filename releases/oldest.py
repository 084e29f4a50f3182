"""The lowest version of each dependency that pyproject.toml allows, as constraints for pip.

    python -m releases.oldest > oldest.txt
    pip install --constraint oldest.txt '.[test]'

Only the floors of the package itself and of its extra `test` count: what the tests import.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

_FLOOR = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[.*?\])?\s*>=\s*([0-9][0-9.]*)")


def floors(requirements: Iterable[str]) -> Iterator[str]:
    """Each requirement at its floor; one without a floor is an error.

    Examples
    --------
    >>> from releases.oldest import floors
    >>> list(floors(["numpy>=1.26", "dask[array] >= 2024.5"]))
    ['numpy==1.26', 'dask==2024.5']
    """
    for each in requirements:
        found = _FLOOR.match(each)
        if found is None:
            raise ValueError(f"{each!r} of pyproject.toml has no lowest version.")
        yield "==".join(found.groups())


def required() -> list[str]:
    """What the package and its tests require."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    found = project["project"]
    return [*found["dependencies"], *found["optional-dependencies"]["test"]]


if __name__ == "__main__":
    print("\n".join(floors(required())))
