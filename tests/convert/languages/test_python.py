"""A model in Python: it refuses what the model refuses, and gives its probabilities."""

import numpy as np
import pytest
from export_targets import by_python
from odd_tables import (
    odd_table,
    records_of,
)

from planetree.convert import to_python


def test_planes_in_python_refuse_a_missing_value(planes):
    frame = odd_table(50, seed=5).assign(**{name: None for name in odd_table(1).columns})
    with pytest.raises(ValueError, match="needs every value"):
        by_python(planes, frame)


def test_shares_are_the_probabilities(tree, tmp_path):
    frame = odd_table(500, seed=6, missing=0.2)
    module = {}
    exec(to_python(tree, "answer"), module)
    shares = [module["answer_shares"](row) for row in records_of(frame)]
    np.testing.assert_allclose(shares, tree.predict_proba(frame), rtol=1e-12)
