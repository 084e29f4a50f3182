"""What robust separation costs: the kernel and a whole fit against HiGHS and scipy's linprog.

Every method starts from the same prepared arrays: normalized rows and charges. Ours is the time of
HingeProgram with its solve and certificate; HiGHS gets the program in the form that suits it best,
the dual with the simplex method and no presolve; scipy gets the same form. The data are normal
clouds that overlap, with correlated columns, drawn afresh in each run.

The small sizes are solved several times on new data, and the medians are compared.
"""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import highspy
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from planetree import RobustSeparator
from planetree.solvers import HingeProgram

CAP = 60.0  # seconds for a peer


class Setting(NamedTuple):
    """Rows, columns and classes; the ratio to HiGHS that is our goal; how often it is drawn."""

    m: int
    n: int
    k: int = 2
    goal: float = 0.0
    repeats: int = 1


SETTINGS = (
    Setting(300, 13, goal=4, repeats=15),
    Setting(700, 9, goal=4, repeats=15),
    Setting(208, 60, goal=4, repeats=9),
    Setting(2000, 150, goal=10, repeats=3),
    Setting(5000, 50, goal=20, repeats=3),
    Setting(20000, 50, goal=80),
    Setting(100_000, 20, goal=80),
    Setting(1_000_000, 20, goal=80),
    Setting(200, 2000, repeats=3),
    Setting(2310, 19, 7, goal=8),
)


class Rows(NamedTuple):
    """Normalized rows of classes, as every method gets them."""

    Z: np.ndarray
    classes: np.ndarray
    charges: np.ndarray


def clouds(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Normal clouds with correlated columns, their middles about one deviation apart."""
    m, n, k = setting.m, setting.n, setting.k
    y = rng.permutation(np.resize(np.arange(k), m))
    mixing = rng.normal(size=(n, n)) / np.sqrt(n) + np.eye(n)
    middles = rng.normal(size=(k, n)) * 1.5 / np.sqrt(n)
    return (rng.normal(size=(m, n)) + middles[y]) @ mixing, y


def prepare(X: np.ndarray, y: np.ndarray) -> Rows:
    return Rows((X - X.mean(axis=0)) / X.std(axis=0), y.astype(np.int32), 1.0 / np.bincount(y))


def ours(rows: Rows) -> float:
    program = HingeProgram(rows.Z, rows.classes, np.ones(len(rows.Z)), rows.charges)
    return program.solve().objective


def dual_form(rows: Rows) -> tuple[sp.csc_array, np.ndarray]:
    """Columns of max 1.a, S'a = 0, 0 <= a <= c: one for each row and rival class, and the c."""
    Z, classes, charges = rows
    m, k = len(Z), len(charges)
    extended = np.column_stack([Z, -np.ones(m)])
    if k == 2:
        return sp.csc_array((np.where(classes == 1, 1.0, -1.0)[:, None] * extended).T), charges[
            classes
        ]
    own = np.repeat(classes, k - 1)
    rival = np.concatenate([np.delete(np.arange(k), a) for a in range(k)]).reshape(k, -1)[classes]
    block = np.repeat(extended, k - 1, axis=0)
    signs = np.eye(k)[own] - np.eye(k)[rival.ravel()]
    columns = [sp.csc_array((signs[:, [c]] * block).T) for c in range(1, k)]
    return sp.csc_array(sp.vstack(columns)), charges[own]


def run_highs(form: tuple[sp.csc_array, np.ndarray]) -> float:
    """One run of HiGHS, loading included; a NaN if the cap struck."""
    A, upper = form
    highs = highspy.Highs()
    options = {"output_flag": False, "threads": 1, "presolve": "off", "solver": "simplex"}
    for name, value in {**options, "time_limit": CAP}.items():
        highs.setOptionValue(name, value)
    rows, columns = A.shape
    zeros = np.zeros(rows)
    highs.passModel(
        columns, rows, A.nnz, int(highspy.MatrixFormat.kColwise), int(highspy.ObjSense.kMaximize),
        0.0, np.ones(columns), np.zeros(columns), upper, zeros, zeros,
        A.indptr[:-1].astype(np.int32), A.indices.astype(np.int32), A.data,
        np.zeros(columns, dtype=np.int32),
    )  # fmt: skip
    highs.run()
    optimal = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return highs.getInfo().objective_function_value if optimal else np.nan


def run_scipy(form: tuple[sp.csc_array, np.ndarray]) -> float:
    A, upper = form
    bounds = np.column_stack([np.zeros(len(upper)), upper])
    equal = np.zeros(A.shape[0])
    result = linprog(
        -np.ones(len(upper)), A_eq=A, b_eq=equal, bounds=bounds, options={"time_limit": CAP}
    )
    return -result.fun if result.status == 0 else np.nan


def capped(peer: Callable, form: tuple[sp.csc_array, np.ndarray]) -> tuple[float, float]:
    """Seconds and value of a peer in a process that the cap ends; its own limit comes late."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=lambda: send.send(timed(peer, form)))
    process.start()
    answer = receive.recv() if receive.poll(CAP + 1.0) else (np.inf, np.nan)
    process.kill()
    process.join()
    return answer


def timed(method: Callable, *arguments: object) -> tuple[float, float]:
    start = time.perf_counter()
    value = method(*arguments)
    return time.perf_counter() - start, value


def measure(setting: Setting, rng: np.random.Generator) -> dict[str, float]:
    """Median seconds of each method; infinite for a peer that the cap stopped."""
    spent: dict[str, list[float]] = {"ours": [], "fit": [], "HiGHS": [], "scipy": []}
    for _ in range(setting.repeats):
        X, y = clouds(setting, rng)
        rows = prepare(X, y)
        seconds, value = timed(ours, rows)
        spent["ours"].append(seconds)
        spent["fit"].append(timed(RobustSeparator().fit, X, y)[0])
        form = dual_form(rows)
        for name, peer in (("HiGHS", run_highs), ("scipy", run_scipy)):
            clock = capped if setting.m > 10_000 else timed
            seconds, other = clock(peer, form)
            if not np.isnan(other):
                np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-6)
            spent[name].append(np.inf if np.isnan(other) else seconds)
    return {name: float(np.median(each)) for name, each in spent.items()}


def said(seconds: float) -> str:
    return f"> {CAP:.0f} s" if np.isinf(seconds) else f"{1e3 * seconds:.2f}"


def ratio(peer: float, mine: float) -> str:
    return f"> {CAP / mine:.0f}" if np.isinf(peer) else f"{peer / mine:.1f}"


def compare(rng: np.random.Generator) -> None:
    """Print a line for each size: milliseconds, and how many times longer the peers take."""
    head = ("rows x columns", "ours", "fit", "HiGHS", "scipy", "HiGHS/ours", "scipy/ours", "goal")
    print("{:>16} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11} {:>5}".format(*head))
    for setting in SETTINGS:
        spent = measure(setting, rng)
        classes = f" k={setting.k}" if setting.k > 2 else ""
        ratios = [ratio(spent[peer], spent["ours"]) for peer in ("HiGHS", "scipy")]
        cells = [f"{setting.m}x{setting.n}{classes}", *map(said, spent.values()), *ratios]
        goal = f"{setting.goal:.0f}" if setting.goal else ""
        print(
            "{:>16} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11} {:>5}".format(*cells, goal),
            flush=True,
        )


def batch(rng: np.random.Generator, n_programs: int = 10_000, n_peer: int = 200) -> None:
    """Many small programs, as the growing of trees makes them."""
    draws = [prepare(*clouds(Setting(30, 5), rng)) for _ in range(n_programs)]
    mine = timed(lambda: [ours(rows) for rows in draws])[0] / n_programs
    forms = [dual_form(rows) for rows in draws[:n_peer]]
    theirs = timed(lambda: [run_scipy(form) for form in forms])[0] / n_peer
    print(f"\n{n_programs} programs of 30x5: ours {1e6 * mine:.0f} us each, ", end="")
    print(
        f"scipy {1e6 * theirs:.0f} us (of {n_peer}): {theirs / mine:.0f} times; goal 30", flush=True
    )


def growth(rng: np.random.Generator) -> None:
    """The exponent of time in rows from 10^4 to 10^6, at 20 columns."""
    sizes = (10_000, 100_000, 1_000_000)
    spent = []
    for m in sizes:
        draws = [prepare(*clouds(Setting(m, 20), rng)) for _ in range(3)]
        spent.append(np.median([timed(ours, rows)[0] for rows in draws]))
    exponent = np.polyfit(np.log(sizes), np.log(spent), 1)[0]
    listed = ", ".join(f"{m} rows {1e3 * s:.0f} ms" for m, s in zip(sizes, spent, strict=True))
    print(f"growth: {listed}: exponent {exponent:.2f}; goal at most 1.1", flush=True)


def peak_kilobytes() -> int:
    """Peak memory of this process alone: `getrusage` would count that of its parent too."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


def peak() -> None:
    """Print the peak memory of a fit at 1000000x20 over its data; wants a process of its own."""
    rng = np.random.default_rng()
    RobustSeparator().fit(*clouds(Setting(200, 20), rng))
    before = peak_kilobytes()
    X = rng.normal(size=(1_000_000, 20))
    y = np.resize([0, 1], len(X))
    X[:, 0] += y
    with_data = peak_kilobytes()
    RobustSeparator().fit(X, y)
    after = peak_kilobytes()
    data = X.nbytes / 1024
    assert with_data - before > 0.9 * data, "the data must be seen for the ratio to mean anything"
    print(
        f"memory of a fit at 1000000x20: peak {(after - before) / data:.2f} times the data, which "
        f"are 1 of it ({(after - with_data) / data:.2f} beyond them); goal at most 3"
    )


def main() -> None:
    """Print everything; the seed of the data comes first."""
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    rng = np.random.default_rng(seed)
    print(f"seed {seed}; milliseconds, one thread; peers are stopped after {CAP:.0f} s\n")
    compare(rng)
    batch(rng)
    growth(rng)
    script = "from benchmarks.separation import peak; peak()"
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", script], check=True)


if __name__ == "__main__":
    main()
