"""`planetree export`: every format, answered as the model answers."""

import sqlite3

import numpy as np
import pytest
from exit_codes import USAGE
from iris_table import iris_csv

from planetree import PlaneTreeClassifier, save


@pytest.mark.parametrize("to", ["rules", "sql", "python", "c", "network", "json"])
def test_export_writes_each_format(at, fitted, to):
    printed = at("export", "model.json", "--to", to)
    assert printed.code == 0, printed.err
    assert at("export", "model.json", "--to", to, "--out", f"m.{to}", "--force").code == 0
    assert (fitted / f"m.{to}").read_text().strip() == printed.out.strip()


def test_exported_sql_and_python_answer_as_the_model(at, fitted):
    answers = at("predict", "model.json", "iris.csv").out.splitlines()[1:]
    head, *lines = iris_csv().splitlines()
    names, cells = head.split(","), [line.split(",") for line in lines]
    database = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in names)
    database.execute(f"CREATE TABLE iris ({columns})")
    rows = [[*map(float, row[:4]), row[4]] for row in cells]
    database.executemany("INSERT INTO iris VALUES (?, ?, ?, ?, ?)", rows)
    query = at("export", "model.json", "--to", "sql", "--table", "iris", "--dialect", "sqlite").out
    assert [row[-1] for row in database.execute(query)] == answers
    module = {}
    exec(at("export", "model.json", "--to", "python", "--name", "flower").out, module)
    assert [module["flower"](dict(zip(names, row, strict=True))) for row in rows] == answers


def test_exported_sql_gives_probabilities(at, fitted):
    asked = ("--table", "iris", "--dialect", "sqlite", "--probabilities")
    query = at("export", "model.json", "--to", "sql", *asked).out
    assert query.count('AS "probability of ') == 3
    refused = at("export", "model.json", "--to", "c", "--probabilities")
    assert "--probabilities is not for --to c" in refused.err


def test_export_refuses_what_a_format_does_not_know(at):
    assert at("export", "model.json", "--to", "latin").refused(USAGE, "rules, sql")
    assert at("export", "model.json", "--to", "c", "--table", "t").refused(USAGE, "--table")


def test_export_asks_a_person_and_counts_checks(planetree):
    x = np.arange(80.0)
    save(PlaneTreeClassifier().fit(x[:, None], x > 40), planetree.folder / "m.json")
    asked = planetree("export", "m.json", "--to", "python", "--ask", "0.2")
    assert "def predict_or_ask(row):" in asked.out
    planetree("export", "m.json", "--to", "onnx", "--ask", "0.2", "--out", "m.onnx")
    assert b"label_or_ask" in (planetree.folder / "m.onnx").read_bytes()
    checks = ("export", "m.json", "--to", "sql", "--checks")
    assert "WITH counted AS" in planetree(*checks, "--table", "rows").out
    assert planetree(*checks).refused(2, "--table")
    assert planetree("export", "m.json", "--to", "rules", "--ask", "0.2").refused(2, "not for")
