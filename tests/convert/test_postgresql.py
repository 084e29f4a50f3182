"""A model as SQL answers in PostgreSQL, where that is installed, as the model does."""

import csv
import io
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from odd_tables import NUMBERS, heaviest_way, is_tied, odd_table, quietly, records_of

from planetree.convert import to_sql
from planetree.tree import fitted_tree

TYPES = ["double precision"] * 3 + ["text", "integer", "boolean", "double precision"]


def programs():
    """Folder of the server's programs, or None."""
    server = shutil.which("postgres") or next(
        iter(Path("/usr/lib/postgresql").glob("*/bin/postgres")), None
    )
    folder = Path(server).resolve().parent if server else None
    return folder if folder and (folder / "initdb").exists() and shutil.which("psql") else None


@pytest.fixture(scope="session")
def psql():
    """A function that runs SQL on a server of its own, reachable by a socket in its folder only."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed")
    owner = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        if "postgres" not in {entry.pw_name for entry in pwd.getpwall()}:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        owner = {"user": "postgres", "group": "postgres", "extra_groups": []}
    home = Path(tempfile.mkdtemp(prefix="planetree"))
    home.chmod(0o777)

    def start(program, *arguments):
        data = ["-D", str(home / "data")]
        quiet = {"cwd": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([folder / program, *data, *arguments], check=True, **quiet, **owner)

    def run(script):
        command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(home), "-d", "postgres"]
        user = ["-U", owner.get("user", pwd.getpwuid(os.geteuid()).pw_name)]
        done = subprocess.run([*command, *user], input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        start("initdb", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        start("pg_ctl", "-w", "-o", f"-k {home} -h ''", "-l", str(home / "log"), "start")
        yield run
        start("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def cell(value):
    """A cell of CSV: what is not quoted and empty is NULL."""
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)


def by_postgresql(psql, model, frame, **options):
    """Classes; with probabilities, a row of texts for each row: its class and its probabilities."""
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in frame.columns]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, TYPES, strict=True))
    rows = [",".join(map(cell, (i, *row.values()))) for i, row in enumerate(records_of(frame))]
    query = to_sql(model, "odd rows", dialect="postgresql", **options)
    several = options.get("probabilities", False)
    shares = [f"probability of {label}".replace('"', '""') for label in model.classes_]
    asked = ", ".join(["coalesce(prediction, '')", *(f'"{name}"' for name in shares if several)])
    found = psql(
        'DROP TABLE IF EXISTS "odd rows";\n'
        f'CREATE TABLE "odd rows" (number integer, {columns});\n'
        'COPY "odd rows" FROM STDIN (FORMAT csv);\n' + "\n".join(rows) + "\n\\.\n"
        f"UPDATE \"odd rows\" SET {quoted[0]} = 'NaN' "
        f"WHERE {quoted[0]} IS NULL AND number % 2 = 0;\n"
        f"COPY (SELECT {asked} FROM ({query}) AS answers ORDER BY number) "
        "TO STDOUT (FORMAT csv, FORCE_QUOTE *);\n"
    )
    rows = [row if several else row[0] for row in csv.reader(io.StringIO(found, newline=""))]
    return np.array(rows, dtype=object)


def test_a_tree_answers_as_it_does_here_missing_and_unseen_values_included(psql, tree):
    frame = odd_table(1000, seed=2, missing=0.1, unseen=0.1)
    found = by_postgresql(psql, tree, frame)
    tied = is_tied(tree, frame)
    assert np.array_equal(found[~tied], quietly(tree.predict, frame)[~tied])


def test_planes_answer_as_they_do_here(psql, planes):
    frame = odd_table(1000, seed=3)
    assert np.array_equal(by_postgresql(psql, planes, frame), planes.predict(frame))


def test_missing_values_can_go_with_the_majority(psql, tree):
    frame = odd_table(500, seed=4, missing=0.2, unseen=0.1)
    found = by_postgresql(psql, tree, frame, missing="majority")
    assert np.array_equal(found, quietly(heaviest_way, tree, frame))


def test_probabilities_are_those_of_the_model_at_scores_of_1e300_too(psql, tree):
    if fitted_tree(tree).tree.multiplies:
        pytest.skip("PostgreSQL has no number for 1e300 times 1e300")
    frame = odd_table(300, seed=6, missing=0.2, unseen=0.1)
    frame.loc[::7, NUMBERS[1]] = 1e300
    found, tied = by_postgresql(psql, tree, frame, probabilities=True), is_tied(tree, frame)
    expected = quietly(tree.predict_proba, frame)
    np.testing.assert_allclose(found[:, 1:].astype(float), expected, rtol=0, atol=1e-9)
    assert np.array_equal(found[~tied, 0], quietly(tree.predict, frame)[~tied])


def test_planes_tell_their_probabilities(psql, planes):
    if not hasattr(planes, "predict_proba"):
        pytest.skip("has no probabilities")
    frame = odd_table(300, seed=3)
    found = by_postgresql(psql, planes, frame, probabilities=True)
    np.testing.assert_allclose(
        found[:, 1:].astype(float), planes.predict_proba(frame), rtol=0, atol=1e-9
    )
