"""The public names, the table of methods and what `import planetree` costs agree."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from test_contract import public_estimators

import planetree

README = Path(__file__).parents[1] / "README.md"
PROJECT = tomllib.loads((README.parent / "pyproject.toml").read_text("utf-8"))

OPTIONAL = ("matplotlib", "onnx", "dask", "typer", "rich", "starlette")
OPTIONAL += ("pandas", "polars", "pyarrow", "torch", "highspy")


def loaded_by(statement):
    """Top-level modules in memory after a statement, in a process of its own."""
    script = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout)}


def test_every_public_name_exists_and_is_listed():
    assert set(planetree.__all__) <= set(dir(planetree))
    for name in planetree.__all__:
        assert getattr(planetree, name).__doc__


def test_the_readme_lists_the_public_estimators():
    table = README.read_text().split("## Methods")[1].split("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)", table, flags=re.MULTILINE)
    assert sorted(listed) == sorted(each.__name__ for each in public_estimators())


def test_the_code_of_the_readme_prints_what_the_readme_says(capsys):
    code, after = README.read_text().split("```python\n")[1].split("```", 1)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert after.split("```\n")[1].strip() in printed
    share = re.search(r"predicts (\d+)% of held-out", after)[1]
    assert float(share) == round(100 * float(printed.split()[-1]))


def test_the_glossary_knows_every_public_estimator():
    glossary = (README.parent / "docs" / "glossary.md").read_text()
    for each in public_estimators():
        assert f"`{each.__name__}" in glossary, each


def test_the_glossary_names_only_what_is_there():
    table = (README.parent / "docs" / "glossary.md").read_text().split("## Words")[0]
    named = set(re.findall(r"`([A-Z]\w+)\(", table))
    assert len(named) > 10
    assert named <= set(planetree.__all__)


def test_the_words_of_the_glossary_are_in_order():
    words = (README.parent / "docs" / "glossary.md").read_text("utf-8").split("## Words")[1]
    listed = re.findall(r"^\*\*(.+?)\*\*", words, flags=re.MULTILINE)
    assert len(listed) > 30
    assert listed == sorted(listed)


def test_public_estimators_have_an_example_in_their_docstring():
    for each in public_estimators():
        assert ">>>" in each.__doc__, each


@pytest.fixture(scope="module")
def extra():
    """Modules of all public names beyond those of the standard library and scikit-learn."""
    needed = loaded_by("import scipy.sparse, sklearn.base, sklearn.feature_selection")
    return loaded_by("from planetree import *") - needed - set(sys.stdlib_module_names)


def test_the_package_alone_loads_nothing_at_all():
    """The command must answer `--help` at once."""
    assert not {"numpy", "sklearn", "scipy"} & loaded_by("import planetree")


def test_a_name_that_is_not_there_is_refused():
    with pytest.raises(AttributeError, match="Nonsense"):
        planetree.Nonsense  # noqa: B018


def test_parts_are_there_without_an_import_of_their_own():
    found = loaded_by("import planetree; planetree.convert.to_sql")
    assert "planetree" in found
    assert "matplotlib" not in found


def test_import_loads_nothing_that_is_optional_or_not_needed_yet(extra):
    assert not extra & set(OPTIONAL)


def test_import_loads_only_what_its_dependencies_load(extra):
    others = {name for name in extra if not name.startswith("_")}
    assert others - {"joblib", "narwhals"} == {"planetree"}


def test_the_version_is_said_in_one_place_and_is_that_of_the_citation_and_of_the_changes():
    version = planetree.__version__
    assert np.all([part.isdigit() for part in version.split(".")])
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["scikit-build"]["metadata"]["version"]["input"].endswith("__init__.py")
    assert f"\nversion: {version}\n" in (README.parent / "CITATION.cff").read_text()
    assert (
        re.search(r"^## \[(\d.+?)\]", (README.parent / "CHANGELOG.md").read_text(), re.M)[1]
        == version
    )


def needs(extra):
    """Distributions that an extra names, without their versions, as they are imported."""
    return {re.split(r"[<>=\[ ]", each)[0].replace("-", "_") for each in extra}


def imported():
    """Top-level modules that any file of the package imports, also inside functions."""
    nodes = (
        node
        for path in Path(planetree.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    )
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_the_extra_all_has_every_optional_dependency():
    extras = PROJECT["project"]["optional-dependencies"]
    features = [
        extras[name]
        for name in extras
        if name not in ("test", "benchmark", "lint", "docs", "release")
    ]
    assert set().union(*map(needs, features)) == needs(extras["all"])
    required = needs(PROJECT["project"]["dependencies"]) - {"scikit_learn"} | {"sklearn"}
    others = set(imported()) - required - set(sys.stdlib_module_names) - {"planetree"}
    assert others - {"duckdb"} <= needs(extras["all"])  # the studio tries it where it is installed


def test_dir_shows_public_names_only():
    shown = set(dir(planetree))
    assert shown == {*planetree.__all__, *planetree._PARTS, "__version__"}
