"""Each command end to end, on real files."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
from exit_codes import without_seconds


def test_each_command_does_the_same_in_a_process_that_no_test_has_touched(fitted, at):
    *every, _ = json.loads((fitted / "every.json").read_text())  # the demo has its own test
    assert len(every) == 10
    for words, code, out in every:
        assert code == 0, words
        assert without_seconds(out) == without_seconds(at(*words).out) != "", words


def test_help_loads_nothing_heavy():
    """What takes time to import is left to the commands that need it."""
    script = (
        "import sys, json\nfrom planetree.cli.app import run\nrun(['fit', '--help'])\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"numpy", "scipy", "sklearn", "pyarrow", "pandas", "matplotlib", "narwhals"}


def test_leaks_and_unequal_classes_are_noted(here, tmp_path):
    lines = [f"{i},{i * i % 17},{'xy'[i % 3 == 0]},{'xy'[i % 3 == 0]}\n" for i in range(60)]
    (tmp_path / "t.csv").write_text("id,b,result,class\n" + "".join(lines))
    words = ("fit", "t.csv", "--target", "class", "--folds", "0")
    notes = here(tmp_path, *words).err
    assert "Column 'id' has a different whole number in every row" in notes
    assert "Column 'result' is a copy of the class" in notes
    assert here(tmp_path, *words, "--ignore", "id", "--ignore", "result").err == ""


def test_a_plane_of_a_table_with_gaps_knows_its_training_rows_and_asks_nobody(planetree):
    """Filled cells are other cells: the report once took the training rows for new ones."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "color": rng.choice(["red", "blue"], 60).astype(object)})
    frame.loc[::7, "x"], frame.loc[::9, "color"] = None, None
    frame.assign(label=np.where(x > 0, "yes", "no")).to_csv(planetree.folder / "r.csv", index=False)
    options = ("--target", "label", "--method", "plane", "--model", "p.json", "--report", "p.html")
    done = planetree("fit", "r.csv", *options, "--folds", "2")
    assert done.code == 0
    assert "if missing: x = " in done.out
    assert "color = (missing)" in done.out
    page = (planetree.folder / "p.html").read_text("utf-8")
    assert "of 60 training rows correct" in page
    assert "if missing: color = (missing)" in page
    assert planetree("predict", "p.json", "r.csv", "--ask", "0.1").refused(2, "remove --ask")
