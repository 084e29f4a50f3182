"""The folder of the studio: tables by name, files kept once, and nothing outside of it."""

import pytest

from planetree.studio.tables_folder import TablesFolder


@pytest.fixture
def folder(tmp_path):
    return TablesFolder(tmp_path)


def test_tables_are_offered_by_name_and_other_files_are_not(folder):
    for name in ("b.csv", "A.XLSX", "c.csv.gz", "note.md", ".hidden.csv"):
        (folder.root / name).write_text("x")
    (folder.root / "sub.csv").mkdir()
    assert folder.names() == ["A.XLSX", "b.csv", "c.csv.gz"]


def test_the_same_bytes_are_kept_once_and_others_get_another_name(folder):
    assert folder.keep("t.csv", b"one") == "t.csv"
    assert folder.keep("t.csv", b"one") == "t.csv"
    assert folder.keep("t.csv", b"two") == "t-2.csv"
    assert folder.keep("t.csv", b"two") == "t-2.csv"
    assert sorted(each.name for each in folder.root.iterdir()) == ["t-2.csv", "t.csv"]


@pytest.mark.parametrize(
    "name", ["../evil.csv", "/etc/passwd", "a\x00b.csv", "..", "", "a/b\\c.csv"]
)
def test_whatever_a_file_is_called_it_stays_in_the_folder(folder, name):
    kept = folder.keep(name, b"x")
    assert (folder.root / kept).read_bytes() == b"x"
    assert (folder.root / kept).resolve().parent == folder.root


@pytest.mark.parametrize("content", [b"old", b"new", b"longer than before"])
def test_an_upload_takes_a_free_name_or_that_of_a_twin(folder, content):
    (folder.root / "t.csv").write_bytes(b"old")
    part = folder.part_file()
    part.write_bytes(content)
    kept = folder.take_upload(part, "t.csv")
    assert kept == ("t.csv" if content == b"old" else "t-2.csv")
    assert (folder.root / kept).read_bytes() == content
    assert not part.exists()
