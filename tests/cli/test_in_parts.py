"""Tables in many files are fitted and answered part by part."""

import numpy as np
import pandas as pd
import pytest

from planetree import load

pytest.importorskip("pyarrow")


@pytest.fixture
def trips(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(900, 3)), columns=["far", "rain", "hour"])
    frame["late"] = np.where(frame.far + frame.rain + 0.3 * rng.normal(size=900) > 0, "yes", "no")
    (tmp_path / "trips").mkdir()
    for i in range(3):
        frame[i::3].to_parquet(tmp_path / "trips" / f"{i}.parquet", index=False)
    return frame


def test_a_pattern_is_fitted_and_answered_part_by_part(planetree, trips):
    fit = planetree("fit", "trips/*.parquet", "--target", "late", "--model", "late.json")
    assert fit.code == 0, fit.err
    assert "All rows were read once" in fit.out
    model = load(planetree.folder / "late.json")
    assert model.tree_.weights[0] == 900
    done = planetree("predict", "late.json", "trips", "--out", "answers.csv", "--probabilities")
    assert done.code == 0, done.err
    found = pd.read_csv(planetree.folder / "answers.csv")
    rows = pd.concat([trips[i::3] for i in range(3)])[["far", "rain", "hour"]]
    assert (found.prediction == model.predict(rows)).all()
    assert np.allclose(found["probability of yes"], model.predict_proba(rows)[:, 1])
    assert not list(planetree.folder.glob(".answers*"))


def test_what_needs_all_rows_is_refused(planetree, trips):
    asked = ("fit", "trips/*.parquet", "--target", "late")
    assert planetree(*asked, "--method", "c45").refused(2, "c45", "all rows in memory")
    assert planetree(*asked, "--report", "r.html").refused(2, "--report")
    assert planetree(*asked[:2]).refused(2, "--target")
