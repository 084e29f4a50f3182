"""A public name in code type is a link to its page: `PlaneTreeClassifier`, `plot.tree(model)`."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from website.api import entries

_NAME = re.compile(r"^(?:planetree\.)?([A-Za-z_][\w.]*?)(?:\(.*\))?$", re.DOTALL)


class LinkedNames(SphinxPostTransform):
    """Wrap literals that are public names in links."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Visit the literals of a page."""
        pages = _pages()
        for literal in list(self.document.findall(nodes.literal)):
            page = pages.get(_bare(literal.astext()))
            if page and page != self.env.docname and not _is_inside_a_link(literal):
                uri = self.app.builder.get_relative_uri(self.env.docname, page)
                link = nodes.reference("", "", internal=True, refuri=uri)
                literal.replace_self(link)
                link += literal


def _pages() -> dict[str, str]:
    """Page of each public name: without its package, and of the top also with a part."""
    found = {}
    for group in entries().values():
        for entry in group:
            found[entry.full.removeprefix("planetree.")] = f"api/{entry.full}"
    for name in ("load", "save", "report"):  # words that stand for other things as well
        found[f"planetree.{name}"] = found.pop(name)
    return found


def _bare(text: str) -> str:
    """A literal without its package and its arguments."""
    if re.match(r"planetree\.(load|save|report)\b", text):
        return text.split("(")[0]
    found = _NAME.match(text)
    return found[1] if found else ""


def _is_inside_a_link(node: nodes.Node) -> bool:
    """Whether a node is part of a link or of a heading already."""
    above = node.parent
    while above is not None:
        if isinstance(above, (nodes.reference, nodes.title)):
            return True
        above = above.parent
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(LinkedNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
