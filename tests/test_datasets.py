"""Data sets by name: a folder made here, and the real one where there is one."""

import gzip
import hashlib
import json
import os

import numpy as np
import pytest

from planetree import datasets
from planetree.table import Column, Table

CSV = "size,shape,rank,class\n1.5,round,2,yes\n,square,1,no\n3,,2,yes\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
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


def test_the_names_of_the_folder_are_listed(folder):
    assert datasets.names() == ["toys"]


def test_an_unknown_name_is_refused_with_those_that_are_known(folder):
    with pytest.raises(ValueError, match=r"no data set 'toy' in .*\['toys'\]"):
        datasets.load("toy")


def test_a_missing_file_says_where_to_put_it(folder):
    (folder / "toys.csv.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"no .*toys\.csv\.gz\. Put the file there"):
        datasets.load("toys")
    (folder / "datasets.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"Put datasets\.json .*PLANETREE_DATA"):
        datasets.load("toys")


def test_without_a_folder_the_variable_is_named(monkeypatch):
    monkeypatch.delenv("PLANETREE_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="PLANETREE_DATA is not set"):
        datasets.load("toys")


def test_a_file_that_was_changed_is_refused(folder):
    (folder / "toys.csv.gz").write_bytes(gzip.compress(CSV.replace("1.5", "1.6").encode()))
    with pytest.raises(ValueError, match="checksum"):
        datasets.load("toys")


@pytest.mark.skipif(not os.environ.get("PLANETREE_DATA"), reason="PLANETREE_DATA is not set")
def test_every_data_set_is_what_its_description_says():
    for name, entry in datasets.contents(datasets.folder()).items():
        data = datasets.load(name)
        assert data.X.shape == (entry["rows"], entry["n_features"])
        assert len(data.categorical) == entry["n_discrete"]
        labels, counts = np.unique(data.y, return_counts=True)
        assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == entry["classes"]
        table = Table.read(data.X)
        assert np.isnan(table.values).sum() == entry["missing_values"]
        categorical = [c.name for c in table.columns if c.categories is not None]
        assert categorical == list(data.categorical)
