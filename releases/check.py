"""What a tag promises, checked before anything is published; and the notes of the release.

    python -m releases.check v0.2.0

The tag is the version of the sources, CHANGELOG.md has a section for it, CITATION.cff names it, and
every file in dist is of that version. The section is written to build/release_notes.md, and the
checksum of the source distribution, which recipes for conda need, is printed.
"""

import hashlib
import re
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def version() -> str:
    """Version of the sources: the one place that says it."""
    text = (_ROOT / "src" / "planetree" / "__init__.py").read_text("utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


def notes(changes: str, found: str) -> str:
    r"""Section of a changelog for a version.

    Examples
    --------
    >>> from releases.check import notes
    >>> notes("# Changes\n\n## [0.2.0]\nNew.\n\n## [0.1.0]\nOld.\n", "0.2.0")
    'New.'
    """
    section = re.search(
        rf"^## \[{re.escape(found)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changes, re.M | re.S
    )
    if section is None:
        raise SystemExit(f"CHANGELOG.md has no section for {found}.")
    return section[1].strip()


def main(tag: str) -> None:
    """Check a tag and write the notes of its release."""
    found = version()
    if tag != f"v{found}":
        raise SystemExit(f"The tag is {tag!r}, but the sources are of version {found}.")
    if f"\nversion: {found}\n" not in (_ROOT / "CITATION.cff").read_text("utf-8"):
        raise SystemExit(f"CITATION.cff is not of version {found}.")
    for path in sorted((_ROOT / "dist").glob("planetree-*")):
        if not path.name.startswith((f"planetree-{found}-", f"planetree-{found}.tar")):
            raise SystemExit(f"{path.name} is not of version {found}.")
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    target = _ROOT / "build" / "release_notes.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(notes((_ROOT / "CHANGELOG.md").read_text("utf-8"), found) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
