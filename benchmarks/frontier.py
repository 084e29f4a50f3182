"""Probabilities and errors against size: the readable tree beside its peers, the same ten folds.

    python -m benchmarks frontier                     runs what is not known, and prints the tables
    python -m benchmarks.frontier --write             also writes docs/frontier.md
    python -m benchmarks.frontier --only CART,EBM     runs these methods alone
    python -m benchmarks.frontier --sets development  runs one group of sets alone
    python -m benchmarks.frontier --kept              runs nothing: what is kept is enough

Answers are kept in the folder .benchmarks, so an interrupted run goes on where it stopped. The sets
come from the folder that PLANETREE_DATA names and from a wheel that is downloaded; sets, and peers
with environments of their own, that cannot be had are skipped with the reason.
"""

import argparse
import warnings
from pathlib import Path

from benchmarks._frontier.answers import answers
from benchmarks._frontier.data import DEVELOPMENT, INDEPENDENT, examples
from benchmarks._frontier.methods import METHODS
from benchmarks._frontier.page import page
from benchmarks._frontier.sheets import section

GROUPS = {"development": DEVELOPMENT, "independent": INDEPENDENT}
PAGE = Path(__file__).parent.parent / "docs" / "frontier.md"


def run(methods: list[str], sets: list[str]) -> None:
    """Answer all that is not kept; what cannot be had is skipped with the reason."""
    for method in methods:
        for name in sets:
            try:
                each = examples(name)
                if each.n_classes == 2 or not METHODS[method].two_classes:
                    seconds = sum(float(answer.seconds) for answer in answers(method, name, each))
                    print(f"{method} {name} {seconds:.1f} s", flush=True)
            except Exception as error:  # one set or peer that fails must not end a long run
                print(f"skipped {method} on {name}: {error!r}"[:300], flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frontier")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--kept", action="store_true", help="run nothing")
    parser.add_argument("--only", default=",".join(METHODS), help="methods, with commas between")
    parser.add_argument("--sets", choices=GROUPS, help="one group of sets alone")
    asked = parser.parse_args(arguments or [])
    warnings.filterwarnings("ignore")
    groups = [asked.sets] if asked.sets else list(GROUPS)
    if not asked.kept:
        run(asked.only.split(","), [name for group in groups for name in GROUPS[group]])
    if asked.write or asked.kept:
        text = page({group: GROUPS[group] for group in groups}, section())
        print(text)
        if asked.write:
            PAGE.write_text(text)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
