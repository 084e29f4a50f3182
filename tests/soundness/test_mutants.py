"""The list of `make mutate` names texts and tests that are there; a mutant is run once."""

import re
from pathlib import Path

import pytest

from campaigns import mutate

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
