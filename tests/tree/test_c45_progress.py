"""C45Classifier ends: every test divides its cases, and Ctrl-C and time limits are heeded."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import C45Classifier

pytestmark = pytest.mark.core

NEIGHBORS = """
import resource
import numpy as np
from planetree import C45Classifier
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
low = float({low!r})
high = float(np.nextafter(np.{kind}(low), np.{kind}(np.inf)))
model = C45Classifier(arithmetic={arithmetic!r}).fit([[low], [high]] * 3, [0, 1] * 3)
assert model.tree_.n_nodes == 3, model.tree_.n_nodes
assert model.predict([[low], [high]]).tolist() == [0, 1]
"""


@pytest.mark.parametrize(
    ("low", "kind", "arithmetic"),
    [
        (16777218.0, "float32", "single"),
        (-16777220.0, "float32", "single"),
        (1e15, "float64", "double"),
        (2.0**53 + 2, "float64", "double"),
        (-1.5e308, "float64", "double"),
        (1.5e308, "float64", "double"),
    ],
)
def test_neighboring_numbers_are_told_apart(low, kind, arithmetic):
    """Their middle rounds to the upper one: a test of it was repeated until memory was full."""
    code = NEIGHBORS.format(low=low, kind=kind, arithmetic=arithmetic)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    arithmetic=st.sampled_from(["single", "double"]),
    subsets=st.booleans(),
    weighted=st.booleans(),
)
def test_every_test_divides_its_cases(seed, arithmetic, subsets, weighted):
    """At large numbers, with missing cells, -999 and fractions of weights: no branch has them all.

    The core raises where a test leaves all cases of a node together.
    """
    rng = np.random.default_rng(seed)
    n, start = (
        int(rng.integers(2, 80)),
        float(rng.choice([0.0, 2.0**24, -(2.0**24), 2.0**53, 1e15])),
    )
    unit = max(1e-5, float(np.spacing(np.float32(start) if arithmetic == "single" else start)))
    X = start + unit * rng.integers(0, 6, (n, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[rng.random(X.shape) < 0.05] = -999.0
    y = rng.integers(0, 3, n)
    weights = rng.choice([1e-30, 0.1, 1.0, 3.5], n) if weighted else None
    model = C45Classifier(min_cases=1e-6, subsets=subsets, arithmetic=arithmetic)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of -999
        tree = model.fit(X, y, weights).unpruned_tree_
    known = [tree.weights[tree.children_of(i)] for i in np.flatnonzero(tree.n_branches)]
    assert all(np.count_nonzero(each) >= 2 for each in known)
