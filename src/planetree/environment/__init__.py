"""What planetree runs on: the versions of Python, of the system and of everything it can use.

The list of packages is that of the installed distribution, so it cannot fall behind pyproject.toml.
"""

from __future__ import annotations

import platform
import re
import sys
from importlib import metadata

_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def show_versions() -> None:
    """Print what a bug report needs: the versions of Python, of the system and of the packages.

    Examples
    --------
    >>> import planetree
    >>> planetree.show_versions()
    planetree: ...
    Python: ...
    system: ...
    <BLANKLINE>
    required:
      highspy: ...
    """
    for name, found in _system().items():
        print(f"{name}: {found}")
    for kind, names in _packages().items():
        print(f"\n{kind}:")
        for name in names:
            print(f"  {name}: {_version(name) or 'not installed'}")


def _system() -> dict[str, str]:
    """What planetree runs on, and itself."""
    from planetree import __version__

    return {
        "planetree": __version__,
        "Python": " ".join(sys.version.split()),
        "system": f"{platform.platform()}, {platform.machine()}",
        "executable": sys.executable,
    }


def _packages() -> dict[str, list[str]]:
    """Names of the packages that planetree needs, and of those that its extra `all` names."""
    listed = metadata.requires("planetree") or []
    needed = [each for each in listed if "extra ==" not in each]
    optional = [each for each in listed if re.search("extra == .all.", each)]
    return {"required": _names(needed), "optional": _names(optional)}


def _names(requirements: list[str]) -> list[str]:
    """Names of requirements, in order."""
    return sorted({found[0] for each in requirements if (found := _NAME.match(each))})


def _version(name: str) -> str | None:
    """Version of a package, or None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
