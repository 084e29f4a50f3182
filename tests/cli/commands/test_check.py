"""`planetree check`: tables and sentences for a person, JSON and an exit code for a pipeline."""

import numpy as np
import pandas as pd
import pytest

from planetree import PlaneTreeClassifier, save


@pytest.fixture
def files(planetree):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    labels = np.where(frame["a"] + 0.3 * rng.normal(size=200) > 0, "yes", "no")
    save(PlaneTreeClassifier().fit(frame, labels), planetree.folder / "model.json")
    frame.assign(label=labels, town=["x", "y"] * 100).to_csv(
        planetree.folder / "same.csv", index=False
    )
    (frame * 5).assign(label=labels).to_csv(planetree.folder / "other.csv", index=False)
    return planetree


def test_rows_of_training_are_fine_and_errors_are_counted_by_leaf_and_group(files):
    done = files("check", "model.json", "same.csv", "--target", "label", "--group", "town")
    assert done.code == 0
    assert "The rows look like the training rows." in done.out
    assert "town" not in done.err
    assert "wrong" in done.out


def test_other_rows_end_with_a_code_of_their_own_also_in_json(files):
    done = files("check", "model.json", "other.csv")
    assert done.code == 6
    assert "Look at:" in done.out
    assert "outside the training range" in done.out
    found = files("check", "model.json", "other.csv", "--json")
    assert found.code == 6
    assert found.json["findings"]
    assert found.json["columns"][0]["n_outside"] > 10
    assert found.json["error"] is None


def test_a_group_that_is_no_column_is_refused(files):
    assert files("check", "model.json", "same.csv", "--group", "city", "--target", "label").refused(
        2, "no column 'city'"
    )


def test_a_group_without_the_class_is_refused(files):
    """There are no errors to count then, and the group was once ignored without a word."""
    assert files("check", "model.json", "same.csv", "--group", "town").refused(2, "--target")


def test_a_class_called_na_is_no_missing_class(planetree):
    """Rows of such a class were once left out, so that the training rows were found at fault."""
    x = np.arange(60.0)
    frame = pd.DataFrame({"x": x, "label": np.where(x > 30, "NA", "ok")})
    frame.to_csv(planetree.folder / "rows.csv", index=False)
    save(PlaneTreeClassifier().fit(frame[["x"]], frame["label"]), planetree.folder / "model.json")
    done = planetree("check", "model.json", "rows.csv", "--target", "label", "--json")
    assert done.code == 0
    assert done.json["rows"] == 60
