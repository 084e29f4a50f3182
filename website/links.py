"""Links within the built site: each must lead to a file, and to a place within it."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_STATIC = "_static"  # files of the theme, templates among them


class _Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to and how it is called."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.anchors.add(value)


def broken(site: Path) -> list[str]:
    """Links of a site that lead nowhere, each with its page."""
    paths = (path for path in sorted(site.rglob("*.html")) if _STATIC not in path.parts)
    pages = {path: _read(path) for path in paths}
    found = []
    for path, page in pages.items():
        for link in sorted(set(page.links)):
            target = _target(path, link)
            if target is not None and not _is_there(target, urlsplit(link).fragment, pages):
                found.append(f"{path.relative_to(site)}: {link} leads nowhere")
    return found


def _read(path: Path) -> _Page:
    """A page with its links and anchors."""
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def _target(page: Path, link: str) -> Path | None:
    """File that a link leads to; None if it leads out of the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    return (page.parent / unquote(parts.path)).resolve() if parts.path else page


def _is_there(target: Path, anchor: str, pages: dict[Path, _Page]) -> bool:
    """Whether a file exists and has an anchor."""
    if target.is_dir():
        target /= "index.html"
    if not anchor or target not in pages:
        return target.exists()
    return unquote(anchor) in pages[target].anchors
