"""llms.txt: the pages of the site with what each is about, for readers that are programs."""

import re
from pathlib import Path

import planetree
from website.api import entries

_FIRST = ("index.md", "installation.md", "which_method.md", "guide.md", "tutorial.md", "faq.md")


def write(source: Path, target: Path) -> None:
    """Write llms.txt into the built site, and the sources of the pages beside it."""
    (target / "llms.txt").write_text(text(source), "utf-8")


def text(source: Path) -> str:
    """The pages by section, with their first paragraphs."""
    pages = [path for path in sorted(source.rglob("*.md")) if "api" not in path.parts]
    pages.sort(key=lambda path: path.name not in _FIRST)
    lines = [f"# planetree {planetree.__version__}", "", f"> {planetree.__doc__.splitlines()[0]}"]
    lines += ["", "## Pages", ""]
    lines += [f"- [{_title(p)}]({_address(p, source)}): {_lead(p)}" for p in pages]
    for title, group in entries().items():
        lines += ["", f"## API: {title}", ""]
        lines += [f"- [{e.full}](api/{e.full}.html): {e.summary}" for e in group]
    return "\n".join(lines) + "\n"


def _title(page: Path) -> str:
    """First heading of a page."""
    return re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)[1]


def _address(page: Path, source: Path) -> str:
    """Where a page is in the site."""
    return page.relative_to(source).with_suffix(".html").as_posix()


def _lead(page: Path) -> str:
    """First paragraph of a page that is prose, in a line."""
    for part in page.read_text("utf-8").split("\n\n"):
        if re.match(r"[A-Z*`\[]", part.strip()) and not part.lstrip().startswith("```"):
            return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(part.split()))[:300]
    return ""
