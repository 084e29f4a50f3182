"""Models with hostile names, exported and executed: the answers are those of the model.

    does not run     an export that its own interpreter or compiler refuses
    other answer     a class that differs from `predict`
    other share      a probability that differs from `predict_proba` by more than 1e-9
    escape           a terminal escape of a name that `to_text` prints raw

A name that the target itself has no way to write may be refused with a ValueError. Rows whose best
two classes are equally good are not compared.
"""

import ctypes
import shutil
import sqlite3
import subprocess
import tempfile
import traceback
import warnings
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
from sklearn.base import clone

from campaigns.fuzzing.workers import Trial
from planetree import (
    C45Classifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.convert import to_c, to_onnx, to_python, to_sql
from planetree.table import Table

onnxruntime.set_default_logger_severity(3)
ESTIMATORS = [
    C45Classifier(),
    PlaneTreeClassifier(),
    PlaneTreeClassifier(grading=None),
    RobustSeparator(),
    SeparatorTreeClassifier(max_splits=2),
]
PIECES = [
    "true", "NULL", "select", "order", "int", "def", "class", "lambda", "None", "row", "label", "X",
    '"', "'", "''", '";', "--", "/*", "*/", "//", "\\", "\\n", "\n", "\r", "\t", "\x00", "\x1b[31m",
    "\u202e", "\u2028", "%s", "{0}", "{", "}", "$1", ":a", "?", "??/", "`", "[", "]", "#", "é",
    "日本", "\U0001f600", " ", "", ".", "..", "0", "-1", "1e5", "nan", "x" * 300, "<script>",
    "&amp;", "=cmd()", "prediction", "some rows", "predict", "math", "isinstance", "a.b", "rowid",
    "e\u0301",
]  # fmt: skip


def name(rng, taken):
    """A hostile name that is not taken, in whatever letters; with no NUL in every second."""
    while True:
        found = "".join(rng.choice(PIECES, size=rng.integers(1, 4)))
        if found.casefold() not in taken:
            taken.add(found.casefold())
            return found


def table(rng, m):
    """Rows with hostile names of columns and categories, and hostile names of classes."""
    taken = set()
    x, z = rng.normal(size=m), rng.normal(size=m)
    words = np.array([name(rng, set()) for _ in range(3)], dtype=object)
    words = words if len(set(words)) == 3 else np.array(["a", "b", "c"], dtype=object)
    kind = rng.integers(0, 3, size=m)
    frame = pd.DataFrame({name(rng, taken): x, name(rng, taken): z})
    frame[name(rng, taken)] = pd.Categorical(words[kind], categories=sorted(words))
    classes = np.array(sorted({name(rng, taken), name(rng, taken), name(rng, taken)}), dtype=object)
    score = x + (kind == 0) - 0.5 * z + 0.3 * rng.normal(size=m)
    return frame, classes[np.digitize(score, [0.0, 1.0])[:m]]


def _records(frame):
    cells = frame.astype(object)
    return cells.where(cells.notna(), None).to_dict("records")


def by_python(model, frame):
    """Classes and shares of the exported module."""
    module = {}
    exec(to_python(model), module)
    rows = _records(frame)
    return [module["predict"](row) for row in rows], [module["predict_shares"](r) for r in rows]


def by_c(model, frame):
    """Classes and shares of the exported source, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "model.c", Path(folder) / "model.so"
        source.write_text(to_c(model), encoding="ascii")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-shared", "-fPIC"]
        built = [shutil.which("cc"), *flags, str(source), "-o", str(library), "-lm"]
        subprocess.run(built, check=True, capture_output=True)
        functions, pointer = ctypes.CDLL(str(library)), ctypes.POINTER(ctypes.c_double)
        rows = np.ascontiguousarray(Table.read(frame, model.columns_).values)
        shares, codes = np.zeros((len(rows), len(model.classes_))), []
        for row, share in zip(rows, shares, strict=True):
            functions.predict_shares(row.ctypes.data_as(pointer), share.ctypes.data_as(pointer))
            codes.append(functions.predict(row.ctypes.data_as(pointer)))
    return model.classes_[codes], shares


def _quoted(names):
    return ['"' + each.replace('"', '""') + '"' for each in names]


def by_sqlite(model, frame):
    """Classes and shares of the exported query in SQLite."""
    query = to_sql(model, "some rows", dialect="sqlite", probabilities=True)
    base = sqlite3.connect(":memory:")
    base.execute(f'CREATE TABLE "some rows" ({", ".join(_quoted(frame))})')
    marks = ", ".join("?" * frame.shape[1])
    base.executemany(
        f'INSERT INTO "some rows" VALUES ({marks})', [tuple(r.values()) for r in _records(frame)]
    )
    return _split(base.execute(query).fetchall(), frame)


def by_duckdb(model, frame):
    """Classes and shares of the exported query in DuckDB."""
    query = to_sql(model, "some rows", dialect="duckdb", probabilities=True)
    base = duckdb.connect()
    kinds = ["VARCHAR" if kind == "category" else "DOUBLE" for kind in frame.dtypes]
    columns = ", ".join(f"{n} {kind}" for n, kind in zip(_quoted(frame), kinds, strict=True))
    base.execute(f'CREATE TABLE "some rows" ({columns})')
    marks = ", ".join("?" * frame.shape[1])
    base.executemany(
        f'INSERT INTO "some rows" VALUES ({marks})', [list(r.values()) for r in _records(frame)]
    )
    return _split(base.execute(query).fetchall(), frame)


def _split(rows, frame):
    n = frame.shape[1]
    return [row[n] for row in rows], [row[n + 1 :] for row in rows]


def by_onnx(model, frame):
    """Classes and shares of the exported graph in onnxruntime."""
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
    by_input = {f"input {each}": each for each in frame}
    inputs = {}
    for each in session.get_inputs():
        cells = frame[[each.name if each.name in frame else by_input[each.name]]]
        text = each.type == "tensor(string)"
        inputs[each.name] = cells.astype(object if text else float).to_numpy()
    return session.run(None, inputs)


TARGETS = {
    "python": by_python, "c": by_c, "sqlite": by_sqlite, "duckdb": by_duckdb, "onnx": by_onnx,
}  # fmt: skip


def compare(target, model, frame):
    """Findings of one export."""
    try:
        classes, shares = TARGETS[target](model, frame)
    except subprocess.CalledProcessError as error:
        return {"does not run": f"{target}: {error.stderr.decode()[:250]}"}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1].filename
        refused = isinstance(error, ValueError) and "/planetree/" in place
        return {} if refused else {"does not run": f"{target}: {error!r}"[:300]}
    expected = model.predict_proba(frame)
    best = np.sort(expected, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-12
    found = {}
    if (np.asarray(classes, dtype=object)[clear] != model.predict(frame)[clear]).any():
        found["other answer"] = target
    off = np.abs(np.asarray(shares, dtype=float) - expected).max()
    if not off < 1e-9:
        found["other share"] = f"{target}: {off:.1e}"
    return found


def _can_hold(target, names):
    """Whether a target has a way to write names: none has NUL, DuckDB no empty name."""
    if target in ("sqlite", "duckdb", "onnx") and any("\x00" in each for each in names):
        return False
    return target != "duckdb" or "" not in names


def trial(seed, number):
    """One model with every export; the C compiler in every fourth trial."""
    rng = np.random.default_rng([seed, number])
    estimator = ESTIMATORS[number % len(ESTIMATORS)]
    frame, y = table(rng, 60)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(estimator).fit(frame, y)
        words = [*frame.columns, *frame.iloc[:, 2].cat.categories, *map(str, model.classes_)]
        for target in TARGETS:
            if _can_hold(target, words) and (target != "c" or number % 4 == 0):
                found |= compare(target, model, frame)
        if hasattr(model, "to_text") and "\x1b" in model.to_text():
            found["escape"] = repr(model.to_text())[:300]
    names = f"columns, categories and classes {words}; rows {seed, number} of `table`"
    return Trial(type(estimator).__name__, found, f"{estimator!r}: {names}" if found else "")
