"""HTML that is safe by construction: text is escaped unless this module made it.

- a name with quotes, tags or `</script>` in it comes out as that text, in an element, in an
  attribute and in embedded JSON alike.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["Markup", "embed", "raw", "tag"]

VOID = {"meta", "link", "input", "br", "rect", "line", "circle", "path"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def raw(*parts: str) -> Markup:
    """Join parts, escaping those that are not HTML already."""
    return Markup("".join(p if isinstance(p, Markup) else escape(str(p)) for p in parts))


def tag(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element; `class_` and `data_x` are the attributes class and data-x, None is left out.

    Examples
    --------
    >>> from planetree.reporting.html import tag
    >>> tag("td", "<b> & 'c'", title='"')
    '<td title="&quot;">&lt;b&gt; &amp; &#x27;c&#x27;</td>'
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(
            f"<{name}{said}>" if name in ("meta", "link", "input", "br") else f"<{name}{said}/>"
        )
    return Markup(f"<{name}{said}>{raw(*content)}</{name}>")


def embed(data: Any) -> str:
    """JSON that can stand inside a script element, whatever its strings hold.

    Examples
    --------
    >>> from planetree.reporting.html import embed
    >>> "<" in embed(["</script>"])
    False
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
