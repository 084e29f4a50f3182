"""C4.5 against scikit-learn's tree by entropy, which does not prune, and against Weka's J48.

Both read the same encoded table in one thread; a line is the median of many runs of both, taken in
turns. J48 is run if java is there and WEKA_JAR names Debian's weka.jar.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from planetree import C45Classifier
from planetree.datasets import load
from planetree.table import Table
from planetree.tree import PreparedTable

PREPARED = ("heart-cleveland", "splice")
WHOLE = ("heart-cleveland", "splice", "magic", "adult")
ROWS = (12_500, 25_000, 50_000, 100_000)


def main() -> None:
    """Print every comparison, or why it is left out."""
    if not os.environ.get("PLANETREE_DATA"):
        print("PLANETREE_DATA does not name a folder of data sets: only made-up rows are timed.")
    else:
        tables = {name: encoded(name) for name in WHOLE}
        trees_on_a_prepared_table(tables)
        whole_fits(tables)
        subset_evaluations(*tables["heart-cleveland"])
        against_j48(*tables["heart-cleveland"])
    growth_in_rows()


def encoded(name: str) -> tuple[Table, np.ndarray]:
    """A data set as numbers and category codes, and its class codes."""
    data = load(name)
    return Table.read(data.X), np.unique(data.y, return_inverse=True)[1]


def theirs(X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)


def medians(*tasks: Callable[[], object], seconds: float = 3.0) -> list[float]:
    """Median milliseconds of each task; they take turns, ten runs each, until the time is over."""
    spent: list[list[float]] = [[] for _ in tasks]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(spent[0]) < 5:
        for task, times in zip(tasks, spent, strict=True):
            for _ in range(10 if not times or times[-1] < 50 else 1):
                start = time.perf_counter()
                task()
                times.append(1e3 * (time.perf_counter() - start))
    return [float(np.median(times)) for times in spent]


def line(name: str, mine: float, other: float) -> None:
    print(f"{name:>40} {mine:>9.3f} {other:>9.3f} {other / mine:>7.1f}", flush=True)


def trees_on_a_prepared_table(tables: dict) -> None:
    print(f"{'grown and pruned, table prepared; ms':>40} {'ours':>9} {'sklearn':>9} {'ratio':>7}")
    for name in PREPARED:
        table, y = tables[name]
        tasks = partial(grow_and_prune, PreparedTable(table, y)), partial(theirs, table.values, y)
        line(name, *medians(*tasks))


def grow_and_prune(prepared: PreparedTable) -> object:
    return prepared.grow().prune(0.25)


def whole_fits(tables: dict) -> None:
    print(f"\n{'whole fit; ms':>40} {'ours':>9} {'sklearn':>9} {'ratio':>7}")
    for name in WHOLE:
        table, y = tables[name]
        line(name, *medians(partial(fit, table, y), partial(theirs, table.values, y)))


def fit(table: Table, y: np.ndarray) -> C45Classifier:
    return C45Classifier().fit(table, y)


def subset_evaluations(table: Table, y: np.ndarray) -> None:
    """Ten folds of one subset of half the features, as a wrapper search evaluates it."""
    rng = np.random.default_rng(0)
    folds, d = np.arange(len(y)) % 10, table.values.shape[1]
    validator = PreparedTable(table, y).cross_validator(folds)

    def ours() -> float:
        return validator.run(np.sort(rng.choice(d, d // 2, replace=False))).errors.sum()

    def loop() -> float:
        X = table.values[:, np.sort(rng.choice(d, d // 2, replace=False))]
        out = [folds == fold for fold in range(10)]
        return sum((theirs(X[~o], y[~o]).predict(X[o]) != y[o]).sum() for o in out)

    mine, other = medians(ours, loop)
    print(f"\n{'ten folds of half of heart; ms':>40} {'ours':>9} {'sklearn':>9} {'ratio':>7}")
    line(f"{1e3 / mine:.0f} evaluations a second", mine, other)


def growth_in_rows() -> None:
    """Seconds per n log n, and per row, column and decision on its way, which should not grow."""
    rng = np.random.default_rng(0)
    head = f"{'ms':>9} {'ns / n log2 n':>14} {'mean depth':>11} {'ns / row, column, depth':>24}"
    print(f"\n{'rows of ten numbers':>40} {head}")
    for n in ROWS:
        X = rng.normal(size=(n, 10))
        y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)
        table = Table.read(X)
        (spent,) = medians(partial(fit, table, y), seconds=1.0)
        tree = fit(table, y).unpruned_tree_
        depth = tree.weights[tree.n_branches > 0].sum() / n
        per_log, per_cell = 1e6 * spent / (n * np.log2(n)), 1e6 * spent / (n * 10 * depth)
        figures = f"{spent:>9.1f} {per_log:>14.1f} {depth:>11.1f} {per_cell:>24.1f}"
        print(f"{n:>40} {figures}", flush=True)


def against_j48(table: Table, y: np.ndarray) -> None:
    """J48 times itself over many trees in one virtual machine, after as many to warm up."""
    jar = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
    if not (shutil.which("java") and shutil.which("javac") and Path(jar).exists()):
        print("\nJ48 is left out: java, javac or weka.jar (WEKA_JAR) is not there.")
        return
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.arff")
        data.write_text(arff(table, y))
        Path(folder, "Time.java").write_text(TIME_J48)
        subprocess.run(["javac", "-cp", jar, "Time.java"], cwd=folder, check=True)
        command = ["java", "-cp", f"{jar}{os.pathsep}.", "Time", str(data)]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    prepared = PreparedTable(table, y)
    (mine,) = medians(partial(grow_and_prune, prepared))
    print(f"\n{'grown and pruned; ms':>40} {'ours':>9} {'J48':>9} {'ratio':>7}")
    line("heart-cleveland", mine, float(done.stdout))


def arff(table: Table, y: np.ndarray) -> str:
    """The table in Weka's format."""
    kinds = [
        "numeric"
        if c.categories is None
        else "{" + ",".join(map(str, range(len(c.categories)))) + "}"
        for c in table.columns
    ]
    head = ["@relation t", *[f"@attribute a{j} {kind}" for j, kind in enumerate(kinds)]]
    head += ["@attribute class {" + ",".join(map(str, np.unique(y))) + "}", "@data"]
    rows = [
        ",".join(["?" if np.isnan(v) else f"{v:g}" for v in row] + [str(c)])
        for row, c in zip(table.values, y, strict=True)
    ]
    return "\n".join(head + rows) + "\n"


TIME_J48 = """
import java.io.*;
import java.util.Arrays;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class Time {
    public static void main(String[] arguments) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(arguments[0])));
        data.setClassIndex(data.numAttributes() - 1);
        double[] times = new double[1000];
        for (int i = 0; i < 2 * times.length; ++i) {
            long start = System.nanoTime();
            new J48().buildClassifier(data);
            times[i % times.length] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(times);
        System.out.println(times[times.length / 2]);
    }
}
"""


if __name__ == "__main__":
    main()
