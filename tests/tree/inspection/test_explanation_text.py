"""Why a row gets its class, in words that a person can check by hand."""

import numpy as np
import pandas as pd

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.tree import Explanations
from planetree.tree.inspection.explanation_text import explanation_data


def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"vessels": rng.integers(0, 4, 200), "peak": rng.random(200).round(2)})
    rows["pain"] = np.where(rng.random(200) < 0.5, "yes", "no")
    score = rows["vessels"] + 3 * rows["peak"] + (rows["pain"] == "yes") + rng.normal(size=200)
    return rows, np.where(score > 3.5, "ill", "well")


def test_changes_in_words_are_numbers_that_occur():
    """Rounding to few digits once left the range of the column; 0.26 vessels were named."""
    rows, y = table()
    model = PlaneTreeClassifier().fit(rows, y)
    for row in range(0, 60, 7):
        data = explanation_data(model, rows, row)
        assert data["answer"] == model.predict(rows.iloc[[row]])[0]
        for change in data["changes"]:
            column = rows[change["column"]]
            if change["column"] == "pain":
                assert change["new_value"] in set(column)
            else:
                assert column.min() <= change["new_value"] <= column.max()
            if change["column"] == "vessels":
                assert change["new_value"] == round(change["new_value"])
            moved = rows.iloc[[row]].assign(**{change["column"]: change["new_value"]})
            assert model.predict(moved)[0] == change["answer"] != data["answer"]


def test_the_text_has_the_path_the_changes_and_the_radius():
    model = C45Classifier(min_cases=1).fit([[1.5], [2.5], [4.5], [5.5]], list("aabb"))
    lines = model.explain([[1.5]]).to_text().splitlines()
    assert lines[0] == "Row 0: predicted a; 100% of training rows in this leaf are a."
    assert lines[2:4] == ["1. x0", "   is 1.5: <= 2.5, 1 from the border"]
    assert lines[6].startswith("  x0: 1.5 -> 2.")
    assert lines[6].endswith(" gives b")
    assert lines[7].endswith("deviations do not change it.")


def test_a_separator_which_keeps_no_ranges_tells_no_radius():
    rows, y = table()
    numbers = rows[["vessels", "peak"]]
    model = RobustSeparator().fit(numbers, y)
    assert np.isnan(explanation_data(model, numbers, 3)["radius"])
    assert "deviations" not in Explanations(model, numbers).to_text(3)
