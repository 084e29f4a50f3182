"""A small table of numbers and a category in a file."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    size, shade = rng.normal(size=80), rng.choice(["dark", "light"], 80)
    label = np.where(size + (shade == "dark") > 0.5, "yes", "no")
    frame = pd.DataFrame({"noise": rng.normal(size=80), "size": size, "shade": shade, "y": label})
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"
