"""Planes and trees of tables in parts, beside memory and stochastic gradients, in one run.

    python -m benchmarks.scale                               1e6 x 20 and 1e6 x 100
    python -m benchmarks.scale --tables 1e6x20,4e6x20,1e7x20,1e6x100
    python -m benchmarks.scale --only parts memory           methods whose names hold a word
    python -m benchmarks.scale --page                        what was kept, into docs/large_data.md

`--keep` writes figures to benchmarks/scale.json as they come, and measures none twice.

Every method reads the same Parquet files in a process of its own. CPU seconds, those of reading
included and those of imports not, and peak memory are of the process and of all that it started.
'value' is the objective of the plane as a multiple of the bound that is proved of it: 1 is optimal.
The growth of a method is the exponent of its CPU seconds in the rows, where two tables of the same
columns were tried.

The end is a simulation of 1e9 rows of 100 columns on 100 workers, a model with the constants that
were measured in this run.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks import _kept_figures

_PIECE = 250_000  # rows of a file
_HOME = Path(__file__).parents[1]
_HEAD = ("table", "method", "CPU s", "s", "peak MB", "reads", "value", "gap")


def rows_of(m: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of a table, and their classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    score = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] * (X[:, 3] > 0) + 0.5 * rng.normal(size=m)
    return X, (score > 0).astype(int)


def write(folder: Path, m: int, d: int) -> None:
    """Files of a table, piece by piece."""
    import pyarrow as pa
    from pyarrow import parquet

    for seed, first in enumerate(range(0, m, _PIECE)):
        X, y = rows_of(min(_PIECE, m - first), d, seed)
        columns = {f"x{j}": X[:, j] for j in range(d)}
        frame = pa.table({**columns, "y": y})
        parquet.write_table(frame, folder / f"{seed:04d}.parquet", compression="lz4")


def _whole(folder: Path):
    """The table in memory."""
    from pyarrow import parquet

    frame = parquet.read_table(folder)
    X = np.empty((frame.num_rows, frame.num_columns - 1))
    for j in range(X.shape[1]):
        X[:, j] = frame.column(j).to_numpy()
    return X, frame.column("y").to_numpy()


def _in_parts(estimator, folder):
    import planetree
    from planetree.distributed import open_partitions

    return getattr(planetree, estimator)().fit(open_partitions(folder, target="y"))


def _plane_on_cluster(n_workers, folder):
    """The seconds are those of the fit, without those that the workers take to start."""
    from distributed import Client, LocalCluster

    from planetree import RobustSeparator
    from planetree.distributed import open_partitions, using

    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        using(client),
    ):
        client.gather([client.submit(_load, pure=False, workers=[w]) for w in _addresses(client)])
        started = time.monotonic()
        model = RobustSeparator().fit(open_partitions(folder, target="y"))
        model.seconds = time.monotonic() - started
        return model


def _addresses(client):
    return list(client.scheduler_info()["workers"])


def _in_memory(estimator, n_jobs, folder):
    """The seconds are those of the fit, without those of reading."""
    import planetree

    X, y = _whole(folder)
    started = time.monotonic()
    model = getattr(planetree, estimator)(n_jobs=n_jobs).fit(X, y)
    model.seconds = time.monotonic() - started
    return model


def _gradients(folder):
    """Hinge loss by stochastic gradients, five times over the files."""
    from pyarrow import parquet
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="hinge", alpha=1e-6, average=True, random_state=0)
    for _ in range(5):
        for path in sorted(Path(folder).glob("*.parquet")):
            frame = parquet.read_table(path)
            X = np.column_stack([frame.column(j).to_numpy() for j in range(frame.num_columns - 1)])
            model.partial_fit(X, frame.column("y").to_numpy(), classes=[0, 1])
    return model


def _logistic(folder):
    """Logistic regression of scikit-learn, in memory."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(*_whole(folder))


def _boosted(folder):
    """A hundred trees of xgboost on Dask, two workers."""
    from dask import dataframe
    from distributed import Client, LocalCluster
    from xgboost import dask as boosted

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        frame = dataframe.read_parquet(folder).persist()  # else X and y come in different parts
        rows = boosted.DaskDMatrix(client, frame.drop(columns="y"), frame["y"])
        given = {"objective": "binary:logistic", "tree_method": "hist"}
        return boosted.train(client, given, rows, num_boost_round=100)["booster"]


METHODS = {
    "plane, parts": partial(_in_parts, "RobustSeparator"),
    "plane, one worker": partial(_plane_on_cluster, 1),
    "plane, two workers": partial(_plane_on_cluster, 2),
    "plane, memory": partial(_in_memory, "RobustSeparator", None),
    "plane, two threads": partial(_in_memory, "RobustSeparator", 2),
    "plane, gradients": _gradients,
    "plane, logistic": _logistic,
    "boosted trees, xgboost": _boosted,
    "quadratic, parts": partial(_in_parts, "QuadraticSeparator"),
    "quadratic, memory": partial(_in_memory, "QuadraticSeparator", None),
    "tree, parts": partial(_in_parts, "PlaneTreeClassifier"),
    "tree, memory": partial(_in_memory, "PlaneTreeClassifier", None),
    "tree, two threads": partial(_in_memory, "PlaneTreeClassifier", 2),
    "separator tree, parts": partial(_in_parts, "SeparatorTreeClassifier"),
    "separator tree, memory": partial(_in_memory, "SeparatorTreeClassifier", None),
}


def work(method: str, folder: str) -> None:
    """Fit one method to one table and print its figures as JSON."""
    warnings.simplefilter("ignore")
    _load()
    started, cpu = time.monotonic(), _cpu()
    try:
        model = METHODS[method](folder)
    except ImportError as error:
        raise SystemExit(str(error)) from error
    seconds, cpu = time.monotonic() - started, _cpu() - cpu
    seconds = getattr(model, "seconds", seconds)
    value, gap = (
        _value(model, folder) if _is_plane(method) else math.nan,
        getattr(model, "gap_", math.nan),
    )
    found = [cpu, seconds, getattr(model, "n_reads_", math.nan), value, float(gap)]
    print(json.dumps([*found, float(getattr(model, "bound_", math.nan))]))


def _is_plane(method: str) -> bool:
    """Whether a method is judged by the value of the plane with the least average violation."""
    return method.startswith("plane")


def _load() -> None:
    """Import what all methods use, and run what is made at first use."""
    from planetree import PlaneTreeClassifier, RobustSeparator

    X, y = rows_of(500, 4, 0)
    for model in (RobustSeparator(), PlaneTreeClassifier()):
        model.fit(X, y)


def _cpu() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, kinds))


def _value(model, folder) -> float:
    """Objective of a plane at its best size among a few, over all rows."""
    totals, counts = np.zeros((60, 2)), np.zeros(2)
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    sizes = np.append(1.0, np.geomspace(0.02, 50, 59)) if not hasattr(model, "gap_") else [1.0]
    from pyarrow import parquet

    for path in sorted(Path(folder).glob("*.parquet")):
        frame = parquet.read_table(path)
        X = np.column_stack([frame.column(j).to_numpy() for j in range(frame.num_columns - 1)])
        y = frame.column("y").to_numpy()
        own = np.where(y == 1, 1.0, -1.0) * (X @ w + b)
        counts += np.bincount(y, minlength=2)
        for s, size in enumerate(sizes):
            totals[s] += np.bincount(y, np.maximum(0.0, 1.0 - size * own), 2)
    return float((totals[: len(sizes)] / counts).sum(axis=1).min())


def figures(method: str, folder: Path) -> dict[str, float]:
    """Figures of one fit, in a process of its own on one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    given = [sys.executable, "-m", "benchmarks.scale", "--work", method, "--folder", str(folder)]
    pipe = subprocess.PIPE
    run = subprocess.Popen(
        given, env=os.environ | threads, stdout=pipe, stderr=pipe, text=True, cwd=_HOME
    )
    watch = _Memory(run.pid)
    out, err = run.communicate()
    watch.done.set()
    if run.returncode:
        raise RuntimeError(err.strip().splitlines()[-1])
    cpu, seconds, reads, value, gap, bound = json.loads(out.strip().splitlines()[-1])
    return {
        "CPU s": cpu, "s": seconds, "peak MB": watch.peak / 1e6, "reads": reads,
        "value": value, "gap": gap, "bound": bound,
    }  # fmt: skip


class _Memory:
    """Largest resident size of a process and all that it started, looked at often."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak, self.done = pid, 0, threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.done.wait(0.05):
            self.peak = max(self.peak, sum(map(_resident, self._family())))

    def _family(self) -> list[int]:
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text().rpartition(")")[2].split()
                    parents[int(entry.name)] = int(stat[1])
                except (OSError, IndexError):
                    continue
        family, size = {self.pid}, 0
        while len(family) > size:
            size = len(family)
            family |= {pid for pid, parent in parents.items() if parent in family}
        return sorted(family)


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _growth(found: dict, method: str) -> list[str]:
    """Exponents of CPU seconds in the rows."""
    lines = []
    sizes = sorted(key[:2] for key in found if key[2] == method)
    for (m, d), (m2, d2) in pairwise(sizes):
        if d == d2 and m2 > m:
            ratio = found[m2, d2, method]["CPU s"] / found[m, d, method]["CPU s"]
            lines.append(f"{method}, {m} to {m2}: {math.log(ratio) / math.log(m2 / m):.2f}")
    return lines


def _ratios(found: dict) -> list[str]:
    """CPU seconds in parts as multiples of those in memory, and what a second worker gains."""
    lines = []
    for (m, d, method), got in found.items():
        whole = found.get((m, d, method.replace("parts", "memory")))
        if method.endswith("parts") and whole:
            ratio = got["CPU s"] / whole["CPU s"]
            lines.append(f"{m} x {d}, {method}: {ratio:.2f} times the CPU seconds of memory")
        for one, more in (("one worker", "two workers"), ("memory", "two threads")):
            two = found.get((m, d, method.replace(one, more)))
            if method.endswith(one) and two:
                ratio = got["s"] / two["s"]
                lines.append(f"{m} x {d}, {method}: {ratio:.2f} times as fast with {more}")
    return lines


def _task_seconds(n_tasks: int = 400) -> float:
    """What a task costs the scheduler and the driver, by tasks that do nothing."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.gather(client.map(abs, range(20), pure=False))
        started = time.monotonic()
        client.gather(client.map(abs, range(n_tasks), pure=False))
        return (time.monotonic() - started) / n_tasks


def _reduced_seconds(columns: int, rows: int = 300_000) -> float:
    """What a program of as many rows as stand alone takes here."""
    from planetree import RobustSeparator

    X, y = rows_of(rows // 10, columns, 0)
    started = time.process_time()
    RobustSeparator().fit(X, y)
    return 10 * (time.process_time() - started)


def simulate(found: dict) -> str:
    """A billion rows of 100 columns on 100 workers, from what was measured here.

    A read costs a worker its share of the rows times the CPU seconds of a cell in a read. Near rows
    are taken to be a tenth of the rows, visited by ten steps of Newton's method at a fifth of the
    cost of reading them; 300,000 of them are gathered and solved here.
    """
    runs = [(m, d, v) for (m, d, name), v in found.items() if name == "plane, parts"]
    if not runs:
        return "No run of the plane in parts: nothing to simulate."
    m, d, largest = max(runs, key=lambda each: each[0] * each[1])
    rows, columns, workers, reads = 1e9, 100, 100, largest["reads"]
    cell, task, solve = largest["CPU s"] / (reads * m * d), _task_seconds(), _reduced_seconds(100)
    read = rows / workers * columns * cell
    newton = 10 * 0.1 * read / 5
    n_tasks = (reads + 10) * rows / 1e6
    total = reads * read + newton + task * n_tasks + reads * solve
    return (
        f"Measured: a cell costs {cell * 1e9:.1f} ns a read ({m} x {d}, {reads:.0f} reads), a task "
        f"{task * 1e3:.2f} ms, a program of 300,000 x {columns} rows {solve:.0f} s.\n"
        f"Simulated: 1e9 x {columns} on {workers} workers. {reads:.0f} reads of {read:.0f} s, "
        f"Newton's steps {newton:.0f} s, {n_tasks:.0f} tasks {task * n_tasks:.0f} s, "
        f"{reads:.0f} programs {reads * solve:.0f} s: {total / 60:.1f} minutes."
    )


def _line(cells) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def main(arguments: list[str] | None = None) -> None:
    """Write the tables, run the methods, print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--tables", default="1e6x20,1e6x100", help="rows x columns, with commas")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of methods' names")
    parser.add_argument("--keep", action="store_true", help="go on with what was kept")
    parser.add_argument("--page", action="store_true", help="write the page of what was kept")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments or [])
    if asked.work:
        return work(asked.work, asked.folder)
    found = _kept_figures.kept() if asked.keep or asked.page else {}
    if asked.page:
        order = sorted(found, key=lambda key: (key[1], key[0], list(METHODS).index(key[2])))
        table = [_line(_HEAD), "|" + " --- |" * len(_HEAD), *(_row(found, *key) for key in order)]
        notes = [f"- {line}" for line in _lines(found)]
        return _kept_figures.write_page([*table, "", *notes, "", *simulate(found).split("\n")])
    for name in asked.tables.split(","):
        m, d = (int(float(each)) for each in name.split("x"))
        chosen = [each for each in METHODS if any(word in each for word in asked.only)]
        wanted = [each for each in chosen if (m, d, each) not in found]
        with tempfile.TemporaryDirectory() as home:
            if wanted:
                write(Path(home), m, d)
            for method in wanted:
                try:
                    found[m, d, method] = figures(method, Path(home))
                except RuntimeError as reason:
                    print(f"Skipped {method}: {reason}", flush=True)
                else:
                    print(_row(found, m, d, method), flush=True)
                if asked.keep:
                    _kept_figures.keep(found)
    print(*_lines(found), simulate(found), sep="\n", flush=True)
    return None


def _lines(found: dict) -> list[str]:
    """Growth, and ratios."""
    growth = [f"Growth of {line}" for method in METHODS for line in _growth(found, method)]
    return growth + _ratios(found)


def _row(found: dict, m: int, d: int, method: str) -> str:
    """Figures of a method as a line of the table."""
    got = found[m, d, method]
    bounds = [v["bound"] for key, v in found.items() if key[:2] == (m, d) and _is_plane(key[2])]
    value = got["value"] / np.nanmax(bounds) if np.nansum(bounds) > 0 else math.nan
    cells = [f"{got['CPU s']:.1f}", f"{got['s']:.1f}", f"{got['peak MB']:.0f}"]
    reads = "" if math.isnan(got["reads"]) else f"{got['reads']:.0f}"
    proved = "" if math.isnan(got["gap"]) else f"{got['gap']:.0e}"
    shown = "" if math.isnan(value) else f"{value:.6f}"
    rows = f"{m:.0e}".replace("e+0", "e")
    return _line([f"{rows} x {d}", method, *cells, reads, shown, proved])


if __name__ == "__main__":
    main(sys.argv[1:])
