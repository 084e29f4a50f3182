"""The readable tree on a million rows of 20 columns, beside boosting and CART, in one run.

    python -m benchmarks.large                        1e5 and 1e6 rows, all methods
    python -m benchmarks.large --rows 1e7 --only tree one size, one method
    python -m benchmarks.large --other PYTHON         also the tree of another version's interpreter
    python -m benchmarks.large --keep                 keeps figures, for docs/readable_tree.md

The classes are those of x0 + 0.7 x1 - 0.5 x2 [x3 > 0] + noise > 0, the noise normal with deviation
0.5; 16 columns are noise alone. Each fit has a process of its own. Peak memory is that of the
process while it fits, less what it held before, as a multiple of the table. Accuracy is that on
200,000 fresh rows. Terms are a tree's tests, or mentions of columns in planes.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

_KEPT = Path(__file__).with_name("large.json")
_PAGE = Path(__file__).parents[1] / "docs" / "readable_tree.md"
_MARK = "<!-- figures: python -m benchmarks.large --keep -->"
_FRESH = 200_000
_HEAD = ("rows", "method", "CPU s", "s", "memory / table", "accuracy", "terms")


def table(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 20))
    score = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] * (X[:, 3] > 0) + 0.5 * rng.normal(size=m)
    return X, (score > 0).astype(int)


def _tree(X, y):
    from planetree import PlaneTreeClassifier

    model = PlaneTreeClassifier().fit(X, y)
    return model, model.n_terms_


def _lightgbm(X, y):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y), float("nan")


def _histogram_boosting(X, y):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0).fit(X, y), float("nan")


def _cart(X, y):
    """CART of a size that a person reads."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(X, y)
    return model, model.get_n_leaves() - 1


def _whole_cart(X, y):
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(min_samples_leaf=100, random_state=0).fit(X, y)
    return model, model.get_n_leaves() - 1


METHODS = {
    "tree": _tree,
    "LightGBM": _lightgbm,
    "HistGradientBoosting": _histogram_boosting,
    "CART, 16 leaves": _cart,
    "CART, leaves of 100": _whole_cart,
}


def work(method: str, m: int) -> None:
    """Fit one method to one table and print its figures as JSON."""
    warnings.simplefilter("ignore")
    X, y = table(m, 0)
    METHODS[method](X[:1000], y[:1000])  # what is loaded at first use
    held, cpu, clock = _peak(), time.process_time(), time.monotonic()
    model, terms = METHODS[method](X, y)
    cpu, clock = time.process_time() - cpu, time.monotonic() - clock
    memory = (_peak() - held) / X.nbytes
    fresh, classes = table(_FRESH, 1)
    accuracy = float(np.mean(np.asarray(model.predict(fresh)) == classes))
    print(json.dumps([cpu, clock, memory, accuracy, float(terms)]))


def _peak() -> float:
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def figures(python: str, method: str, m: int) -> list[float]:
    """Figures of one fit, in a process of its own on one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    given = [python, __file__, "--work", method, "--rows", str(m)]
    done = subprocess.run(given, env=os.environ | threads, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])


def _line(cells) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _figures_line(m: int, name: str, found: list[float]) -> str:
    cpu, clock, memory, accuracy, terms = found
    size = "n/a" if np.isnan(terms) else f"{terms:.0f}"
    return _line([m, name, f"{cpu:.2f}", f"{clock:.2f}", f"{memory:.2f}", f"{accuracy:.4f}", size])


def _keep(found: dict[tuple[int, str], list[float]]) -> None:
    """Keep figures, and show all that were kept on the page."""
    from benchmarks._kept_figures import write_page

    before = json.loads(_KEPT.read_text()) if _KEPT.exists() else []
    kept = {(m, name): figures for m, name, figures in before} | found
    by_rows = sorted(kept, key=lambda key: key[0])  # methods stay in the order of METHODS
    lines = ",\n".join(json.dumps([*key, kept[key]]) for key in by_rows)
    _KEPT.write_text(f"[\n{lines}\n]\n")
    write_page([*_HEAD_LINES, *(_figures_line(*key, kept[key]) for key in by_rows)], _PAGE, _MARK)


_HEAD_LINES = (_line(_HEAD), "|" + " --- |" * len(_HEAD))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--rows", default="1e5,1e6", help="sizes, with commas between")
    parser.add_argument("--only", default="", help="part of a method's name")
    parser.add_argument("--other", help="interpreter of an environment with another version")
    parser.add_argument("--keep", action="store_true", help="keep the figures for the docs")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments or [])
    sizes = [int(float(each)) for each in asked.rows.split(",")]
    if asked.work:
        return work(asked.work, sizes[0])
    runs = [(each, sys.executable, each) for each in METHODS if asked.only in each]
    runs += [("tree, other version", asked.other, "tree")] if asked.other else []
    print(*_HEAD_LINES, sep="\n")
    found = {}
    for m in sizes:
        for name, python, method in runs:
            try:
                found[m, name] = figures(python, method, m)
            except RuntimeError as reason:
                print(f"Skipped {name}: {reason}", flush=True)
                continue
            print(_figures_line(m, name, found[m, name]), flush=True)
    if asked.keep:
        _keep(found)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
