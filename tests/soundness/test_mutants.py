"""The list of `make mutate` names texts and tests that are there; a mutant is run once."""

import re
from pathlib import Path

import pytest

from campaigns import mutate, printing

ROOT = Path(mutate.__file__).parents[1]


@pytest.mark.parametrize("mutant", mutate.mutants([]), ids=lambda mutant: mutant.name)
def test_a_mutant_changes_one_place_and_names_tests_that_exist(mutant, tmp_path):
    source = Path("src", "planetree", mutant.file)
    copy = tmp_path / source
    copy.parent.mkdir(parents=True)
    copy.write_bytes((ROOT / source).read_bytes())
    before = mutant.apply(tmp_path)
    assert copy.read_text("utf-8") != before
    compile(copy.read_text("utf-8"), str(copy), "exec")
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\b", (ROOT / file).read_text("utf-8"), re.MULTILINE)


def test_a_text_that_is_gone_is_an_error_of_the_list(tmp_path):
    mutant = mutate.mutants(["UBPA does"])[0]._replace(file="a.py")
    folder = tmp_path / "src" / "planetree"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("nothing of it", "utf-8")
    with pytest.raises(SystemExit, match="0 times"):
        mutant.apply(tmp_path)


def test_a_word_chooses_mutants_by_name():
    assert [each.name for each in mutate.mutants(["UBPA1 does"])] == ["UBPA1 does nothing"]


def test_pieces_of_a_run_are_kept_together_and_who_lives_is_not_hidden(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"{printing.BEGIN}{printing.END}", "utf-8")
    monkeypatch.setattr(printing, "FIGURES", tmp_path)
    monkeypatch.setattr(printing, "PAGE", page)
    mutate.keep("last", {"UBPA does nothing": ("`a.py`", "LIVES"), "gone": ("`a.py`", "killed")})
    mutate.keep("last", {"BPA does nothing": ("`a.py`", "killed")})
    text = page.read_text("utf-8")
    assert f"1 of 2 killed; {len(mutate.mutants([]))} are listed." in text
    assert "| UBPA does nothing | `a.py` | LIVES |\n| BPA does nothing | `a.py` | killed |" in text
    assert "gone" not in text
    mutate.keep("last", {"UBPA does nothing": ("`a.py`", "killed")})
    assert "2 of 2 killed" in page.read_text("utf-8")
