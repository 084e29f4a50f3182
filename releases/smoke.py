"""A try of an installed planetree: the main job, from a table to a model, a report and an export.

    python -m releases.smoke            # with the Python that planetree is installed in
    python -m releases.smoke --alone    # and with no compiler on the path

It runs the command in a folder of its own, never from the sources, and takes a few seconds.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja")


def main(*, alone: bool) -> None:
    """Run the command as a stranger would; the first failure ends it."""
    with tempfile.TemporaryDirectory() as folder:
        try_command(Path(folder), environment(alone))


def environment(alone: bool) -> dict[str, str]:
    """Variables of the process, without the folders of compilers if it is to be alone."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if alone:
        kept["PATH"] = str(Path(sys.executable).parent)
        found = [name for name in _COMPILERS if shutil.which(name, path=kept["PATH"])]
        assert not found, f"{found} are beside {sys.executable}."
    return kept


def try_command(folder: Path, variables: dict[str, str]) -> None:
    """Fit, explain, predict and export by the command."""

    def planetree(*arguments: str) -> str:
        command = [sys.executable, "-m", "planetree.cli", *arguments]
        return subprocess.run(
            command, cwd=folder, env=variables, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    began = time.perf_counter()
    print(planetree("--version").strip())
    print(planetree("demo"))
    model, table = "demo/model.json", "demo/table.csv"
    assert json.loads((folder / model).read_text("utf-8"))["format"] == "planetree"
    assert "<html" in (folder / "demo" / "report.html").read_text("utf-8")
    assert planetree("predict", model, table).count("\n") == 570  # 569 tumors and the names
    assert "select" in planetree("export", model, "--to", "sql").lower()
    print(f"The wheel works: {time.perf_counter() - began:.1f} s.")


if __name__ == "__main__":
    main(alone="--alone" in sys.argv)
