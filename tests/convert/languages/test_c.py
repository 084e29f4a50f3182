"""A model in C: names of any length, and code that a strict compiler takes."""

import numpy as np
import pandas as pd
from export_targets import answers

from planetree import (
    C45Classifier,
)


def test_names_of_ten_kilobytes_are_said_in_c(tmp_path):
    """C99 promises literals of 4095 letters: a strict compiler refused longer ones."""
    long = "ß" * 5000
    frame = pd.DataFrame({long: pd.Categorical([long, "b", "c"] * 20)})
    model = C45Classifier().fit(frame, np.where(frame[long] == long, long + "!", "other"))
    assert set(answers("c", model, frame, tmp_path)) == {long + "!", "other"}
    assert np.array_equal(answers("c", model, frame, tmp_path), model.predict(frame))
