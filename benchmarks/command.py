"""The command: what it costs to start, and to read a table, beside bare Python and pandas."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from planetree.table_files import read_examples

N_ROWS = 300_000


def cpu_seconds(*command: str) -> float:
    """The least CPU time that a process took in five runs."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def write_table(path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 10)), columns=[f"c{j}" for j in range(10)])
    frame["color"] = rng.choice(["red", "green", "blue"], N_ROWS)
    frame["class"] = np.where(frame["c0"] > 0, "yes", "no")
    frame.to_csv(path, index=False)


def main() -> None:
    numpy = cpu_seconds("-c", "import numpy")
    for words in (["--help"], ["fit", "--help"]):
        seconds = cpu_seconds("-m", "planetree.cli", *words)
        print(f"planetree {' '.join(words)}: {seconds:.2f} s, Python with numpy: {numpy:.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path)
        start = time.process_time()
        read_examples(path, "class")
        ours = time.process_time() - start
        start = time.process_time()
        pd.read_csv(path)
        theirs = time.process_time() - start
        size = os.path.getsize(path) / 1e6
    print(f"{size:.0f} MB of CSV: {ours:.2f} s, pandas {theirs:.2f} s, ratio {ours / theirs:.2f}")
