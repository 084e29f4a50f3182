"""Reading tables: whatever the way a table is written, its cells come back."""

import csv
import io
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from written_files import NUMBERS, PLAIN, written

from planetree.exceptions import ColumnError, FileError
from planetree.table_files import Reading, read_examples, read_file
from planetree.table_files.delimited import MISSING

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


@pytest.mark.parametrize("way", WAYS)
def test_a_table_comes_back_whichever_way_it_is_written(tmp_path, way):
    assert read_file(written(tmp_path, WAYS[way])).frame.to_pydict() == NUMBERS


def test_a_parquet_file_of_many_equal_cells_is_refused_past_the_limit(tmp_path):
    """Runs of equal cells take no room in the file, however many there are."""
    path = tmp_path / "bomb.parquet"
    cells = pa.array(np.zeros(1 << 20))
    parquet.write_table(pa.table({"size": cells, "class": cells}), path)
    assert path.stat().st_size < 10**4
    with pytest.raises(FileError, match="compressed and holds more than 1 MB"):
        read_file(path, Reading(max_size=10**6))
    assert len(read_file(path).frame) == 1 << 20


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


def test_beside_decimal_commas_a_full_stop_is_between_thousands(tmp_path):
    """1.234 beside 3,5 was once read as 1.234, without a note."""
    found = read_file(written(tmp_path, "x;n;y\n3,5;1.234;a\n2,5;950;b\n1,5;2.500;b\n"))
    assert found.frame.to_pydict()["n"] == [1234, 950, 2500]
    assert found.notes == ["Column 'n' is read as numbers: '1.234' as 1234."]
    small = read_file(written(tmp_path, "x;n\n3,5;0.234\n2,5;0.500\n"))
    assert small.frame.to_pydict()["n"] == [0.234, 0.5]
