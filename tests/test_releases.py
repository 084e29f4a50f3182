"""What others install: one version, floors that agree, steps that make can run, portable code."""

import ast
import re
import signal
import tomllib
from pathlib import Path

import pytest

import planetree
from planetree.evaluation.validation import limited
from releases import check, oldest, typed

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
SOURCES = sorted(Path(planetree.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize(
    "workflow", sorted((ROOT / ".github").glob("workflows/*.yml")), ids=lambda path: path.stem
)
def test_each_step_of_a_workflow_can_be_run_here(workflow):
    """A step is an action of others, or a target of make; only the release page needs more."""
    for step in re.findall(r"- run: (.+)", workflow.read_text("utf-8")):
        if not step.startswith("gh release create"):
            command, target, *_ = step.split()
            assert command == "make"
            assert target in TARGETS, step


def test_what_the_tests_need_has_a_lowest_version():
    assert len(list(oldest.floors(oldest.required()))) == len(oldest.required())
    with pytest.raises(ValueError, match=r"'polars' of pyproject\.toml has no lowest version"):
        list(oldest.floors(["polars"]))


def test_the_recipe_for_conda_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    for each in wanted:
        name, floor = each.split(">=")
        assert re.search(rf"- {name}(-base)? >={re.escape(floor)}\n", recipe), each
    assert f'version: "{planetree.__version__}"' in recipe


def test_a_tag_of_another_version_is_refused():
    with pytest.raises(SystemExit, match=r"tag is 'v9\.9\.9', but the sources are of version"):
        check.main("v9.9.9")
    assert check.version() == planetree.__version__


def test_a_release_without_a_section_of_the_changes_is_refused():
    assert check.notes((ROOT / "CHANGELOG.md").read_text("utf-8"), planetree.__version__)
    with pytest.raises(SystemExit, match=r"has no section for 9\.9\.9"):
        check.notes("# Changes\n", "9.9.9")


def test_the_share_of_typed_names_is_in_percent():
    assert typed.share({"typeCompleteness": {"completenessScore": 0.5}}) == 50.0


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_source_needs_posix(path):
    """Windows has none of these modules, and no `os.fork`."""
    posix = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not posix & {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module not in posix
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) not in {("os", "fork"), ("os", "getuid")}


def test_a_system_without_timers_fits_without_one(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with limited(planetree.C45Classifier(), 1e-6):
        planetree.C45Classifier().fit([[0.0], [1.0]], ["a", "b"])
