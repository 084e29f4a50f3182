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
from planetree.table_files.delimited import MISSING

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of hypothesis, each of which writes its file anew."""
    return tmp_path_factory.mktemp("examples")


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


A, B = b"a" * 200, b"b" * 200  # bz2 packs runs of a letter fast, and rows that repeat slowly
ROWS = (b"0.5," + A + b"\n0.7," + B + b"\n") * (1 << 15)
PACKED_TABLES = {
    "bomb.csv": b"size,class\n" + ROWS,
    "bomb.arff": b"@attribute size numeric\n@attribute class {%s,%s}\n@data\n" % (A, B) + ROWS,
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
        read_file(path, Reading(max_size=10**6))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 10**6 < 12 * 10**6 < len(content)
    if name == "bomb.csv":
        assert len(read_file(path, Reading(max_size=len(content))).frame) == 1 << 16


def test_a_plain_table_has_no_limit_but_its_own_size(tmp_path):
    assert read_file(written(tmp_path, PLAIN), Reading(max_size=1)).frame.to_pydict() == NUMBERS


def test_a_parquet_file_of_many_equal_cells_is_refused_past_the_limit(tmp_path):
    """Runs of equal cells take no room in the file, however many there are."""
    path = tmp_path / "bomb.parquet"
    cells = pa.array(np.zeros(1 << 20))
    parquet.write_table(pa.table({"size": cells, "class": cells}), path)
    assert path.stat().st_size < 10**4
    with pytest.raises(FileError, match="compressed and holds more than 1 MB"):
        read_file(path, Reading(max_size=10**6))
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
words = cells.filter(lambda cell: cell and cell not in MISSING and not cell[0].isdigit())
plain_words = words.filter(lambda cell: cell[0].isalpha() and cell.lower() not in ("true", "false"))


@given(
    rows=st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), plain_words), min_size=2
    ),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_the_csv_module_writes_is_read_back(folder, rows, delimiter, encoding):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["number", "word, or two", "last"])
    writer.writerows([number, f"x{word}", "end"] for number, word in rows)
    path = written(folder, text.getvalue().encode(encoding))
    frame = read_file(path).frame
    assert frame.column_names == ["number", "word, or two", "last"]
    assert frame.column("word, or two").to_pylist() == [f"x{word}".strip() for _, word in rows]
    np.testing.assert_array_equal(frame.column("number").to_numpy(), [number for number, _ in rows])


@given(
    st.binary(max_size=300), st.sampled_from(["t.csv", "t.tsv", "t.arff", "t.names", "t.parquet"])
)
def test_any_bytes_are_a_table_or_a_file_error(folder, content, name):
    path = written(folder, content, name)
    path.with_suffix(".data").write_bytes(content)
    with suppress(FileError, ColumnError):
        read_examples(path, None)


@given(st.binary(max_size=60))
def test_any_bytes_inside_a_table_are_read_or_a_file_error(folder, content):
    path = written(folder, b"a,class\n1,x\n" + content + b"\n2,y\n")
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


def test_classes_with_leading_zeros_are_text_with_a_note(tmp_path):
    """Classes 01 and 1 were once one class, and 007 became 7 without a note."""
    found = read_examples(written(tmp_path, "a,class\n1,01\n2,1\n3,2\n"), "class")
    assert found.labels.tolist() == ["01", "1", "2"]
    assert "'01'" in " ".join(found.notes)
    plain = read_examples(written(tmp_path, "a,class\n1,0.5\n2,-.5e1\n3,2.\n4,1e3\n"), "class")
    assert plain.labels.tolist() == [0.5, -5.0, 2.0, 1000.0]
    assert not plain.notes


def test_beside_decimal_commas_a_full_stop_is_between_thousands(tmp_path):
    """1.234 beside 3,5 was once read as 1.234, without a note."""
    found = read_file(written(tmp_path, "x;n;y\n3,5;1.234;a\n2,5;950;b\n1,5;2.500;b\n"))
    assert found.frame.to_pydict()["n"] == [1234, 950, 2500]
    assert found.notes == ["Column 'n' is read as numbers: '1.234' as 1234."]
    small = read_file(written(tmp_path, "x;n\n3,5;0.234\n2,5;0.500\n"))
    assert small.frame.to_pydict()["n"] == [0.234, 0.5]
