"""Models executed in other languages: Python, C, SQLite and DuckDB."""

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest
from odd_tables import (
    matrix_of,
    records_of,
)

from planetree.convert import to_c, to_python, to_sql


def by_python(model, frame, **options):
    module = {}
    exec(to_python(model, **options), module)
    return [module["predict"](row) for row in records_of(frame)]


def by_c(model, frame, tmp_path, **options):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = tmp_path / "model.c", tmp_path / "model.so"
    source.write_text(to_c(model, **options), encoding="ascii")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    predict = ctypes.CDLL(str(library)).predict
    rows = np.ascontiguousarray(matrix_of(model, frame))
    codes = [predict(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in rows]
    return [None if code < 0 else model.classes_[code] for code in codes]


def by_sqlite(model, frame, **options):
    names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in frame.columns]
    base = sqlite3.connect(":memory:")
    base.execute(f'CREATE TABLE "some ""rows""" ({", ".join(names)})')
    cells = [tuple(row.values()) for row in records_of(frame)]
    base.executemany(f'INSERT INTO "some ""rows""" VALUES ({", ".join("?" * len(names))})', cells)
    found = base.execute(to_sql(model, 'some "rows"', dialect="sqlite", **options)).fetchall()
    return [row[-1] for row in found]


def by_duckdb(model, frame, **options):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    kinds = {"rank": float, "select": object}
    frame = frame.astype({name: kinds[name] for name in frame if name in kinds})
    base.register("given", frame.assign(number=range(len(frame))))
    base.execute('CREATE TABLE "odd rows" AS SELECT * FROM given')
    first = f'"{frame.columns[0].replace(chr(34), chr(34) * 2)}"'
    nan = f"UPDATE \"odd rows\" SET {first} = 'NaN' WHERE {first} IS NULL AND number % 2 = 0"
    base.execute(nan)  # the other missing numbers stay NULL
    query = to_sql(model, "odd rows", dialect="duckdb", **options)
    return [row[-1] for row in base.execute(f"{query} ORDER BY number").fetchall()]


TARGETS = {"python": by_python, "c": by_c, "sqlite": by_sqlite, "duckdb": by_duckdb}


every_target = pytest.mark.parametrize("target", TARGETS)


def answers(target, model, frame, tmp_path, **options):
    extra = [tmp_path] if target == "c" else []
    return np.array(TARGETS[target](model, frame, *extra, **options), dtype=object)
