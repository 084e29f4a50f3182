"""What the campaigns found, each in its smallest form."""

import gzip
import io
import json
import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.neighbors import KNeighborsClassifier

import planetree
from planetree import C45Classifier, FloatingSelector
from planetree.convert import to_sql
from planetree.exceptions import FileError, ModelFileError
from planetree.table_files import read_examples

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])


@pytest.mark.parametrize("weight", [1 + 1j, 1e308, 5e-324])
def test_weights_that_no_sum_can_hold_are_refused(weight):
    """They were cast with a ComplexWarning, overflowed, or ended in an AssertionError."""
    with pytest.raises(ValueError, match=r"sample_weight"):
        C45Classifier().fit(X, Y, np.full(4, weight))


def test_a_column_named_true_is_no_truth_value_of_sqlite():
    """`IS NOT TRUE` meant the column: every known category was missing."""
    rng = np.random.default_rng(0)
    kinds = pd.Categorical(rng.choice([*"abc"], 60))
    frame = pd.DataFrame({"true": rng.normal(size=60), "kind": kinds})
    y = np.where(frame["kind"] == "a", "yes", np.where(frame["true"] > 0, "yes", "no"))
    model = C45Classifier().fit(frame, y)
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE "rows" ("true", "kind")')
    base.executemany('INSERT INTO "rows" VALUES (?, ?)', frame.astype(object).to_numpy().tolist())
    found = base.execute(to_sql(model, "rows", dialect="sqlite")).fetchall()
    assert [row[-1] for row in found] == model.predict(frame).tolist()


def test_a_model_file_without_a_needed_parameter_says_so(tmp_path):
    """It was a TypeError of the constructor."""
    path = tmp_path / "model.json"
    planetree.save(FloatingSelector(KNeighborsClassifier(1)).fit(np.hstack([X, -X]), Y), path)
    said = json.loads(path.read_text())
    del said["model"]["parameters"]["estimator"]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="parameters has no estimator"):
        planetree.load(path)


def test_damaged_packed_and_parquet_tables_are_file_errors(tmp_path):
    """They were OSErrors of pyarrow that named no file."""
    packed = bytearray(gzip.compress(b"size,class\n" + b"1.5,a\n2.5,b\n" * 50, mtime=0))
    packed[30] ^= 255
    (tmp_path / "t.csv.gz").write_bytes(packed)
    out = io.BytesIO()
    parquet.write_table(pa.table({"size": [1.5, 2.5], "class": ["a", "b"]}), out)
    damaged = bytearray(out.getvalue())
    damaged[4:12] = b"\xff" * 8
    (tmp_path / "t.parquet").write_bytes(damaged)
    for name in ("t.csv.gz", "t.parquet"):
        with pytest.raises(FileError, match=name):
            read_examples(tmp_path / name, "class")
