"""Run the experiments that are named, or all: `python -m experiments [name ...]`.

A name is that of the paper's first author and the item, such as bennett-table-4.1, or its end,
table-4.1. The results go to docs/papers, and the pages of the papers are made again; with --quick a
small part of each is run, and the results go to build/experiments.
"""

import argparse
import shutil
from pathlib import Path

import pandas as pd

from experiments.harness import pages, prose, registry
from experiments.harness.bench import CHECKPOINTS, Bench
from experiments.harness.printed import papers

QUICK = Path("build", "experiments")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Experiments: " + ", ".join(registry.names()),
    )
    parser.add_argument("name", nargs="*", help="all, if none is named")
    parser.add_argument("--quick", action="store_true", help="a small part, within minutes")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--fresh", action="store_true", help="discard all checkpoints first")
    parser.add_argument("--pages", action="store_true", help="run nothing; make the pages again")
    asked = parser.parse_args()
    try:
        asked.name = [registry.find(name) for name in asked.name] or list(registry.names())
    except LookupError as reason:
        parser.error(str(reason))
    return asked


def perform(name: str, bench: Bench, folder: Path) -> str:
    """Run one experiment and write its CSV and its figure; its section of the page."""
    module = registry.module_of(name)
    paper, _, item = name.partition("-")
    before = sum(bench.seconds.values())
    frame: pd.DataFrame = module.run(bench)
    pages.save(name, frame, folder, sum(bench.seconds.values()) - before)
    if hasattr(module, "draw"):
        module.draw(frame).savefig(folder / f"{name}.png", dpi=110)
    kept, run = pages.saved(name, folder)
    return pages.section(papers()[paper].items[item], module, kept, name, run)


def write_pages(keys: set[str]) -> None:
    for key in keys:
        (pages.DOCS / f"{key}.md").write_text(pages.page(papers()[key]), "utf-8")
    prose.write_guides()


def main() -> None:
    """Read the names and run each in turn."""
    asked = arguments()
    if asked.fresh:
        shutil.rmtree(CHECKPOINTS, ignore_errors=True)
    checkpoints = CHECKPOINTS / "quick" if asked.quick else CHECKPOINTS
    bench = Bench(asked.quick, asked.jobs, checkpoints)
    for name in [] if asked.pages else asked.name:
        folder = QUICK if asked.quick else pages.RESULTS
        text = perform(name, bench, folder)
        print(text, "\n", flush=True)
        if asked.quick:
            (folder / f"{name}.md").write_text(text + "\n", "utf-8")
    if not asked.quick:
        write_pages({name.partition("-")[0] for name in asked.name})


if __name__ == "__main__":
    main()
