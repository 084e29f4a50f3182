"""A tree of some rows counts all rows of a table in parts."""

import numpy as np
import pandas as pd
import pytest

from planetree import C45Classifier, HoldoutTreeClassifier, PlaneTreeClassifier, RobustSeparator
from planetree.distributed import open_partitions, sample


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    color = rng.choice(["red", "green", "blue"], 3000)
    score = X[:, 0] + X[:, 1] + (color == "red") + 0.5 * rng.normal(size=3000)
    X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abc")).assign(color=color)
    return frame.assign(kind=np.where(score > 0.5, "yes", "no"), times=rng.integers(1, 4, 3000))


def parts_of(frame):
    parts = [frame[i::4] for i in range(4)] + [frame[:0]]
    return open_partitions(parts, target="kind", weight="times")


MODELS = [
    C45Classifier(),
    C45Classifier(smoothing="laplace"),
    HoldoutTreeClassifier(),
    HoldoutTreeClassifier(separator=RobustSeparator()),
    PlaneTreeClassifier(max_splits=3),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_nodes_hold_the_rows_that_reach_them_each_by_its_share(model, frame):
    """A fixed point: rows that the new tree sends down by its weights give these weights again."""
    whole = parts_of(frame.fillna(0.0) if getattr(model, "separator", None) else frame)
    before = model.fit(*sample(whole, 300))
    seen, text = before.tree_.weights[0], before.to_text()
    after = before.recount(whole)
    assert (before.tree_.weights[0], before.to_text()) == (seen, text)
    assert after.tree_.weights[0] == frame.times.sum()
    X = after._read(pd.concat([each.rows for each in whole.parts])[list(frame.columns[:4])])
    rows = pd.concat([each.rows for each in whole.parts])
    codes = np.searchsorted(after.classes_, rows.kind)
    for node, at, shares in after.tree_.visits(X):
        held = np.bincount(codes[at], shares * rows.times.to_numpy()[at], 2)
        assert after.tree_.class_weights[node] == pytest.approx(held)
    assert (after.predict(rows[list(frame.columns[:4])]) == rows.kind).mean() > 0.6


def test_what_is_no_table_in_parts_is_not_counted(frame):
    model = C45Classifier().fit(*sample(parts_of(frame), 300))
    with pytest.raises(TypeError, match=r"open_partitions\(source"):
        model.recount(frame)
    other = open_partitions([frame.assign(kind="perhaps")], target="kind", weight="times")
    with pytest.raises(ValueError, match="not among the classes"):
        model.recount(other)
