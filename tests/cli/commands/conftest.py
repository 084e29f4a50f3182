"""A tree of a small table, and both in files."""

import numpy as np
import pandas as pd
import pytest

from planetree import PlaneTreeClassifier, save


@pytest.fixture
def files(planetree):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)).round(3), columns=["age", "dose", "c"])
    frame["color"] = rng.choice(["red", "blue"], size=120)
    labels = np.where(frame["age"] + frame["dose"] + 0.3 * rng.normal(size=120) > 0, "yes", "no")
    planetree.model = PlaneTreeClassifier().fit(frame, labels)
    planetree.table, planetree.labels = frame, labels
    save(planetree.model, planetree.folder / "model.json")
    frame.assign(label=labels).to_csv(planetree.folder / "rows.csv", index=False)
    return planetree
