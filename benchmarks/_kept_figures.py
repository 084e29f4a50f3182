"""Figures that are kept beside the code as JSON, and shown by pages of the documentation."""

import json
from pathlib import Path
from typing import Any

_KEPT = Path(__file__).with_name("scale.json")
_PAGE = Path(__file__).parents[1] / "docs" / "large_data.md"
_BEGIN, _END = "<!-- figures: python -m benchmarks.scale --page -->", "<!-- end of figures -->"


def kept(path: Path = _KEPT) -> dict[tuple, Any]:
    """Figures by what they are of, such as rows, columns and method."""
    kept = json.loads(path.read_text()) if path.exists() else []
    return {tuple(key): figures for *key, figures in kept}


def keep(found: dict[tuple, Any], path: Path = _KEPT) -> None:
    lines = ",\n".join(json.dumps([*key, found[key]]) for key in sorted(found))
    path.write_text(f"[\n{lines}\n]\n")


def write_page(lines: list[str], page: Path = _PAGE, mark: str = _BEGIN) -> None:
    """Put lines between the marks of a page."""
    before, begin, rest = page.read_text("utf-8").partition(mark)
    _, end, after = rest.partition(_END)
    page.write_text("\n\n".join([before + begin, "\n".join(lines), end + after]), "utf-8")
