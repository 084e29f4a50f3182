"""Features of a table in parts: the planes of those that are chosen are the best of all rows."""

import numpy as np
import pandas as pd
import pytest

from planetree import MaxNormSeparator, QuadraticSeparator, RobustSeparator, SparseSeparator
from planetree.distributed import open_partitions


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 6))
    color = rng.choice(["red", "green", "blue"], 2500)
    score = X[:, 0] + 0.8 * X[:, 1] + (color == "red") + 0.1 * X[:, 2] + 0.5 * rng.normal(size=2500)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(color=color)
    return frame.assign(kind=np.where(score > 0.3, "yes", "no"))


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 500)


def parts_of(frame):
    return open_partitions([frame[i::3] for i in range(3)], target="kind")


def test_planes_of_so_many_features_are_the_best_of_all_rows(frame):
    model = SparseSeparator(n_features=2).fit(parts_of(frame))
    names = [model.columns_[j].name for j in model.features_]
    assert len(names) == model.n_features_used_ == 2
    whole = RobustSeparator().fit(frame[names], frame.kind)
    assert model.error_ == pytest.approx(whole.error_, rel=1e-9)
    assert model.gap_ <= 1e-9
    assert model.bound_ <= whole.objective_ * (1 + 1e-15)
    X = frame.drop(columns="kind")
    assert (model.predict(X) == whole.predict(frame[names])).mean() > 0.999
    unused = ~np.isin(model.planes_.columns, model.features_)
    assert not model.planes_.weights[:, unused].any()
    assert 3 <= model.n_reads_ <= 7


def test_features_of_squared_violations(frame):
    model = SparseSeparator(QuadraticSeparator(), error_increase=0.1).fit(parts_of(frame))
    names = [model.columns_[j].name for j in model.features_]
    whole = QuadraticSeparator().fit(frame[names], frame.kind)
    best = QuadraticSeparator().fit(frame.drop(columns="kind"), frame.kind)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    assert model.bound_ <= whole.objective_ * (1 + 1e-15)
    assert model.gap_ <= 1e-9
    assert model.objective_ <= model.error_bound_ == pytest.approx(1.1 * best.objective_, rel=1e-6)
    assert len(names) < 7


def test_the_objective_stays_within_the_bound_of_all_rows(frame):
    model = SparseSeparator(error_increase=0.1).fit(parts_of(frame))
    best = RobustSeparator().fit(frame.drop(columns="kind"), frame.kind)
    assert model.error_bound_ == pytest.approx(1.1 * best.objective_, rel=1e-6)
    assert model.objective_ <= model.error_bound_
    assert model.n_features_used_ < 7
    tight = SparseSeparator(error_increase=0.0).fit(parts_of(frame))
    assert tight.objective_ == pytest.approx(best.objective_, rel=1e-6)


def test_what_needs_all_rows_is_refused(frame):
    for given in ({"exact": True}, {"monotonic_cst": [1, 0, 0, 0, 0, 0, 0]}):
        with pytest.raises(ValueError, match="needs all rows at once"):
            SparseSeparator(**given).fit(parts_of(frame))
    with pytest.raises(ValueError, match=r"refine_offset=False"):
        SparseSeparator(RobustSeparator(refine_offset=True)).fit(parts_of(frame))
    with pytest.raises(ValueError, match="RobustSeparator and QuadraticSeparator, but"):
        SparseSeparator(MaxNormSeparator()).fit(parts_of(frame))
