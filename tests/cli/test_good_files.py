"""Every format is read, and what is odd about a file is said rather than guessed in silence."""

import numpy as np
import pyarrow as pa
import pytest
from iris_table import iris_csv
from pyarrow import csv as arrow_csv
from pyarrow import parquet

NAMES = """| flowers
setosa, versicolor, virginica.
sepal length: continuous.
sepal width: continuous.
petal length: continuous.
petal width: continuous.
"""
ARFF = """% flowers
@relation iris
@attribute 'sepal length' numeric
@attribute "sepal width" REAL
@attribute 'petal length' numeric
@attribute 'petal width' numeric
@attribute species {setosa, versicolor, virginica}
@data
"""


def rows():
    return iris_csv().split("\n", 1)[1]


def write_parquet(path):
    (path.parent / "plain.csv").write_text(iris_csv())
    parquet.write_table(arrow_csv.read_csv(path.parent / "plain.csv"), path)


def write_names(path):
    path.write_text(NAMES)
    path.with_suffix(".data").write_text(rows().replace("\n", ".\n"))


WRITERS = {
    "t.tsv": lambda path: path.write_text(iris_csv().replace(",", "\t")),
    "t.parquet": write_parquet,
    "t.arff": lambda path: path.write_text(ARFF + rows()),
    "t.names": write_names,
}


@pytest.fixture(scope="module")
def expected(fitted):
    text = (fitted / "fit.txt").read_text()
    return text[text.index("if petal") : text.index("\n\nMethod")]


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_table_in_any_format_gives_the_same_model(planetree, expected, name):
    WRITERS[name](planetree.folder / name)
    target = [] if name in ("t.arff", "t.names") else ["--target", "species"]
    outcome = planetree("fit", name, *target, "--folds", "0", "--quiet")
    assert outcome.code == 0, outcome.err
    assert outcome.out.strip() == expected


def test_latin_1_is_detected_and_said(planetree):
    text = "größe,class\n" + "".join(f"{i},{'ja' if i > 9 else 'nö'}\n" for i in range(20))
    (planetree.folder / "t.csv").write_bytes(text.encode("latin-1"))
    outcome = planetree("fit", "t.csv", "--target", "class", "--folds", "0")
    assert outcome.code == 0
    assert "größe" in outcome.out
    assert "nö" in outcome.out
    assert "not UTF-8; read as cp1252" in outcome.err


def test_quotes_and_odd_names_come_through_to_the_model(planetree):
    cells = [f'{i},"say ""{"no" if i < 10 else "yes, or"}"" now"\n' for i in range(20)]
    (planetree.folder / "t.csv").write_text('"a ""b"", c","the\nclass"\n' + "".join(cells))
    outcome = planetree("fit", "t.csv", "--target", "the\nclass", "--folds", "0", "--quiet")
    assert outcome.code == 0, outcome.err
    assert 'if a "b", c > ' in outcome.out
    assert 'say "yes, or" now 95.1% (10 rows)' in outcome.out


def test_columns_that_no_model_can_use_are_left_out_and_said(planetree):
    head = "when,day,name,age,class\n"
    lines = [
        f"2024-03-{i % 28 + 1:02d},{i % 12 + 1:02d}/17/2024,n{i},{i},{'xy'[i > 19]}\n"
        for i in range(40)
    ]
    (planetree.folder / "t.csv").write_text(head + "".join(lines))
    outcome = planetree("fit", "t.csv", "--target", "class", "--folds", "0", "--json")
    assert outcome.code == 0, outcome.err
    data = outcome.json["data"]
    assert data["columns"] == {"age": "numbers"}
    assert data["left_out"] == {
        "when": "dates or times",
        "day": "dates or times",
        "name": "text with 40 different values",
    }


def test_missing_cells_and_rows_without_a_class_are_counted(planetree):
    ages = ["n.d." if i == 3 else i for i in range(40)]
    sexes = ["?" if i % 5 == 0 else "ab"[i % 2] for i in range(40)]
    labels = ["xy"[i > 19] if i else "" for i in range(40)]
    cells = zip(ages, sexes, labels, strict=True)
    lines = [f"{age},{sex},{label}\n" for age, sex, label in cells]
    (planetree.folder / "t.csv").write_text("age,sex,class\n" + "".join(lines))
    first = planetree("fit", "t.csv", "--target", "class", "--folds", "0", "--json")
    assert any(
        "'age' is read as text because of cells such as 'n.d.'" in n for n in first.json["notes"]
    )
    then = planetree(
        "fit", "t.csv", "--target", "class", "--folds", "0", "--json", "--missing", "n.d."
    )
    assert then.json["data"]["rows"] == 39
    assert then.json["data"]["missing"] == {"age": 1, "sex": 7}
    assert then.json["data"]["columns"] == {"age": "numbers", "sex": "2 categories"}


def test_codes_made_of_digits_are_categories_on_request(planetree):
    lines = [f"{['007', '12', '100'][i % 3]},{'xy'[i % 3 == 1]}\n" for i in range(30)]
    (planetree.folder / "t.csv").write_text("code,class\n" + "".join(lines))
    asked = ["--target", "class", "--categorical", "code", "--folds", "0"]
    outcome = planetree("fit", "t.csv", *asked, "--model", "m.json")
    assert "if code is 12: y" in outcome.out
    answers = planetree("predict", "m.json", "t.csv").out.splitlines()
    assert answers[1:4] == ["x", "y", "x"]


def test_a_million_rows_are_fitted_and_predicted(planetree):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=1_000_000), rng.integers(0, 100, 1_000_000)
    y = np.where(a > 0.5, "above", "below")
    arrow_csv.write_csv(pa.table({"a": a, "b": b, "class": y}), planetree.folder / "t.csv")
    outcome = planetree(
        "fit", "t.csv", "--target", "class", "--method", "c45", "--folds", "0", "--model", "m.json"
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "1000000 rows" in outcome.out
    scored = planetree("predict", "m.json", "t.csv", "--out", "p.csv", "--target", "class")
    assert scored.code == 0, scored.err
    assert "of 1000000 rows wrong: 0.0%" in scored.err
    answers = arrow_csv.read_csv(planetree.folder / "p.csv").column("prediction").to_numpy()
    assert np.mean(answers == y) > 0.9999
