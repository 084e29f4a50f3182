"""What fits cost against another version: `python -m benchmarks.versions --revision REVISION`.

REVISION is one of this repository; it is built once, in an environment of its own in .benchmarks.
Or `--other PYTHON` names the interpreter of an environment with another version. Both fit the same
tables in turns, each in a process of its own, on one thread; the least CPU times are compared.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

_ROOT = Path(__file__).parents[1]
Fit = Callable[[], object]
TURN = 0.05  # seconds of CPU for which short fits are repeated
NOTE = "CPU time of a fit on one thread, the least of many, the two versions in turns."


@cache
def clouds(m: int, n: int, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Normal clouds with correlated columns, their middles about one deviation apart."""
    rng = np.random.default_rng(m + n + k)
    y = rng.permutation(np.resize(np.arange(k), m))
    mixing = rng.normal(size=(n, n)) / np.sqrt(n) + np.eye(n)
    middles = rng.normal(size=(k, n)) * 1.5 / np.sqrt(n)
    return (rng.normal(size=(m, n)) + middles[y]) @ mixing, y


def fits() -> Iterator[tuple[str, Fit]]:
    """Name of each setting and its fit."""
    from planetree import (
        C45Classifier,
        GeneticSelector,
        QuadraticSeparator,
        RobustSeparator,
        SeparatorTreeClassifier,
    )

    small = GeneticSelector(n_evaluations=100, population_size=20, cv=5, random_state=0)
    if "finish" in small.get_params():  # versions before it had no other way to end
        small.set_params(finish="published")
    chosen = {
        RobustSeparator(): (
            [(30, 5), (300, 13), (700, 9), (208, 60), (100_000, 20), (20_000, 50), (2310, 19, 7)]
        ),
        QuadraticSeparator(): [(300, 13), (5000, 20)],
        SeparatorTreeClassifier(separator=RobustSeparator()): [(300, 13), (2000, 10)],
        C45Classifier(): [(300, 13), (20_000, 10)],
        small: [(300, 13)],
    }
    for model, shapes in chosen.items():
        for shape in shapes:
            name = f"{type(model).__name__} {'x'.join(map(str, shape))}"
            yield name, lambda model=model, shape=shape: model.fit(*clouds(*shape))


def work() -> None:
    """Time one fit of each setting that standard input names."""
    warnings.simplefilter("ignore")
    known = dict(fits())
    for line in sys.stdin:
        times, fit = [], known[line.strip()]
        while sum(times) < TURN:
            start = time.process_time()
            fit()
            times.append(time.process_time() - start)
        print(min(times), flush=True)


class Worker:
    """A process with one of the versions."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process = subprocess.Popen(
            [python, __file__, "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    @property
    def version(self) -> str:
        """Of the library that it fits with."""
        asked = [self.python, "-c", "import planetree; print(planetree.__version__)"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()

    def seconds(self, name: str) -> float:
        """CPU time of one fit."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def interpreter(revision: str) -> str:
    """Python of an environment with a revision of this repository, made when first asked for."""
    home = _ROOT / ".benchmarks" / f"{revision}-venv"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        with tempfile.TemporaryDirectory() as folder:
            packed = ["git", "archive", "--format=tar", "-o", f"{folder}/source.tar", revision]
            subprocess.run(packed, cwd=_ROOT, check=True)
            subprocess.run(["tar", "-xf", "source.tar"], cwd=folder, check=True)
            install = [str(python), "-m", "pip", "install", "--quiet", folder, "pandas"]
            subprocess.run(install, check=True)
    return str(python)


def main() -> None:
    """Read the options and print the ratios."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("--other", help="interpreter of an environment with another version")
    parser.add_argument("--revision", help="of this repository, to compare with")
    parser.add_argument("--turns", type=int, default=15, help="how often each version fits")
    parser.add_argument("--only", default="", help="settings whose names hold this word")
    parser.add_argument("--save", action="store_true", help="show the table in docs/soundness.md")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    asked, _ = parser.parse_known_args()
    if asked.work:
        return work()
    if asked.other is None and asked.revision is None:
        return print("Skipped: neither --revision nor --other names a version to compare with.")
    ours, other = Worker(sys.executable), Worker(asked.other or interpreter(asked.revision))
    lines = ["| fit | other, ms | this, ms | ratio |", "| --- | --: | --: | --: |"]
    print(*lines, sep="\n")
    for name in (each for each, _ in fits() if asked.only in each):
        turns = [(other.seconds(name), ours.seconds(name)) for _ in range(asked.turns)]
        before, now = (1000 * min(times) for times in zip(*turns, strict=True))
        lines.append(f"| {name} | {before:.3g} | {now:.3g} | {now / before:.2f} |")
        print(lines[-1], flush=True)
    if asked.save:
        from campaigns.printing import save  # not on the path of the other version

        save(f"speed-against_{other.version}", "\n".join(lines), NOTE)
    return None


if __name__ == "__main__":
    main()
