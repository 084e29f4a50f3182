"""The pages as Sphinx reads them: those of docs/ at the top, those of the root beside them.

A link from docs/ to a page of the root, or the other way, loses the step between the two.
"""

import re
import shutil
from pathlib import Path

_OF_ROOT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "SECURITY.md": "security.md",
}


def gather(root: Path, target: Path) -> None:
    """Copy the pages into an empty folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "docs", target)
    for path in target.rglob("*.md"):
        path.write_text(within_site(path.read_text("utf-8")), "utf-8")
    for name, page in _OF_ROOT.items():
        (target / page).write_text(within_site((root / name).read_text("utf-8")), "utf-8")


def within_site(text: str) -> str:
    """Text of a page with its links as they are within the site.

    Examples
    --------
    >>> from website.sources import within_site
    >>> within_site("[changes](../CHANGELOG.md), [plots](docs/plots.md)")
    '[changes](changelog.md), [plots](plots.md)'
    """
    for name, page in _OF_ROOT.items():
        text = re.sub(rf"\]\(((?:\.\./)*){re.escape(name)}", rf"](\1{page}", text)
        text = text.replace(f"](../{page}", f"]({page}").replace(f"](../../{page}", f"](../{page}")
    return text.replace("](docs/", "](")
