"""A sample of a large file: whole rows of it, byte for byte, each with the same chance."""

import numpy as np
import pytest

from planetree.table_files import is_sampled, read_file, row_sample, write_sample

QUOTED = '"line one\nline two"'


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rows = (f"{i},{QUOTED if i % 7 == 0 else 'plain'},{i % 3}\n" for i in range(5000))
    path.write_text("number,text,class\n" + "".join(rows))
    return path


@pytest.mark.parametrize("chunk", [50, 1000, 1 << 22])
def test_rows_are_those_of_the_file_whatever_is_read_together(table, chunk, monkeypatch):
    monkeypatch.setattr(row_sample, "_CHUNK", chunk)
    out = table.with_name("some.csv")
    assert write_sample(table, out, 700) == 5000
    frame = read_file(out).frame
    numbers = frame.column("number").to_numpy()
    assert len(np.unique(numbers)) == 700
    assert (np.diff(numbers) > 0).all()
    held = ["line one\nline two" if i % 7 == 0 else "plain" for i in numbers]
    assert frame.column("text").to_pylist() == held
    assert frame.column("class").to_pylist() == (numbers % 3).tolist()


def test_every_row_has_the_same_chance(table):
    """The mean of 700 of 0..4999 is 2499.5 with a standard error of 50."""
    out = table.with_name("some.csv")
    means = []
    for seed in range(4):
        write_sample(table, out, 700, seed)
        means.append(read_file(out).frame.column("number").to_numpy().mean())
    assert len(set(means)) == 4
    assert np.abs(np.array(means) - 2499.5).max() < 200


def test_all_rows_are_taken_if_there_are_no_more_and_the_last_has_no_end(table):
    content = table.read_text().rstrip("\n")
    table.write_text("\n\n" + content)
    out = table.with_name("some.csv")
    assert write_sample(table, out, 10_000) == 5000
    assert out.read_text() == content + "\n"


def test_a_quote_that_never_closes_does_not_hold_the_file(table, monkeypatch):
    monkeypatch.setattr(row_sample, "LONGEST_LINE", 2000)
    monkeypatch.setattr(row_sample, "_CHUNK", 1000)
    table.write_text("number,text\n" + '1,5" pipe\n' + "2,plain\n" * 9000)
    out = table.with_name("some.csv")
    assert write_sample(table, out, 100) > 8000
    assert len(out.read_text().splitlines()) == 101


def test_parquet_is_sampled_too(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    parquet.write_table(pa.table({"x": np.arange(3000.0)}), path, row_group_size=400)
    assert is_sampled(path, 20_000)
    assert not is_sampled(path, 100_000)
    assert write_sample(path, out, 500) == 3000
    cells = read_file(out).frame.column("x").to_numpy()
    assert len(np.unique(cells)) == 500
    assert np.isin(cells, np.arange(3000.0)).all()


def test_only_texts_of_one_byte_letters_with_lines_are_sampled(table):
    assert is_sampled(table, 1000)
    assert not is_sampled(table, 1 << 20)
    for name, content in {
        "wide.csv": table.read_text().encode("utf-16"),
        "mac.csv": table.read_bytes().replace(b"\n", b"\r"),
        "table.arff": table.read_bytes(),
    }.items():
        other = table.with_name(name)
        other.write_bytes(content)
        assert not is_sampled(other, 1000), name
    assert not is_sampled(table.with_name("none.csv"), 0)
