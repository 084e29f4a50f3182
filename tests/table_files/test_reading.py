"""Reading tables: whatever the way a table is written, its cells come back."""

import csv
import io
import tracemalloc
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from planetree.exceptions import ColumnError, FileError
from planetree.table_files import Reading, read_examples, read_file
from planetree.table_files.declared import _statements
from planetree.table_files.delimited import _MISSING

NUMBERS = {"size": [1.5, 2.0, None, 4.25], "color": ["red", None, "blue", "red"]}
PLAIN = "size,color\n1.5,red\n2.0,\n,blue\n4.25,red\n"
WAYS = {
    "plain": PLAIN.encode(),
    "no last end": PLAIN.rstrip().encode(),
    "windows": PLAIN.replace("\n", "\r\n").encode(),
    "old mac": PLAIN.replace("\n", "\r").encode(),
    "mark": PLAIN.encode("utf-8-sig"),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16 without a mark": PLAIN.encode("utf-16-le"),
    "utf-16 the other way": PLAIN.encode("utf-16-be"),
    "semicolons": PLAIN.replace(",", ";").encode(),
    "decimal commas": PLAIN.replace(",", ";").replace(".", ",").encode(),
    "tabs": PLAIN.replace(",", "\t").encode(),
    "bars": PLAIN.replace(",", "|").encode(),
    "blanks": PLAIN.replace(",", " , ").encode(),
    "empty lines": PLAIN.replace("\n", "\n\n").encode(),
    "words for missing": b"size,color\n1.5,red\n2.0,NA\nNaN,blue\n4.25,red\n",
    "question marks": b"size, color\n1.5, red\n2.0, ?\n ?, blue\n4.25, red\n",
    "all quoted": b'"size","color"\n"1.5","red"\n"2.0",""\n"","blue"\n"4.25","red"\n',
}


def written(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("way", WAYS)
def test_a_table_comes_back_whichever_way_it_is_written(tmp_path, way):
    assert read_file(written(tmp_path, WAYS[way])).frame.to_pydict() == NUMBERS


@pytest.mark.parametrize("ending", ["gz", "bz2"])
def test_a_packed_table_comes_back(tmp_path, ending):
    path = tmp_path / f"t.csv.{ending}"
    with pa.output_stream(path, compression="detect") as stream:
        stream.write(PLAIN.encode())
    assert read_file(path).frame.to_pydict() == NUMBERS


PACKED_TABLES = {
    "bomb.csv": b"size,class\n" + b"0.5,a\n0.7,b\n" * (1 << 20),
    "bomb.arff": b"@attribute size numeric\n@attribute class {a,b}\n@data\n" + b"1,a\n" * (4 << 20),
}


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst", "lz4"])
@pytest.mark.parametrize("name", PACKED_TABLES)
def test_a_packed_table_is_refused_past_the_limit_without_unpacking_it(tmp_path, name, ending):
    """A few megabytes of gzip once unpacked to as many gigabytes as memory has, and more."""
    path, content = tmp_path / f"{name}.{ending}", PACKED_TABLES[name]
    with pa.output_stream(path, compression="detect") as stream:
        stream.write(content)
    tracemalloc.start()
    with pytest.raises(FileError, match=r"compressed and holds more than 1 MB.*--max-size"):
        read_file(path, max_size=10**6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 10**6 < 12 * 10**6 < len(content)
    if name == "bomb.csv":
        assert len(read_file(path, max_size=len(content)).frame) == 1 << 21


def test_a_plain_table_has_no_limit_but_its_own_size(tmp_path):
    assert read_file(written(tmp_path, PLAIN), max_size=1).frame.to_pydict() == NUMBERS


def test_a_parquet_file_of_many_equal_cells_is_refused_past_the_limit(tmp_path):
    """Runs of equal cells take no room in the file, however many there are."""
    path = tmp_path / "bomb.parquet"
    cells = pa.array(np.zeros(1 << 20))
    parquet.write_table(pa.table({"size": cells, "class": cells}), path)
    assert path.stat().st_size < 10**4
    with pytest.raises(FileError, match="compressed and holds more than 1 MB"):
        read_file(path, max_size=10**6)
    assert len(read_file(path).frame) == 1 << 20


def test_arff_and_parquet_give_the_same_table(tmp_path):
    arff = "@attribute size real\n@attribute 'color' {blue,red}\n@data\n"
    arff += "1.5,red\n2,?\n?,'blue'\n4.25,red\n"
    assert read_file(written(tmp_path, arff, "t.arff")).frame.to_pydict() == NUMBERS
    parquet.write_table(pa.table(NUMBERS), tmp_path / "t.parquet")
    assert read_file(tmp_path / "t.parquet").frame.to_pydict() == NUMBERS


def test_declared_values_stand_whether_or_not_a_row_has_them(tmp_path):
    written(tmp_path, "yes, no.\ncolor: red, green,\n  blue.\nday: ignore.\n", "t.names")
    written(tmp_path, "red, d1, yes.\nblue, d2, no.\nred, d3, yes\n", "t.data")
    found = read_examples(tmp_path / "t.data", None)
    assert found.target == "class"
    assert found.kinds() == {"color": "3 categories"}
    assert found.frame.column("color").chunk(0).dictionary.to_pylist() == ["red", "green", "blue"]
    assert found.labels.tolist() == ["yes", "no", "yes"]


def test_statements_of_names_end_at_a_period_before_a_blank_or_at_the_line():
    text = "a, b.  | classes\nx: 1.5, 2.5. y: continuous\nz: a\\, b, c."
    assert _statements(text) == ["a, b", "x: 1.5, 2.5", "y: continuous", "z: a\\, b, c"]


cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).map(
    str.strip
)
words = cells.filter(lambda cell: cell and cell not in _MISSING and not cell[0].isdigit())
plain_words = words.filter(lambda cell: cell[0].isalpha() and cell.lower() not in ("true", "false"))


@given(
    rows=st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), plain_words), min_size=2
    ),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter, encoding):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["number", "word, or two", "last"])
    writer.writerows([number, f"x{word}", "end"] for number, word in rows)
    path = written(tmp_path_factory.mktemp("written"), text.getvalue().encode(encoding))
    frame = read_file(path).frame
    assert frame.column_names == ["number", "word, or two", "last"]
    assert frame.column("word, or two").to_pylist() == [f"x{word}".strip() for _, word in rows]
    np.testing.assert_array_equal(frame.column("number").to_numpy(), [number for number, _ in rows])


@given(
    st.binary(max_size=300), st.sampled_from(["t.csv", "t.tsv", "t.arff", "t.names", "t.parquet"])
)
def test_any_bytes_are_a_table_or_a_file_error(tmp_path_factory, content, name):
    path = written(tmp_path_factory.mktemp("any"), content, name)
    path.with_suffix(".data").write_bytes(content)
    with suppress(FileError, ColumnError):
        read_examples(path, None)


@given(st.binary(max_size=60))
def test_any_bytes_inside_a_table_are_read_or_a_file_error(tmp_path_factory, content):
    path = written(tmp_path_factory.mktemp("inside"), b"a,class\n1,x\n" + content + b"\n2,y\n")
    with suppress(FileError, ColumnError):
        read_examples(path, "class")


def test_the_line_of_a_ragged_row_counts_lines_inside_quotes(tmp_path):
    rows = "".join(f'{i},"two\nlines"\n' for i in range(50))
    with pytest.raises(FileError, match=r"Line 102 of .* has 1 cell"):
        read_file(written(tmp_path, f"a,b\n{rows}51\n52,x\n"))


def test_weights_are_read_and_bad_ones_named(tmp_path):
    path = written(tmp_path, "a,w,class\n1,2,x\n2,0.5,y\n")
    assert read_examples(path, "class", sample_weight="w").weights.tolist() == [2.0, 0.5]
    path = written(tmp_path, "a,w,class\n1,-2,x\n2,0.5,y\n")
    with pytest.raises(FileError, match="'w' holds -2"):
        read_examples(path, "class", sample_weight="w")


def test_a_column_that_is_declared_to_be_categories_is_never_left_out(tmp_path):
    path = written(tmp_path, "id,class\n" + "".join(f"n{i},{'xy'[i % 2]}\n" for i in range(60)))
    with pytest.raises(FileError, match="60 different values"):
        read_examples(path, "class")
    found = read_examples(path, "class", reading=Reading(categorical=["id"]))
    assert found.kinds() == {"id": "60 categories"}


@pytest.mark.parametrize(
    ("cell", "kind"), [("1", int), ("1.0", int), ("1.5", float), ("true", bool)]
)
def test_classes_keep_their_kind(tmp_path, cell, kind):
    found = read_examples(written(tmp_path, f"a,class\n1,{cell}\n2,0\n3,{cell}\n"), "class")
    assert isinstance(found.labels.tolist()[0], kind)
