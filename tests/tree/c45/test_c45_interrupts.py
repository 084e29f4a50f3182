"""C45Classifier ends: every test divides its cases, and Ctrl-C and time limits are heeded."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import C45Classifier
from planetree.exceptions import TimeLimitWarning
from planetree.tree import PreparedTable
from planetree.tree.c45 import c45_tree

pytestmark = pytest.mark.core

NEIGHBORS = [
    (16777218.0, "float32", "single"),
    (-16777220.0, "float32", "single"),
    (1e15, "float64", "double"),
    (2.0**53 + 2, "float64", "double"),
    (-1.5e308, "float64", "double"),
    (1.5e308, "float64", "double"),
]
TELL_APART = """
import os, resource
import numpy as np
from planetree import C45Classifier
if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which reserves terabytes of addresses
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for low, kind, arithmetic in {cases!r}:
    kind = getattr(np, kind)
    high = float(np.nextafter(kind(low), kind(np.inf)))
    model = C45Classifier(arithmetic=arithmetic).fit([[low], [high]] * 3, [0, 1] * 3)
    assert model.tree_.n_nodes == 3, (low, arithmetic, model.tree_.n_nodes)
    assert model.predict([[low], [high]]).tolist() == [0, 1], (low, arithmetic)
"""


def test_neighboring_numbers_are_told_apart():
    """Their middle rounds to the upper one: a test of it was repeated until memory was full."""
    code = TELL_APART.format(cases=NEIGHBORS)
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


LONG = """
import os, signal, sys, threading, time
import numpy as np
from planetree.table import Table
from planetree.tree import PreparedTable
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 30))
y = (np.sin(5 * X[:, 0]) + X[:, 1] > rng.normal(size=100_000)).astype(int)  # a large tree
table = Table.read(X)
wide = Table(np.tile(X, (1, 8)), table.columns * 8)
prepared = PreparedTable(table, y)
validator = prepared.cross_validator(np.arange(len(y)) % 10, n_jobs=2)
sent = []
def interrupt():
    time.sleep(0.1)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
for work in (lambda: PreparedTable(wide, y), prepared.grow, validator.run):
    threading.Thread(target=interrupt).start()
    try:
        work()
    except KeyboardInterrupt:
        print(time.monotonic() - sent[-1], flush=True)
    else:
        os._exit(1)
os._exit(0)
"""


def test_an_interrupt_is_heeded_in_reading_growing_and_cross_validating():
    """Reading a table was deaf to Ctrl-C, and growing asked once in 16 million cases."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    seconds = [float(line) for line in done.stdout.split()]
    assert len(seconds) == 3
    assert max(seconds) < 10  # half a second on an idle machine


def large_table(n_rows=100_000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


@pytest.mark.parametrize("confidence", [0.25, "cv"])
def test_a_time_limit_gives_the_tree_grown_so_far(confidence):
    """Nodes that are not divided yet are leaves, with the class of most of their cases."""
    X, y = large_table(300_000)
    # A busy machine may spend the time on reading; a quiet one takes more than a second in all.
    with pytest.warns(TimeLimitWarning, match="open nodes stay leaves|were not read yet"):
        model = C45Classifier(confidence=confidence, time_limit=0.2).fit(X, y)
    tree = model.unpruned_tree_
    assert model.status_ == "time_limit"
    assert tree.weights[tree.n_branches == 0].sum() == len(y)
    assert np.array_equal(tree.predicted, tree.class_weights.argmax(axis=1))
    assert (model.predict(X) == y).sum() >= np.bincount(y).max()


def test_a_time_limit_is_not_spent_on_reading_alone(monkeypatch):
    """Reading a million rows took all of it, and the tree was one leaf: it has half of it now."""
    given = []

    def prepared(*table, time_limit, **named):
        given.append(time_limit)
        return PreparedTable(*table, time_limit=time_limit, **named)

    monkeypatch.setattr(c45_tree, "PreparedTable", prepared)
    C45Classifier(time_limit=600.0).fit(*large_table(500))
    assert 200 < given[0] <= 300


def test_columns_that_time_did_not_suffice_to_read_are_told():
    with pytest.warns(TimeLimitWarning, match="columns that were not read yet count as missing"):
        model = C45Classifier(time_limit=0.0).fit(*large_table(500))
    assert (model.status_, model.n_nodes_) == ("time_limit", 1)


def test_a_time_limit_that_suffices_changes_nothing():
    X, y = large_table(500)
    model = C45Classifier(time_limit=600).fit(X, y)
    assert model.status_ == "complete"
    assert model.to_text() == C45Classifier().fit(X, y).to_text()


@pytest.mark.parametrize("value", [-1, "1", True])
def test_a_bad_time_limit_is_refused(value):
    with pytest.raises(ValueError, match="time_limit"):
        C45Classifier(time_limit=value).fit([[0.0], [1.0]], [0, 1])


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), confidence=st.sampled_from([0.25, "cv"]))
def test_complete_tables_of_whole_weights_leave_no_room_for_order(seed, confidence):
    """Rows in another order, twice for weight 2, and units of 1024: the same tree.

    Classes by other names were dealt into other folds, so "cv" chose another confidence.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    X = (
        rng.integers(0, 5, (n, 3)).astype(float)
        if seed % 3 == 0
        else rng.normal(size=(n, 3)).round(3)
    )
    y = (X[:, 0] + rng.normal(size=n) > X[:, 0].mean()).astype(int)
    times, order, scale = rng.integers(1, 3, n), rng.permutation(n), np.array([1024.0, 1.0, 1.0])
    model = C45Classifier(confidence=confidence)
    labels = model.fit(X, y).predict(X)
    assert np.array_equal(labels, model.fit(X[order], y[order]).predict(X))
    assert np.array_equal(labels, model.fit(X * scale, y).predict(X * scale))
    assert model.confidence_ == model.fit(X, 1 - y).confidence_
    weighted = model.fit(X, y, times).predict(X)
    assert np.array_equal(weighted, model.fit(X.repeat(times, 0), y.repeat(times)).predict(X))
