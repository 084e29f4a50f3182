"""Probabilities and errors against size: the readable tree beside its peers, on the same folds.

    python -m benchmarks frontier                     runs development and goals, prints the tables
    python -m benchmarks.frontier --final             runs every group, and writes docs/frontier.md
    python -m benchmarks.frontier --write             also keeps figures, and writes the page of all
    python -m benchmarks.frontier --only CART,EBM     runs these methods alone; or `peers`
    python -m benchmarks.frontier --sets goals,keel   runs these groups of sets alone
    python -m benchmarks.frontier --kept              runs nothing: the page is made of what is kept

The groups independent and keel are for the end: nothing was chosen on them, so our tree is not run
there unless they are named. Answers are kept in the folder that PLANETREE_BENCHMARKS names, or in
.benchmarks, so an interrupted run goes on where it stopped. What they are worth is kept in
benchmarks/frontier.json with the page, which needs no answers to be made again. The sets come from
the folder that PLANETREE_DATA names and from a wheel that is downloaded; sets, and peers with
environments of their own, that cannot be had are skipped with the reason. The first table is also
put, in fewer columns, into docs/benchmarks.md.
"""

import argparse
import warnings
from pathlib import Path

from benchmarks._frontier.answers import answers
from benchmarks._frontier.data import GROUPS, examples
from benchmarks._frontier.kept import keep, kept
from benchmarks._frontier.methods import METHODS, OURS
from benchmarks._frontier.page import page
from benchmarks._frontier.sheets import section, sheet_figures
from benchmarks._frontier.short_table import with_table

_DOCS = Path(__file__).parent.parent / "docs"


def write(text: str, docs: Path = _DOCS) -> None:
    """Write the page, and its first table into the page of all benchmarks."""
    (docs / "frontier.md").write_text(text, "utf-8")
    short = docs / "benchmarks.md"
    short.write_text(with_table(short.read_text("utf-8"), text), "utf-8")


def run(methods: list[str], groups: list[str]) -> None:
    """Answer all that is not kept; what cannot be had is skipped with the reason.

    Peers whose figures are kept beside the code are not asked again: delete a line to have it anew.
    """
    sets = [(group, name) for group in groups for name in GROUPS[group].sets]
    for method in methods:
        for group, name in sets:
            if not METHODS[method].ours and kept(method, group, name):
                continue
            try:
                each = examples(group, name)
                if each.n_classes == 2 or not METHODS[method].two_classes:
                    seconds = sum(float(answer.seconds) for answer in answers(method, each))
                    print(f"{method} {group} {name} {seconds:.1f} s", flush=True)
            except Exception as error:  # one set or peer that fails must not end a long run
                print(f"skipped {method} on {name}: {error!r}"[:300], flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frontier")
    parser.add_argument("--final", action="store_true", help="every group, and write the page")
    parser.add_argument("--write", action="store_true", help="keep figures, write the page")
    parser.add_argument("--kept", action="store_true", help="run nothing")
    parser.add_argument("--only", default=",".join(METHODS), help="methods, or peers")
    parser.add_argument("--sets", default="development,goals", help=f"of {', '.join(GROUPS)}")
    asked = parser.parse_args(arguments or [])
    warnings.filterwarnings("ignore")
    groups = list(GROUPS) if asked.final else asked.sets.split(",")
    methods = asked.only.split(",")
    if methods == ["peers"]:
        methods = [name for name, method in METHODS.items() if not method.ours]
    sheets = {}
    if not asked.kept:
        run(methods, groups)
        sheets = sheet_figures() if OURS in methods and "development" in groups else {}
    if asked.write or asked.final:
        keep(sheets)
        write(page(list(GROUPS), section()))
    for line in page(groups, section()).splitlines():
        print(line)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
