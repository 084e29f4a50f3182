"""Do the tests die when the code is wrong? `make mutate`, or `python -m campaigns.mutate [words]`.

`mutants.toml` lists errors that could be made in separators, trees and selectors: a file, the text
that is replaced, what by, and the tests that must fail. In a temporary copy of the library and its
tests, each error is made in turn, and its tests are run. One that no test fails for survives; the
score is the share that die. The tests must pass before, or a death says nothing.

A list by hand, rather than every possible change: what is listed is what the papers state, and a
run takes minutes. An entry whose text is no longer in its file is an error of the list.

With `--save NAME` docs/soundness.md shows who died, all runs under that name together.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from campaigns.printing import counts_table, kept_rows, save
from planetree import _core

_ROOT = Path(__file__).parents[1]
_LIST = Path(__file__).with_name("mutants.toml")
_COPIED = ("src", "tests", "experiments", "pyproject.toml")
# An installed library that is edited in place finds its modules first: the copy must come before.
_LAUNCHER = """
import sys
sys.meta_path = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
sys.path.insert(0, "src")
import planetree, pytest
assert planetree.__file__.startswith(sys.argv[1]), planetree.__file__
sys.exit(pytest.main(["-q", "-x", "-o", "addopts=", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
_PASSED, _FAILED = 0, 1  # exit codes of pytest; others are errors of its own


class Mutant(NamedTuple):
    """An error that could be made, and the tests that must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, folder: Path) -> str:
        """Make the error in a copy; the text of the file before."""
        path = folder / "src" / "planetree" / self.file
        before = path.read_text("utf-8")
        if before.count(self.old) != 1:
            raise SystemExit(f"{self.name}: its text is {before.count(self.old)} times in {path}.")
        path.write_text(before.replace(self.old, self.new), "utf-8")
        return before


def mutants(words: list[str]) -> list[Mutant]:
    """The mutants whose names have one of the words; all, if there are none."""
    listed: dict[str, dict[str, Any]] = tomllib.loads(_LIST.read_text("utf-8"))
    found = [
        Mutant(name, each["file"], each["old"], each["new"], tuple(each["tests"]))
        for name, each in listed.items()
    ]
    return [each for each in found if not words or any(word in each.name for word in words)]


def copy_to(folder: Path) -> None:
    """Copy the library, with its core, the tests, and the experiments whose tables they read."""
    for name in _COPIED:
        source, ignore = _ROOT / name, shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            shutil.copy(source, folder / name)
    shutil.copy(_core.__file__, folder / "src" / "planetree")


def run(folder: Path, tests: tuple[str, ...]) -> int:
    """Exit code of pytest on some tests of the copy."""
    command = [sys.executable, "-B", "-c", _LAUNCHER, str(folder.resolve()), *tests]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def outcome(folder: Path, mutant: Mutant) -> str:
    """Make an error in the copy, run its tests, and take it back."""
    path, before = folder / "src" / "planetree" / mutant.file, mutant.apply(folder)
    code = run(folder, mutant.tests)
    path.write_text(before, "utf-8")
    if code not in (_PASSED, _FAILED):
        raise SystemExit(f"{mutant.name}: pytest ended with {code}; are its tests there?")
    return "killed" if code == _FAILED else "LIVES"


def keep(name: str, found: dict[str, tuple[str, str]]) -> None:
    """Show outcomes on the page, beside those of other mutants that were kept before."""
    kept = kept_rows(f"mutants-{name}") | {each: list(cells) for each, cells in found.items()}
    rows = {each.name: kept[each.name] for each in mutants([]) if each.name in kept}
    killed = sum(cells[-1] == "killed" for cells in rows.values())
    note = f"{killed} of {len(rows)} killed; {len(mutants([]))} are listed."
    save(f"mutants-{name}", counts_table(["mutant", "file", "outcome"], rows), note)


def main() -> None:
    """Make each error, run its tests, and print who lives."""
    parser = argparse.ArgumentParser(prog="python -m campaigns.mutate", description=__doc__)
    parser.add_argument("word", nargs="*", help="part of a mutant's name; all, if none is given")
    parser.add_argument("--save", help="name under which docs/soundness.md shows who died")
    asked = parser.parse_args()
    chosen = mutants(asked.word)
    found: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_to(folder)
        every = tuple(sorted({test for each in chosen for test in each.tests}))
        if run(folder, every) != _PASSED:
            raise SystemExit("The tests do not pass without a mutant. Run `make test` first.")
        for each in chosen:
            found[each.name] = f"`{each.file}`", outcome(folder, each)
            print(f"{found[each.name][1]:6}  {each.name}", flush=True)
            if asked.save:
                keep(asked.save, found)
    killed = sum(end == "killed" for _, end in found.values())
    print(f"{killed} of {len(chosen)} mutants killed.")
    sys.exit(killed < len(chosen))


if __name__ == "__main__":
    main()
