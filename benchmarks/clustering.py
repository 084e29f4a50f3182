"""Programs of the clustering selectors on leukemia against the same programs given whole.

HiGHS and scipy get all rows at once, as matrices that are built before their clocks start: the
clocks of ours include building rows. Algorithm 1 is timed on its first steps, with the same sizes
for all. Seconds are those of the processor. Every measurement has a process of its own; memory is
its peak beyond what it took to load the data.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from experiments.harness.tables import leukemia
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.feature_selection.clustering.biclustering import _search
from planetree.feature_selection.clustering.biclustering_programs import (
    Biclustering,
    ConsistencyProgram,
)
from planetree.feature_selection.clustering.centroid import _CentroidProgram
from planetree.feature_selection.clustering.pairwise import _PairwiseProgram
from planetree.feature_selection.clustering.principles import PRINCIPLES
from planetree.feature_selection.clustering.samples import Samples, read_samples
from planetree.solvers.linear_program import Solution

SEPARATION = 0.1
N_STEPS = 5


class Whole(NamedTuple):
    """min cost.x with rows x >= side (equal to it in the first `n_equal`), 0 <= x <= upper."""

    cost: np.ndarray
    rows: sp.csr_array
    side: np.ndarray
    n_equal: int
    upper: np.ndarray


def samples(share: float = 1.0) -> Samples:
    """Training samples of leukemia with a share of their features."""
    training, _ = leukemia()
    X = training.X[:, : int(share * training.X.shape[1])]
    return read_samples(CentroidSelector(), X, training.y)


def biclustering(of: Samples) -> Biclustering:
    kept = np.ones(len(of.codes), dtype=bool)
    classes = of.class_means().argmax(axis=0)
    return Biclustering(of.values, of.codes, classes, SEPARATION, kept)


def centroid_whole(of: Samples) -> Whole:
    own, others = of.class_means()[of.codes], of.class_means()[1 - of.codes]
    rows = (of.values - others) ** 2 - (of.values - own) ** 2
    rows /= np.abs(rows).mean(axis=1, keepdims=True)
    m = of.n_columns
    return Whole(np.full(m, -1.0), sp.csr_array(rows), np.zeros(len(rows)), 0, np.ones(m))


def pairwise_whole(of: Samples) -> Whole:
    program, m = _PairwiseProgram(of), of.n_columns
    squares, same = program.squares(np.arange(len(program.same))), program.same[:, None]
    rows = np.hstack([np.where(same, -squares, squares), same * 1.0, ~same * -1.0])
    rows = np.vstack([np.append(np.zeros(m), [-1.0, 1.0]), rows])
    cost, upper = np.append(np.zeros(m), [1.0, -1.0]), np.append(np.ones(m), [np.inf, np.inf])
    return Whole(cost, sp.csr_array(rows), np.zeros(len(rows)), 0, upper)


def step_whole(problem: Biclustering, sizes: np.ndarray) -> Whole:
    """Step 2 of Algorithm 1 with x and z, the rows of (23) written out."""
    m, members = len(problem.classes), sp.csr_array(problem.members, dtype=float)
    own, t = problem.members[problem.codes], problem.separation
    rows = np.where(own, 1.0, -(1.0 + t)) * problem.values / np.abs(problem.values).mean()
    none, one = sp.csr_array((m, m)), sp.eye_array(m)
    matrix = sp.block_array(
        [
            [sp.csr_array(members.shape), members],
            [sp.csr_array(rows.shape), sp.csr_array(rows)],
            [-one, sp.diags_array(sizes[problem.classes])],
            [one, -one + none],
        ],
        format="csr",
    )
    side = np.append(np.ones(len(sizes)), np.zeros(matrix.shape[0] - len(sizes)))
    cost = np.append(np.full(m, -1.0), np.zeros(m))
    return Whole(cost, matrix, side, len(sizes), np.ones(2 * m))


def by_highs(whole: Whole) -> float:
    import highspy

    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    n_rows, n_columns = whole.rows.shape
    high = np.where(np.arange(n_rows) < whole.n_equal, whole.side, highspy.kHighsInf)
    starts, columns = (part.astype(np.int32) for part in (whole.rows.indptr, whole.rows.indices))
    upper = np.minimum(whole.upper, highspy.kHighsInf)
    model.passModel(
        n_columns, n_rows, whole.rows.nnz, 2, 1, 0.0, whole.cost, np.zeros(n_columns), upper,
        whole.side, high, starts, columns, whole.rows.data, np.zeros(n_columns, dtype=np.int32),
    )  # fmt: skip
    model.run()
    return model.getObjectiveValue()


def by_scipy(whole: Whole) -> float:
    equal, n = whole.rows[: whole.n_equal], whole.n_equal
    bounds = np.column_stack([np.zeros(len(whole.upper)), whole.upper])
    below = {"A_ub": -whole.rows[n:], "b_ub": -whole.side[n:]}
    equal_to = {"A_eq": equal, "b_eq": whole.side[:n]} if n else {}
    return linprog(whole.cost, **below, **equal_to, bounds=bounds).fun


PEERS = {"HiGHS": by_highs, "scipy": by_scipy}


def peak() -> float:
    """Largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(work: Callable[[], Any], before: float = 0.0) -> tuple[float, float, float]:
    """Seconds, memory in MB beyond `before`, and value of some work; short work is repeated."""
    import highspy  # noqa: F401, an import is not what is measured

    times: list[float] = []
    while sum(times) < 1.0 and len(times) < 5:
        start = time.process_time()
        value = work()
        times.append(time.process_time() - start)
    return min(times), peak() - before, value


def centroid_program(of: Samples) -> Solution:
    return _CentroidProgram(of, PRINCIPLES["k_means"], 0.0).most_weight(np.ones(of.n_columns))


def centroid(method: str) -> tuple[float, float, float]:
    of, before = samples(), peak()
    if method == "ours":
        return measured(lambda: centroid_program(of).objective, before)
    whole = centroid_whole(of)
    return measured(lambda: PEERS[method](whole), before)


def pairwise(method: str) -> tuple[float, float, float]:
    of, before = samples(), peak()
    if method == "ours":
        return measured(lambda: _PairwiseProgram(of).solve("separation").objective, before)
    whole = pairwise_whole(of)
    return measured(lambda: PEERS[method](whole), before)


def algorithm_1(method: str) -> tuple[float, float, float]:
    problem, before = biclustering(samples()), peak()
    sizes: list[np.ndarray] = []

    def steps() -> float:
        program = ConsistencyProgram(problem)
        sizes[:] = [problem.members.sum(axis=1).astype(float)]
        for _ in range(N_STEPS):
            x = program.step(sizes[-1])
            sizes.append(np.floor(problem.members @ x + 1e-6))
        return -float(x.sum())

    if method == "ours":
        return measured(steps, before)
    steps()
    wholes = [step_whole(problem, each) for each in sizes[:-1]]
    return measured(lambda: [PEERS[method](whole) for whole in wholes][-1], before)


def growth(share: float) -> tuple[int, float, float, float]:
    of = samples(share)
    problem = biclustering(of)
    works = (
        lambda: centroid_program(of),
        lambda: _PairwiseProgram(of).solve("separation"),
        lambda: _search(problem),
    )
    return of.n_columns, *(measured(work)[0] for work in works)


def fits() -> list[tuple[str, float]]:
    training, _ = leukemia()
    models = [
        CentroidSelector(),
        PairwiseSelector(),
        BiclusteringSelector(separation=SEPARATION),
        BiclusteringSelector(separation=SEPARATION, method="iterative"),
    ]
    return [(repr(m), measured(lambda m=m: m.fit(training.X, training.y))[0]) for m in models]


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Result of some work in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(work, *arguments).result()


def main() -> None:
    """Print the programs, the growth with the number of features, and whole fits."""
    print(f"{'program':<34} {'method':<7} {'seconds':>8} {'ratio':>6} {'MB':>7} {'value':>16}")
    names = {
        "centroid (18)(2)": centroid,
        "pairwise (20)(3)-(5)": pairwise,
        f"Algorithm 1, first {N_STEPS} steps": algorithm_1,
    }
    for name, work in names.items():
        base, *_ = ours = apart(work, "ours")
        for method in ("ours", *PEERS):
            spent, memory, value = ours if method == "ours" else apart(work, method)
            figures = f"{spent:>8.3f} {spent / base:>6.1f} {memory:>7.1f} {value:>16.5f}"
            print(f"{name:<34} {method:<7} {figures}", flush=True)
    print(f"\n{'features':>8} {'centroid, s':>12} {'pairwise, s':>12} {'search, s':>12}")
    for share in (0.125, 0.25, 0.5, 1.0):
        n, *times = apart(growth, share)
        print(f"{n:>8} " + " ".join(f"{each:>12.3f}" for each in times), flush=True)
    print()
    for name, spent in apart(fits):
        print(f"{name:<70} {spent:>8.2f} s", flush=True)


if __name__ == "__main__":
    main()
