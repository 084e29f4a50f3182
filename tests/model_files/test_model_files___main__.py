"""Files named on the command line: valid models pass, others are named."""

import subprocess
import sys

import planetree


def test_the_hook_passes_models_and_names_what_is_none(tmp_path):
    good, bad = tmp_path / "good.planetree.json", tmp_path / "bad.planetree.json"
    planetree.save(planetree.C45Classifier().fit([[0.0], [1.0]], ["a", "b"]), good)
    bad.write_text("{}")
    command = [sys.executable, "-m", "planetree.model_files", str(good)]
    assert subprocess.run(command, check=False).returncode == 0
    done = subprocess.run([*command, str(bad)], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "bad.planetree.json" in done.stderr
    assert "good.planetree.json" not in done.stderr
