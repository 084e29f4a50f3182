"""Run the benchmarks that are named, or all: `python -m benchmarks [name ...]`.

A benchmark is a module of this package that has a function `main()`. With `--page`, what it prints
is kept in benchmarks/figures and put into the page of the documentation that has its mark.
"""

import argparse
import contextlib
import importlib
import io
import pkgutil
import sys
from pathlib import Path

import benchmarks
from benchmarks import _kept_figures

FIGURES = Path(__file__).with_name("figures")
DOCS = Path(__file__).parents[1] / "docs"


class _Echo(io.StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        return super().write(text)


def names() -> list[str]:
    """Names of the modules beside this one."""
    found = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(each.name for each in found if not each.name.startswith("_"))


def mark(name: str) -> str:
    """Where a page shows what a benchmark printed."""
    return f"<!-- figures: python -m benchmarks {name} --page -->"


def page_of(name: str) -> Path:
    """The page with the mark of a benchmark."""
    pages = [path for path in sorted(DOCS.glob("*.md")) if mark(name) in path.read_text("utf-8")]
    if len(pages) != 1:
        raise ValueError(f"{len(pages)} pages have the mark of the benchmark {name}, not 1.")
    return pages[0]


def shown(printed: str) -> list[str]:
    """Lines of a page: a table in Markdown as it is, anything else in a block."""
    lines = printed.strip().splitlines()
    return lines if lines[0].startswith("|") else ["```text", *lines, "```"]


def keep(name: str, printed: str) -> None:
    """Keep what a benchmark printed, and show it on its page."""
    page = page_of(name)
    (FIGURES / f"{name}.txt").write_text(printed, "utf-8")
    _kept_figures.write_page(shown(printed), page, mark(name))


def main() -> None:
    """Read the names and run each in turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("name", nargs="*", help=f"any of: {', '.join(names()) or 'none yet'}")
    parser.add_argument("--page", action="store_true", help="keep what is printed, for its page")
    arguments = parser.parse_args()
    asked = arguments.name or names()
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(names())}")
    if arguments.page:
        for name in asked:
            page_of(name)  # before hours of work
    for name in asked:
        print(f"\n## {name}\n", flush=True)
        with contextlib.redirect_stdout(_Echo()) as printed:
            importlib.import_module(f"benchmarks.{name}").main()
        if arguments.page:
            keep(name, printed.getvalue())


if __name__ == "__main__":
    main()
