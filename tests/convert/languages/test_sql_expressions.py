"""Pieces of SQL: names and literals of any text."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from export_targets import answers

from planetree import C45Classifier
from planetree.convert import to_sql
from planetree.convert.languages.sql_expressions import quoted


def test_a_column_called_true_is_a_column(tmp_path):
    """SQLite read the TRUE of `IS NOT TRUE`, and that of a label, as the column of that name."""
    rng = np.random.default_rng(0)
    kind = pd.Categorical(rng.choice(["a", "b", "c"], 90))
    frame = pd.DataFrame({"true": rng.normal(size=90), "kind": kind})
    model = C45Classifier().fit(frame, (frame["true"] > 0) ^ (frame["kind"] == "a"))
    frame.loc[::5, "kind"] = None
    for target in ("sqlite", "duckdb"):
        found = answers(target, model, frame, tmp_path).astype(bool)
        assert np.array_equal(found, model.predict(frame)), target


def test_an_empty_name_is_refused_where_sql_has_none():
    """DuckDB failed with an error of its parser."""
    frame = pd.DataFrame({"": [0.0, 1.0, 2.0, 3.0]})
    model = C45Classifier().fit(frame, ["a", "a", "b", "b"])
    assert '""' in to_sql(model, dialect="sqlite")
    for dialect in ("standard", "duckdb", "postgresql"):
        with pytest.raises(ValueError, match="empty name"):
            to_sql(model, dialect=dialect)


@pytest.mark.parametrize("text", ["it's", '"', "a;b --", "ß\n", "%", "NULL", "''"])
def test_any_text_is_a_name_and_a_literal_that_a_database_gives_back(text):
    """What SQLite reads of a quoted name and of a label is the text itself."""
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t ({quoted(text)})")
    assert base.execute("SELECT * FROM t").description[0][0] == text
    frame = pd.DataFrame({text: [0.0, 1.0, 2.0, 3.0] * 3})
    model = C45Classifier().fit(frame, np.where(frame[text] > 1, text, "other"))
    base.executemany("INSERT INTO t VALUES (?)", frame.to_numpy().tolist())
    found = base.execute(f"SELECT {to_sql(model, dialect='sqlite')} FROM t").fetchall()
    assert [row[0] for row in found] == model.predict(frame).tolist()
