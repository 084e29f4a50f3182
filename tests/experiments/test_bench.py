"""Cells are computed once, whatever happens; folds are the same for everyone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.harness import bench
from experiments.harness.bench import Bench, folds, grid, scores, two_thirds
from planetree import RobustSeparator

LOG = "calls.txt"


def square(x: int, folder: str) -> dict[str, int]:
    with open(f"{folder}/{LOG}", "a") as log:
        log.write(f"{x}\n")
    if x == 3 and "stop" in folder and calls(Path(folder)).count(3) == 1:
        raise KeyboardInterrupt
    return {"square": x * x}


def calls(folder):
    return [int(line) for line in (folder / LOG).read_text().split()]


def test_a_cell_is_computed_once(tmp_path):
    b = Bench(checkpoints=tmp_path / "kept")
    cases = grid(x=[1, 2], folder=[str(tmp_path)])
    first, second = b.cells(square, cases), b.cells(square, cases)
    assert calls(tmp_path) == [1, 2]
    assert first["square"].tolist() == [1, 4]
    pd.testing.assert_frame_equal(first, second)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    folder = tmp_path / "stop"
    folder.mkdir()
    b = Bench(checkpoints=tmp_path / "kept")
    cases = grid(x=[1, 2, 3, 4], folder=[str(folder)])
    with pytest.raises(KeyboardInterrupt):
        b.cells(square, cases)
    assert b.cells(square, cases)["square"].tolist() == [1, 4, 9, 16]
    assert calls(folder) == [1, 2, 3, 3, 4]


def test_a_changed_library_is_asked_again(tmp_path, monkeypatch):
    b = Bench(checkpoints=tmp_path / "kept")
    cases = grid(x=[1], folder=[str(tmp_path)])
    b.cells(square, cases)
    monkeypatch.setattr(bench, "library_digest", lambda: "another")
    b.cells(square, cases)
    assert calls(tmp_path) == [1, 1]


def test_a_cell_that_is_known_costs_what_it_cost_when_it_was_computed(tmp_path):
    cases = grid(x=[1, 2], folder=[str(tmp_path)])
    first, second = (Bench(checkpoints=tmp_path / "kept") for _ in range(2))
    first.cells(square, cases)
    second.cells(square, cases[:1])
    second.cells(square, cases)  # a cell that is asked for twice counts once
    assert second.seconds == first.seconds
    assert len(first.seconds) == 2
    assert min(first.seconds.values()) > 0


def test_a_grid_has_every_combination_in_order():
    assert grid(a=[1, 2], b="xy") == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_folds_are_the_same_for_everyone_and_test_every_row_once():
    y = np.repeat([0, 1], [30, 70])
    first, again, other = folds(y, 10, 0), folds(y, 10, 0), folds(y, 10, 1)
    tested = np.concatenate([test for _, test in first])
    assert sorted(tested) == list(range(100))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))


def test_two_thirds_are_for_training():
    splits = list(two_thirds(np.repeat([0, 1], 100), 10))
    assert [(len(train), len(test)) for train, test in splits] == [(134, 66)] * 10


def test_scores_count_errors_in_percent():
    X = np.arange(10.0)[:, None]
    y = np.where(X[:, 0] > 4.5, "b", "a")
    y[9] = "a"  # the one test row that no plane gets right
    split = [(np.arange(2, 8), np.array([0, 1, 8, 9]))]
    (row,) = scores(RobustSeparator, X, y, split)
    assert (row["error"], row["training_error"]) == (25.0, 0.0)
    assert (row["rows"], row["training_rows"]) == (4, 6)
