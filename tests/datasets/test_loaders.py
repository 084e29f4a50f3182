"""Data sets by name: folders made here, a cache, an OpenML that is played, and the real folder."""

import gzip
import hashlib
import json
import os
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as sklearn_datasets

from planetree import datasets
from planetree.datasets import loaders
from planetree.table import Column, Table

CSV = "size,shape,rank,class\n1.5,round,2,yes\n,square,1,no\n3,,2,yes\n"
ROWS = [line.split(",") for line in CSV.splitlines()]
TOYS = loaders._Entry(
    checksum=loaders._checksum(ROWS, {"shape", "rank"}),
    classes=("yes", "no"),
    categories={"shape": ("round", "square"), "rank": ("2", "1")},
    features=("size", "shape", "rank"),
    openml=7,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with its own description, of a set that no catalog has."""
    entry = {
        "name": "toys",
        "file": "toys.csv.gz",
        "columns": {"categorical": ["shape"], "ordinal": ["rank"], "numeric": ["size"]},
        "sha256_csv": hashlib.sha256(CSV.encode()).hexdigest(),
        "description": "Three toys.",
    }
    (tmp_path / "datasets.json").write_text(json.dumps({"datasets": [entry]}))
    (tmp_path / "toys.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    monkeypatch.setenv("PLANETREE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, no folder, and a catalog of one set."""
    monkeypatch.delenv("PLANETREE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(loaders, "_catalog", lambda: {"toys": TOYS})
    return tmp_path / "planetree"


def answer_with(monkeypatch, **columns):
    """An OpenML that has one table."""
    frame = pd.DataFrame(columns)
    asked = []

    def fetch_openml(data_id, **options):
        asked.append(data_id)
        return SimpleNamespace(data=frame.iloc[:, :-1], target=frame.iloc[:, -1])

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    return asked


@pytest.mark.parametrize("as_frame", [True, False])
def test_a_data_set_keeps_its_kinds_of_columns(folder, as_frame):
    toys = datasets.load("toys", as_frame=as_frame)
    assert toys.feature_names == ("size", "shape", "rank")
    assert toys.categorical == ("shape", "rank")
    assert toys.y.tolist() == ["yes", "no", "yes"]
    table = Table.read(toys.X)
    expected = [[1.5, 0, 1], [np.nan, 1, 0], [3, np.nan, 1]]
    np.testing.assert_array_equal(table.values, expected)
    assert [column.categories for column in table.columns] == [
        None,
        ("round", "square"),
        ("1", "2"),
    ]
    if as_frame:
        assert table.columns[2] == Column("rank", ("1", "2"))


def test_the_names_of_the_folder_and_of_the_catalog_are_listed(folder):
    assert {"toys", "iris", "heart-cleveland"} <= set(datasets.names())


def test_an_unknown_name_is_refused_with_those_that_are_known(folder):
    with pytest.raises(ValueError, match=r"no data set 'toy'. Data sets: .*'toys'"):
        datasets.load("toy")


def test_a_missing_file_says_where_to_put_it(folder):
    (folder / "toys.csv.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"Looked at .*toys\.csv\.gz, then at .* Put toys"):
        datasets.load("toys")


def test_a_file_that_was_changed_is_refused(folder):
    (folder / "toys.csv.gz").write_bytes(gzip.compress(CSV.replace("1.5", "1.6").encode()))
    with pytest.raises(ValueError, match="checksum"):
        datasets.load("toys")


def test_a_folder_without_a_description_is_read_by_the_catalog(folder, monkeypatch):
    (folder / "datasets.json").unlink()
    monkeypatch.setattr(loaders, "_catalog", lambda: {"toys": TOYS})
    assert datasets.load("toys").categorical == ("shape", "rank")


def test_openml_is_asked_once_and_its_words_become_ours(cache, monkeypatch):
    asked = answer_with(
        monkeypatch,
        instance=["a", "b", "c"],
        V1=[1.5, np.nan, 3.0],
        V2=["ROUND", "SQUARE", None],
        V3=["II", "I", "II"],
        target=["p", "n", "p"],
    )
    first, second = datasets.load("toys"), datasets.load("toys")
    assert asked == [7]
    pd.testing.assert_frame_equal(first.X, second.X)
    assert first.X["shape"].tolist()[:2] == ["round", "square"]
    assert first.X["rank"].tolist() == ["2", "1", "2"]
    assert second.y.tolist() == ["yes", "no", "yes"]


def test_another_table_of_openml_is_refused_and_not_kept(cache, monkeypatch):
    answer_with(
        monkeypatch,
        V1=[1.5, np.nan, 3.1],
        V2=["round", "square", None],
        V3=["2", "1", "2"],
        target=["yes", "no", "yes"],
    )
    with pytest.raises(ValueError, match=r"OpenML 7 has is not the table 'toys'"):
        datasets.load("toys")
    assert not cache.exists()


def test_without_a_network_every_place_is_named(cache, monkeypatch):
    def fetch_openml(**options):
        raise OSError("no route to host")

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    expected = r"PLANETREE_DATA, which is not set, then at .*toys\.csv\.gz; OpenML 7: no route"
    with pytest.raises(FileNotFoundError, match=expected):
        datasets.load("toys")


def test_a_cached_file_that_was_changed_is_refused(cache):
    cache.mkdir()
    (cache / "toys.csv.gz").write_bytes(gzip.compress(CSV.replace("round", "oval").encode()))
    with pytest.raises(ValueError, match="checksum"):
        datasets.load("toys")


def test_a_part_of_a_table_of_openml_is_taken(monkeypatch):
    answer_with(monkeypatch, V1=[0.5, 1.5, 2.5], target=["a", "b", "c"])
    entry = loaders._Entry("", ("x", "y"), {}, ("size",), 7, (1, 3))
    assert loaders._fetch(entry) == [["size", "class"], ["1.5", "x"], ["2.5", "y"]]


def test_the_checksum_sees_values_and_not_how_they_are_written():
    rewritten = [[cell.replace("1.5", "1.50") for cell in row] for row in ROWS]
    assert loaders._checksum(rewritten, {"shape", "rank"}) == TOYS.checksum
    changed = [[cell.replace("square", "squire") for cell in row] for row in ROWS]
    assert loaders._checksum(changed, {"shape", "rank"}) != TOYS.checksum


@pytest.mark.skipif(not os.environ.get("PLANETREE_DATA"), reason="PLANETREE_DATA is not set")
@pytest.mark.parametrize("name", sorted(loaders._catalog()))
def test_every_data_set_is_what_its_description_and_the_catalog_say(name, monkeypatch):
    entry, known = loaders._described()[name], loaders._catalog()[name]
    source = loaders._in_folder(name)
    monkeypatch.setattr(loaders, "_in_folder", lambda _: source)  # it is parsed once
    data = datasets.load(name)
    assert data.X.shape == (entry["rows"], entry["n_features"])
    assert len(data.categorical) == entry["n_discrete"]
    labels, counts = np.unique(data.y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == entry["classes"]
    table = Table.read(data.X)
    assert np.isnan(table.values).sum() == entry["missing_values"]
    categorical = [c.name for c in table.columns if c.categories is not None]
    assert categorical == list(data.categorical) == list(known.categories)
    assert loaders._checksum(source.rows, known.categories) == known.checksum
    assert set(known.classes) == set(entry["classes"])
