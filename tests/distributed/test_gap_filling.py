"""Gaps of a table in parts are filled with what fills them in memory, for any partitioning."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import assert_same

from planetree import QuadraticSeparator, RobustSeparator, SparseSeparator
from planetree.distributed import open_partitions


def frame_of(seed, n=240):
    """Numbers of few and of many values, some of them missing, and text with and without gaps."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), np.round(rng.normal(size=n)) / 4
    color, size = rng.choice(["red", "green", None], n), rng.choice(["s", "m", "l"], n)
    y = (a + b + (color == "red") + 0.4 * rng.normal(size=n) > 0.5) * 1
    frame = pd.DataFrame({"a": a, "b": b, "none": np.nan, "color": color, "size": size, "y": y})
    frame.loc[rng.random(n) < 0.2, "a"] = np.nan
    frame.loc[rng.random(n) < 0.5, "b"] = np.nan
    frame["w"] = rng.integers(1, 4, n) * 1.0
    return frame


def parts_of(frame, at):
    return open_partitions([frame[at == p] for p in range(at.max() + 1)], "y", "w")


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    how=st.sampled_from(["random", "sorted", "gaps", "single"]),
    n_sample=st.sampled_from([20, 60, 10_000]),
)
def test_gaps_are_filled_as_in_memory(seed, how, n_sample):
    frame = frame_of(seed)
    at = {
        "random": np.random.default_rng(seed).integers(0, 4, len(frame)),
        "sorted": np.argsort(np.argsort(frame.a.to_numpy())) // 80,
        "gaps": (frame.a.isna() * 2 + frame.color.isna()).to_numpy(),
        "single": np.minimum(np.arange(len(frame)), 10),
    }[how]
    given = frame.drop(columns=["y", "w"]), frame.y, frame.w
    options = {"missing": "impute", "perturbation": 0.05}  # weights are charged by deviations
    whole = RobustSeparator(**options).fit(*given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", n_sample)
        found = RobustSeparator(**options).fit(parts_of(frame, at))
    assert found.columns_ == whole.columns_
    assert found.n_reads_ >= 5
    assert_same(found, whole)
    assert (found.predict(given[0]) == whole.predict(given[0])).all()


def test_every_separator_of_parts_fills_gaps():
    frame, at = frame_of(3), np.arange(240) % 3
    given = frame.drop(columns=["y", "w"]), frame.y, frame.w
    whole = QuadraticSeparator(missing="impute").fit(*given)
    found = QuadraticSeparator(missing="impute").fit(parts_of(frame, at))
    assert found.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    few = SparseSeparator(RobustSeparator(), missing="impute").fit(parts_of(frame, at))
    assert few.columns_ == whole.columns_
    assert few.bound_ <= few.objective_


def test_a_median_between_two_values_is_their_middle():
    X = np.array([[1.0], [2.0], [4.0], [8.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 1, 1, 0, 1])
    for at in ([0, 1, 2, 3, 0, 1], [0, 0, 1, 1, 2, 2], [0] * 6):
        places = [np.flatnonzero(np.array(at) == p) for p in range(max(at) + 1)]
        parts = open_partitions([(X[own], y[own]) for own in places])
        assert RobustSeparator(missing="impute").fit(parts).columns_[0].fill == 3.0
