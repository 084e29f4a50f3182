"""What an extra of pyproject.toml requires: its tools, without another build of the package.

python -m releases.extra lint > lint.txt
pip install --requirement lint.txt
"""

import sys
import tomllib
from pathlib import Path


def requirements(extra: str) -> list[str]:
    """The requirements of an extra, as pyproject.toml has them.

    Examples
    --------
    >>> from releases.extra import requirements
    >>> "ruff" in requirements("lint")
    True
    """
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    return project["project"]["optional-dependencies"][extra]


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1])))
