"""`planetree studio` starts, says where it is, and ends with an interrupt without a traceback."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("starlette")


@pytest.mark.skipif(os.name == "nt", reason="signals of processes are those of POSIX")
def test_the_command_starts_the_studio_and_ends_with_an_interrupt(tmp_path):
    (tmp_path / "plain.csv").write_text("a,label\n1,x\n2,y\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "planetree.cli", "studio", "plain.csv", "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "http://127.0.0.1:" in process.stdout.readline()
    assert str(tmp_path.resolve()) in process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert "Traceback" not in error, error
