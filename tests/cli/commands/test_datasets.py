"""`planetree datasets` and `demo` need no file."""

import json
import re

from exit_codes import OUTPUT, USAGE


def test_demo_and_datasets_need_no_file(here, tmp_path, fitted):
    found = here(fitted, "demo", "--folder", "every", "--force")
    assert found.code == 0, found.err
    assert len(re.findall(r"^(if|otherwise)", found.out, re.MULTILINE)) == 2
    assert {path.name for path in (fitted / "every").iterdir()} == {
        "table.csv",
        "model.json",
        "report.html",
    }
    ((words, code, out),) = json.loads((fitted / "every.json").read_text())[-1:]
    assert (words[0], code, out) == ("demo", 0, found.out)
    assert here(fitted, "demo", "--folder", "every").refused(OUTPUT, "exists")
    names = [each["name"] for each in here(tmp_path, "datasets", "--json").json["datasets"]]
    assert {"breast-cancer", "iris", "wine"} <= set(names)
    assert here(tmp_path, "datasets", "wine", "--out", "wine.csv").code == 0
    assert len((tmp_path / "wine.csv").read_text().splitlines()) == 179
    assert here(tmp_path, "datasets", "roses").refused(USAGE, "'roses'")
