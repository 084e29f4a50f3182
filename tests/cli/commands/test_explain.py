"""`planetree explain`: the way of a row, and changes that work."""

import pandas as pd
from exit_codes import USAGE
from iris_table import iris_csv
from sklearn.datasets import load_iris

import planetree as library
from planetree import PlaneTreeClassifier, save


def test_explain_tells_both_ways_of_a_row_in_a_gray_zone(at, fitted):

    table = pd.read_csv(fitted / "iris.csv").drop(columns="species")
    model = library.load(fitted / "model.json")
    likely = model.predict_proba(table).max(axis=1)
    row = int(likely.argmin())
    told = at("explain", "model.json", "iris.csv", "--row", str(row)).out
    assert f"with a probability of {100 * likely[row]:.1f}%" in told
    assert "unsure between" in told
    assert "Paths with a share of 10% or more:" in told
    sure = at("explain", "model.json", "iris.csv", "--row", str(likely.argmax())).out
    assert "unsure" not in sure


def test_explain_does_not_speak_of_changes_of_numbers_that_are_missing(at, fitted):
    """Once no change of the numbers would change the answer of a row that has none."""
    head = iris_csv().splitlines()[0]
    (fitted / "nothing.csv").write_text(f"{head}\n{',' * head.count(',')}\n")
    told = at("explain", "model.json", "nothing.csv", "--row", "0").out
    assert "numbers alone" not in told
    assert "Missing numbers are taken to stay missing" in told


def test_explain_of_a_model_without_ranges_gives_no_radius(at, fitted):
    """Once its deviations were those of the file: other rows in it, another radius of the same."""
    fit = "fit iris.csv --target species --method plane --model plane.json --force"
    assert at(*fit.split()).code == 0
    explain = ["explain", "plane.json", "iris.csv", "--row", "60"]
    assert "deviations" not in at(*explain).out
    assert at(*explain, "--json").json["radius"] is None


def test_explain_names_the_way_the_borders_and_a_change_that_works(at, fitted):
    found = at("explain", "model.json", "iris.csv", "--row", "60", "--json").json
    assert found["answer"] == "versicolor"
    change = found["changes"][0]
    head, *lines = iris_csv().splitlines()
    cells = dict(zip(head.split(","), lines[60].split(","), strict=True))
    model = library.load(fitted / "model.json")
    way = model.decision_path([[float(cells[name]) for name in model.feature_names_in_]])
    assert len(found["steps"]) == way.sum() - 1 >= 2  # the leaf asks nothing
    assert float(cells[change["column"]]) == change["value"]
    cells[change["column"]] = change["new_value"]
    row = f"{head}\n" + ",".join(map(str, cells.values())) + "\n"
    assert at("predict", "model.json", "-", stdin=row).out.split()[1] == change["answer"]
    told = at("explain", "model.json", "iris.csv", "--row", "60").out
    assert "Row 60 of iris.csv: predicted versicolor" in told
    assert "from the border" in told
    assert at("explain", "model.json", "iris.csv", "--row", "150").refused(USAGE, "from 0 to 149")


def test_a_sum_of_explain_has_no_digits_that_depend_on_the_processor(at):
    """15.026399999999999 on a machine that fuses multiply and add was 15.0264 on another."""
    steps = at("explain", "model.json", "iris.csv", "--row", "77", "--json").json["steps"]
    sums = [value for step in steps for value in step["has"]]
    assert sums == [float(f"{value:.12g}") for value in sums]


def test_explain_says_what_python_says(planetree):
    frame = load_iris(as_frame=True).frame
    rows = frame.drop(columns="target")
    model = PlaneTreeClassifier().fit(rows, frame["target"])
    save(model, planetree.folder / "m.json")
    rows.to_csv(planetree.folder / "rows.csv", index=False)
    printed = planetree("explain", "m.json", "rows.csv", "--row", "77").out.strip()
    said = model.explain(rows).to_text(77)
    assert said.startswith("Row 77: predicted 2, with a probability of")
    assert printed.replace(" of rows.csv", "") == said
    assert model.explain(rows.iloc[[77]]).to_text(-1) == said.replace("Row 77", "Row 0")
