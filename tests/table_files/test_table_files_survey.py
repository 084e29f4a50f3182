"""Files looked through before they are read: encodings, sizes and lines without end."""

import tracemalloc

import pyarrow as pa
import pytest
from written_files import NUMBERS, PLAIN, written

from planetree.exceptions import FileError
from planetree.table_files import Reading, read_file
from planetree.table_files.survey import lines_of, survey


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


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_an_encoding_is_known_by_the_bytes_and_a_guess_is_called_one(tmp_path, encoding):
    text = "größe,class\n" + "1.5,ä\n" * 50
    found = survey(written(tmp_path, text.encode(encoding)))
    assert (
        written(tmp_path, text.encode(encoding))
        .read_bytes()
        .decode(found.encoding)
        .endswith("1.5,ä\n")
    )
    assert found.guessed == (not encoding.startswith("utf-8"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b" \n", "is empty"),
        (bytes(range(256)) * 4, "not a text table"),
        (b"\x00\x01" * 50, "not a text table"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, content, says):
    with pytest.raises(FileError, match=says):
        survey(written(tmp_path, content))


def test_a_line_without_end_is_refused_with_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr("planetree.table_files.survey.LONGEST_LINE", 1 << 20)
    path = written(tmp_path, b"a,b\n1,2\n" + b"x" * (2 << 20))
    with pytest.raises(FileError, match=r"Line 3 of .* is longer than 1 MB"):
        survey(path)


def test_a_leading_zero_is_noticed_and_lines_end_in_any_way(tmp_path):
    assert survey(written(tmp_path, "a,b\n007,1\n")).coded
    assert not survey(written(tmp_path, "a,b\n0.07,10\n")).coded
    assert lines_of("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
