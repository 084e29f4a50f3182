"""Progress is shown where somebody looks, and nowhere else."""

import io
import re
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, RobustSeparator, progress
from planetree.distributed import open_partitions


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    for name in ("_PATIENCE", "_ON_TERMINAL", "_IN_FILE"):
        monkeypatch.setattr(progress, name, 0.0)


def shown(stream, verbose):
    with progress.show_progress("search", 3, verbose, stream) as update:
        update(2, "fitness 0.5")
    return stream.getvalue()


def test_a_file_is_written_to_only_when_asked():
    assert shown(io.StringIO(), 0) == ""
    assert shown(io.StringIO(), 1) == "search: 2 of 3, fitness 0.5\n"
    assert shown(Terminal(), -1) == ""


def test_a_terminal_without_rich_shows_one_line_and_clears_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    text = shown(Terminal(), 0)
    assert text.startswith("\rsearch: 2 of 3, fitness 0.5")
    assert text.endswith("\r")


def test_a_terminal_with_rich_shows_a_bar():
    pytest.importorskip("rich")
    assert "2/3" in shown(Terminal(), 0)


def test_nothing_is_shown_of_a_run_that_is_over_at_once(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    assert shown(io.StringIO(), 1) == ""


def test_a_run_of_unknown_length_is_named_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    stream = Terminal()
    with progress.show_progress("Reading table.csv", stream=stream, at_once=True):
        assert stream.getvalue() == "\rReading table.csv"


def test_a_fit_to_parts_shows_passes_parts_rows_bytes_and_the_gap(monkeypatch):
    """The first read and trees showed nothing at all."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + rng.normal(size=400) > 0
    parts = open_partitions([(X[i::4], y[i::4]) for i in range(4)])
    monkeypatch.setattr("planetree.tree.partitioned.plane_tree_parts._SAMPLE", 100)
    rows, reads = r"weight of rows 400, \d+ MB gathered, gap \d", r"\d+ reads of all rows, \d+ MB"
    for model, told in ((RobustSeparator(), rows), (PlaneTreeClassifier(max_splits=1), reads)):
        shown: list[str] = []
        monkeypatch.setattr(progress, "show_progress", lambda title, into=shown: _into(into))
        model.fit(parts)
        assert shown[0] == "pass 1, 1 of 4 parts"
        assert re.fullmatch(rf"pass \d+, 4 of 4 parts; {told}.*", shown[-1])


@contextmanager
def _into(shown):
    yield lambda done, note="": shown.append(note)
