"""Figures of tables in parts, kept beside the code and shown by docs/large_data.md."""

import json
from pathlib import Path

_KEPT = Path(__file__).with_name("scale.json")
_PAGE = Path(__file__).parents[1] / "docs" / "large_data.md"
_BEGIN, _END = "<!-- figures: python -m benchmarks.scale --page -->", "<!-- end of figures -->"


def kept() -> dict:
    """Figures by rows, columns and method."""
    kept = json.loads(_KEPT.read_text()) if _KEPT.exists() else []
    return {(m, d, method): figures for m, d, method, figures in kept}


def keep(found: dict) -> None:
    lines = ",\n".join(json.dumps([*key, found[key]]) for key in sorted(found))
    _KEPT.write_text(f"[\n{lines}\n]\n")


def write_page(lines: list[str], page: Path = _PAGE, mark: str = _BEGIN) -> None:
    """Put lines between the marks of a page."""
    before, begin, rest = page.read_text("utf-8").partition(mark)
    _, end, after = rest.partition(_END)
    page.write_text("\n\n".join([before + begin, "\n".join(lines), end + after]), "utf-8")
