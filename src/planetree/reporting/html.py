"""HTML that is safe by construction: text is escaped unless this module made it.

From elements it makes what every part of the page is built of: sections, tables, colors, numbers.

- a name with quotes, tags or `</script>` in it comes out as that text, in an element, in an
  attribute and in embedded JSON alike.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

MAX_LISTED = 200  # lines that a reader may still look through, and a browser lays out at once
DASH = "\N{EN DASH}"
_VOID = {"meta", "link", "input", "br", "rect", "line", "circle", "path"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def raw(*parts: str) -> Markup:
    """Join parts, escaping those that are not HTML already."""
    return Markup("".join(p if isinstance(p, Markup) else escape(str(p)) for p in parts))


def tag(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element; `class_` and `data_x` are the attributes class and data-x, None is left out.

    A float is a place in a drawing, and has one decimal.

    Examples
    --------
    >>> from planetree.reporting.html import tag
    >>> tag("td", "<b> & 'c'", title='"')
    '<td title="&quot;">&lt;b&gt; &amp; &#x27;c&#x27;</td>'
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{raw(*content)}</{name}>")


def _attribute(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


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


def read_asset(name: str) -> str:
    """A file of the folder `assets`: styles, scripts, and parts of the page that never change."""
    return files("planetree.reporting").joinpath("assets", name).read_text("utf-8")


def document(title: str, styles: str, *body: Any) -> str:
    """A page with the styles of an asset and nothing else outside its body."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(f"\n{read_asset(styles)}")),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', *body), lang='en')}\n"


def section(name: str, title: str, *content: Any, lead: str | None = None) -> Markup:
    """A part with its heading and, if there is one, a sentence on what it shows."""
    said = tag("p", lead, class_="lead") if lead else ""
    return tag("section", tag("h2", title), said, *content, id=name)


def table(head: Sequence[Any], rows: Sequence[Sequence[Any]], **attributes: Any) -> Markup:
    """A table whose first column heads its rows, in a frame that scrolls."""
    top = tag("tr", *(tag("th", each, scope="col") for each in head))
    body = (
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    )
    inner = tag("table", tag("thead", top), tag("tbody", *body), **attributes)
    return tag("div", inner, class_="scroll")


def dot(code: int) -> Markup:
    """The color of a class."""
    return tag("i", class_="dot", style=f"background:var(--class-{code % 10})")


def figure(value: float, digits: int = 4) -> str:
    """A number for people, or a dash where there is none."""
    return f"{value:.{digits}g}" if math.isfinite(value) else DASH


def cut_note(n: int) -> Markup | str:
    """Say that a list was cut."""
    if n <= MAX_LISTED:
        return ""
    return tag("p", f"The first {MAX_LISTED} of {n} are listed.", class_="quiet")
