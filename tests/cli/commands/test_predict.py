"""`planetree predict`: what the library predicts, from files and pipes."""

import numpy as np
import pandas as pd
import pytest
from exit_codes import DATA, rows_of
from iris_table import iris_csv

import planetree as library


def test_predict_gives_what_the_library_gives(at, fitted):

    table = pd.read_csv(fitted / "iris.csv").drop(columns="species")
    model = library.load(fitted / "model.json")
    found = rows_of(at("predict", "model.json", "iris.csv", "--shares", "--keep").out)
    assert [row["prediction"] for row in found] == model.predict(table).tolist()
    shares = [[float(row[f"probability of {label}"]) for label in model.classes_] for row in found]
    assert np.array_equal(shares, model.predict_proba(table))
    assert [float(row["sepal width"]) for row in found] == table["sepal width"].tolist()


def test_predict_counts_errors_where_the_class_is_known(at):
    found = at("predict", "model.json", "iris.csv", "--target", "species", "--json").json
    wrong = sum(
        answer != line.split(",")[-1]
        for answer, line in zip(found["predictions"], iris_csv().splitlines()[1:], strict=True)
    )
    assert found["error"]["error"] == pytest.approx(wrong / 150)


def test_predict_reads_a_pipe_and_refuses_what_it_cannot_use(at):
    piped = at("predict", "model.json", "-", stdin=iris_csv())
    assert len(piped.out.splitlines()) == 151
    lacking = iris_csv().replace("petal length", "petal size")
    assert at("predict", "model.json", "-", stdin=lacking).refused(
        DATA, "lacks a column that the model reads", "'petal length'"
    )
    words = iris_csv().replace("1.4,0.2", "long,0.2")
    assert at("predict", "model.json", "-", stdin=words).refused(DATA, "petal length", "'long'")
    assert at("predict", "nowhere.json", "iris.csv").refused(DATA, "no model file nowhere.json")
    assert at("predict", "iris.csv", "iris.csv").refused(DATA, "iris.csv", "JSON")


@pytest.mark.parametrize("parts", [False, True])
def test_a_class_that_a_spreadsheet_would_run_is_text_unless_asked(planetree, tmp_path, parts):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = library.C45Classifier().fit(pd.DataFrame(X, columns=["size"]), [*"bb", "=1+1", "=1+1"])
    library.save(model, tmp_path / "m.json")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "new.csv").write_text("size\n0\n3\n")
    data = "t" if parts else "t/new.csv"
    for more, last in ([], "'=1+1"), (["--formulas"], "=1+1"):
        assert planetree("predict", "m.json", data, *more).out.split() == ["prediction", "b", last]
        kept = planetree("predict", "m.json", "t/new.csv", "--keep", *more).out.split()
        assert kept == ["size,prediction", "0,b", f"3,{last}"]
