"""Files are whole or not there, and keep what their place had: links, permissions, no leftovers."""

import csv
import io
import os
import stat
import threading

import pytest

from planetree.files import csv_text, write_file


def test_a_symbolic_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    """The link was replaced by a file, as git does not."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "model.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real" / "model.json")
    write_file(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real" / "model.json").read_text() == "new"
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["link.json", "model.json", "real"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    """A file that only its owner could read became one for all."""
    path = tmp_path / "model.json"
    path.write_text("old")
    path.chmod(mode)
    write_file(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    """It was replaced by a file; so was /dev/null, for whoever may write to its folder."""
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_file(pipe, iter(["all ", "of it"]))
    reader.join(5)
    assert found == ["all of it"]
    assert pipe.is_fifo()
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(OSError, match="directory"):
        write_file(tmp_path, "model")
    assert tmp_path.is_dir()


def test_leftovers_of_killed_writes_go_but_not_those_that_may_still_run(tmp_path):
    old, fresh = (tmp_path / f".model.json.{each * 16}.part" for each in "ab")
    other = tmp_path / ".other.json.cccccccccccccccc.part"
    for each in (old, fresh, other):
        each.write_text("half")
    for each in (old, other):
        os.utime(each, (0, 0))
    write_file(tmp_path / "model.json", "whole")
    assert not old.exists()
    assert fresh.exists()
    assert other.exists()


def test_cells_that_a_spreadsheet_would_run_are_text_and_numbers_stay():
    cells = ["=cmd()", "@a", "+1+1", "-a", "\t=1", "-1.5", "+2e-3", "-inf", -1.5, "a=b", ""]
    (found,) = csv.reader(io.StringIO(csv_text([cells])))
    assert found[:5] == ["'=cmd()", "'@a", "'+1+1", "'-a", "'\t=1"]
    assert found[5:] == ["-1.5", "+2e-3", "-inf", "-1.5", "a=b", ""]
    (kept,) = csv.reader(io.StringIO(csv_text([cells], formulas=True)))
    assert kept == list(map(str, cells))


def test_a_sign_alone_is_no_formula():
    """Classes `+` and `-` once came back from `predict` as `'+` and `'-`."""
    assert csv_text([["+", "-", "=", "@"]]) == "+,-,=,@\n"


def test_text_that_comes_in_pieces_is_there_whole_or_not_at_all(tmp_path):
    def failing():
        yield "first\n"
        raise RuntimeError("no more rows")

    write_file(tmp_path / "whole.csv", iter(["first\n", "second\n"]))
    with pytest.raises(RuntimeError, match="no more rows"):
        write_file(tmp_path / "part.csv", failing())
    assert (tmp_path / "whole.csv").read_text() == "first\nsecond\n"
    assert [each.name for each in tmp_path.iterdir()] == ["whole.csv"]
