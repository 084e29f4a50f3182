"""Files that cannot be learned from end the command in a line that names the fault."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest

DATA, USAGE, OUTPUT = 3, 2, 4
GOOD = "a,b,class\n" + "".join(f"{i},{i % 3},{'xy'[i > 9]}\n" for i in range(20))


@pytest.fixture
def fit(planetree):
    """Fit a file of some content; whatever happens, no file is left behind."""

    def run(content, name="table.csv", target="class", *more):
        path = planetree.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        outputs = ["--model", "m.json", "--report", "r.html"]
        outcome = planetree("fit", name, "--target", target, "--folds", "0", *outputs, *more)
        if outcome.code:
            assert [each.name for each in planetree.folder.iterdir()] == [name]
        return outcome

    return run


def test_a_file_that_is_not_there_is_named(planetree):
    outcome = planetree("fit", "nowhere.csv", "--target", "class")
    assert outcome.refused(DATA, "There is no file nowhere.csv")


def test_a_folder_is_no_table(planetree):
    assert planetree("fit", ".", "--target", "class").refused(DATA, "folder")


def test_a_wrong_target_is_answered_with_the_nearest_name(fit):
    assert fit(GOOD, target="clas").refused(USAGE, "no column 'clas'", "Did you mean 'class'?")


def test_no_target_is_answered_with_the_columns(planetree):
    (planetree.folder / "table.csv").write_text(GOOD)
    assert planetree("fit", "table.csv").refused(USAGE, "--target", "'a', 'b', 'class'")


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
def test_an_empty_file_is_said_to_be_empty(fit, content):
    assert fit(content).refused(DATA, "table.csv is empty")


def test_a_file_with_names_only_has_no_rows(fit):
    assert fit("a,b,class\n").refused(DATA, "no rows")


def test_one_class_is_not_enough(fit):
    assert fit("a,class\n1,x\n2,x\n3,x\n").refused(DATA, "one class only: x")


def test_a_target_of_many_numbers_is_no_class(fit):
    rows = "".join(f"{i},{i / 7}\n" for i in range(300))
    assert fit("a,class\n" + rows).refused(DATA, "300 different numbers")


def test_a_line_of_two_gigabytes_is_refused_without_reading_it(planetree):
    """The file is a gzip of 32 members of 64 MB each, so that it takes no room on disk."""
    member = gzip.compress(b"7" * (1 << 26), 1)
    with (planetree.folder / "long.csv.gz").open("wb") as file:
        file.write(gzip.compress(b"a,class\n1,x\n"))
        for _ in range(32):
            file.write(member)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
    script = limit + "from planetree.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "fit", "long.csv.gz", "--target", "class"],
        cwd=planetree.folder,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == DATA
    assert done.stderr.startswith("planetree: Line 3 of long.csv.gz is longer than 8 MB")


def test_a_packed_table_of_gigabytes_is_refused_past_the_limit(planetree):
    """16 MB of gzip that unpack to more than memory has once aborted the process."""
    member = gzip.compress(b"1,x\n2,y\n" * (1 << 22), 1)
    with (planetree.folder / "bomb.csv.gz").open("wb") as file:
        file.write(gzip.compress(b"a,class\n"))
        for _ in range(64):
            file.write(member)
    outcome = planetree("fit", "bomb.csv.gz", "--target", "class", "--max-size", "20MB")
    assert outcome.refused(DATA, "bomb.csv.gz is compressed", "--max-size")


@pytest.mark.parametrize("size", ["a lot", "-1", "0", "2XB"])
def test_a_size_that_is_none_is_a_fault_of_usage(fit, size):
    outcome = fit(GOOD, "table.csv", "class", "--max-size", size)
    assert outcome.code == USAGE
    assert "max-size" in outcome.err


def test_a_pipe_without_end_is_refused(planetree):
    outcome = planetree("fit", "-", "--target", "class", stdin="a,class\n" + "7" * (3 << 22))
    assert outcome.refused(DATA, "Line 2", "longer than 8 MB")


@pytest.mark.parametrize("name", ["junk.csv", "junk.tsv", "junk.arff", "junk.parquet"])
def test_binary_junk_is_no_table(fit, name):
    junk = np.random.default_rng(0).bytes(5000)
    fit(junk, name).refused(DATA, name)


def test_a_parquet_file_named_csv_is_no_text(fit):
    assert fit(b"PAR1\x15\x04\x15\x00" * 50).refused(DATA, "not a text table")


def test_duplicate_headers_are_named(fit):
    content = "size,b,size,class\n1,2,3,x\n4,5,6,y\n"
    assert fit(content).refused(DATA, "two columns named 'size'", "columns 1 and 3")


@pytest.mark.parametrize(
    ("row", "said"),
    [("7,x", "has 2 cells,"), ("7,8,9,x", "has 4 cells,")],
    ids=["short", "long"],
)
def test_a_ragged_row_is_named_by_its_line(fit, row, said):
    content = 'a,b,class\n1,"two\nlines",x\n\n2,3,y\n' + row + "\n5,6,y\n"
    assert fit(content).refused(DATA, "Line 6", said, "3 columns")


def test_a_quote_that_does_not_end_is_refused(fit):
    assert fit('a,b,class\n1,2,x\n3,"4,y\n5,6,x\n').refused(DATA, "table.csv")


def test_a_wrong_encoding_that_was_asked_for_is_said(fit):
    content = "größe,class\n1,x\n2,y\n".encode("latin-1")
    outcome = fit(content, "table.csv", "class", "--encoding", "utf-8")
    assert outcome.refused(DATA, "not text in utf-8", "0xf6")


def test_a_table_without_a_column_to_learn_from_says_why(fit):
    content = "when,class\n" + "".join(f"2024-01-{i:02d},{'xy'[i > 9]}\n" for i in range(1, 20))
    assert fit(content).refused(DATA, "no column to learn from", "'when' holds dates")


def test_an_infinite_number_is_refused_with_its_place(fit):
    assert fit("a,class\n1,x\n1e999,y\n3,x\n4,y\n").refused(DATA, "'a'", "infinity")


def test_missing_values_do_not_stop_a_method_that_needs_every_value(fit):
    content = "a,class\n1,x\n,y\n3,x\n4,y\n"
    done = fit(content, "table.csv", "class", "--method", "plane")
    assert done.code == 0
    assert "if missing: a = 3" in done.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("@relation r\n@attribute a numeric\n1\n", "no line @data"),
        ("@attribute a fruit\n@data\n1\n", "Line 1"),
        ("@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,z\n", "'z'"),
        ("@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n%\n2,x,3\n", "Line 6"),
        ("@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\npear,y\n", "'pear'"),
        ("@attribute a numeric\n@attribute class {x,y}\n@data\n{0 1}\n", "sparse"),
    ],
    ids=["no data", "kind", "value", "ragged", "number", "sparse"],
)
def test_arff_that_is_not_well_formed_is_refused(fit, content, said):
    assert fit(content, "table.arff").refused(DATA, said)


def test_names_without_data_are_refused(fit):
    assert fit("x, y.\na: continuous.\n", "t.names").refused(DATA, "t.data")
