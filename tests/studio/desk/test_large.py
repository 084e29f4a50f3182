"""Large files: counts are of all rows, the work is on a sample, and the page is told."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from planetree.studio.desk import large
from planetree.studio.desk.fitting import fit
from planetree.studio.desk.large import WholeColumn, sample_path
from planetree.studio.desk.opening import columns_shown, survey_of
from planetree.studio.desk.scoring import predictions, score
from planetree.studio.desk.table_rows import rows_shown
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe, recipe_of
from planetree.studio.reproduction import drawing_code

N = 6000


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A desk to which 20 kB is large."""
    monkeypatch.setattr(large, "_LARGE", 20_000)
    monkeypatch.setattr(large, "_BLOCK", 9_000)
    monkeypatch.setattr(large, "_SAMPLE_ROWS", 900)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, N)).round(3)
    lines = ["key,a,b,color,size,class"]
    for i in range(N):
        size = "unknown" if i == 4321 else "" if i % 10 == 0 else i % 5
        label = "rare" if i in (17, 4000) else "yes" if a[i] > b[i] else "no"
        lines.append(f"{i},{a[i]},{b[i]},{'red' if i % 3 else 'blue'},{size},{label}")
    (tmp_path / "large.csv").write_text("\n".join(lines) + "\n")
    return Desk(tmp_path, lambda told: None)


@pytest.fixture
def recipe():
    return Recipe("large.csv", target="class", ignore=("key",), folds=2).to_data()


def test_cells_are_counted_over_all_rows_and_the_sample_is_told_of(desk, recipe):
    found = survey_of(desk, recipe)
    assert (found["rows"], found["sample"]["rows"]) == (N, 900)
    columns = {each["name"]: each for each in found["columns"]}
    assert columns["size"]["missing"] == N / 10
    assert (columns["color"]["distinct"], columns["color"]["exact"]) == (2, True)
    assert columns["key"]["distinct"] == pytest.approx(N, rel=0.1)
    assert not columns["key"]["exact"]


def test_what_only_all_rows_tell_is_told(desk, recipe):
    found = columns_shown(desk, recipe)
    flags = {each["name"]: " ".join(each["flags"]) for each in found["columns"]}
    assert "identifier" in flags["key"]
    assert "cells such as 'unknown'" in flags["size"]
    assert "900 of its 6,000 rows" in found["notes"][0]
    counts = dict(zip(found["classes"], found["counts"], strict=True))
    if "rare" not in counts:
        assert "rare (2 rows)" in found["notes"][1]
        assert sum(counts.values()) == N - 2


def test_model_and_rows_are_of_the_sample_and_its_code_draws_it(desk, recipe):
    """The sample that the shown code draws is the one that the model was fitted to."""
    assert fit(desk, recipe)["rows"] == 900
    shown = rows_shown(desk, recipe, None, [], {"filter": "all"})
    assert (shown["total"], len(shown["rows"])) == (900, 50)
    sample = survey_of(desk, recipe)["sample"]
    drawn = sample_path(desk.folder / "large.csv").read_bytes()
    code = drawing_code("large.csv", {**sample, "file": "again.csv"})
    subprocess.run([sys.executable, "-c", code], cwd=desk.folder, check=True)
    assert (desk.folder / "again.csv").read_bytes() == drawn


def test_a_large_file_is_checked_by_a_sample_and_every_row_of_it_predicted(desk, recipe):
    recipe = {**recipe, "missing": ["unknown"]}
    fit(desk, recipe)
    asked = {"recipe": recipe, "terms": None, "edits": []}
    found = score(desk, **asked, file="large.csv", asked={})
    assert found["checked"] == 900
    assert "drawn at random" in found["notes"][0]
    made = desk.place(recipe_of(recipe), predictions(desk, **asked, score=found))
    text = (desk.folder / "large.csv").read_text().splitlines()
    lines = made.read_text().splitlines()
    assert [line[: len(own)] for line, own in zip(lines, text, strict=True)] == text
    rows = list(csv.DictReader(lines))
    right = sum(row["prediction"] == row["class"] for row in rows)
    model = desk.model(recipe_of(recipe), None, [])
    frame, _ = desk.new_rows(model, recipe_of(recipe), desk.folder / "large.csv", {})
    assert [row["prediction"] for row in rows] == model.predict(frame).tolist()
    assert right > 0.9 * N


def test_the_sample_is_drawn_again_when_the_file_changes(desk, recipe):
    survey_of(desk, recipe)
    path = desk.folder / "large.csv"
    before = sample_path(path).read_bytes()
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(rows)]) + "\n")
    assert desk.rows_path("large.csv").read_bytes() != before


@pytest.mark.parametrize("n", [10, 2000, 5000, 200_000])
def test_distinct_cells_are_exact_while_few_and_near_when_many(n):
    """The estimate has a standard error of 1 / sqrt(2046), 2.2 percent, and two digits."""
    import pyarrow as pa

    for cells in (np.arange(n), np.arange(n) / 7, np.arange(n).astype(str)):
        column = WholeColumn()
        for part in np.array_split(np.concatenate([cells, cells[::-1]]), 5):
            column.add(pa.chunked_array([pa.array(part)]))
        assert column.distinct == pytest.approx(n, rel=0 if column.is_exact else 0.15)
        assert column.is_exact == (n < 2048)
