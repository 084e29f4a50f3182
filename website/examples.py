"""Examples of the gallery whose data sets are not at hand: the site is built without them."""

import re
from pathlib import Path

from planetree.datasets import load


def without_data(folder: Path) -> list[str]:
    """Names of the examples whose data sets are in no folder, and cannot be downloaded."""
    return [path.name for path in sorted(folder.glob("plot_*.py")) if not _has_data(path)]


def _has_data(example: Path) -> bool:
    for name in re.findall(r'\bload\("([\w-]+)"\)', example.read_text("utf-8")):
        try:
            load(name)
        except FileNotFoundError as reason:
            print(f"Skipped {example.name}: {reason}")
            return False
    return True
