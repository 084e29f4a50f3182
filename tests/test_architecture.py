"""The import rules: what may import what, and which dependency lives where."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import planetree

ROOT = Path(planetree.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

# From the top down: a part may import those of later lines, and no other of its own line.
LAYERS = (
    ("cli",),
    ("studio",),
    ("reporting",),
    ("plot", "convert", "model_files"),
    ("evaluation",),
    ("feature_selection",),
    ("tree",),
    ("separators",),
    ("grading", "words"),
    ("solvers", "distributed"),
    ("table", "table_files", "datasets"),
    (
        "planes",
        "certificate",
        "clock",
        "statistics",
        "files",
        "progress",
        "saved_words",
        "environment",
    ),
    ("parameters", "arrays"),
    ("_core",),
    ("exceptions",),
)
LEVEL = {part: level for level, line in enumerate(LAYERS) for part in line}

HOMES = {
    "highspy": {"solvers/linear_program.py"},
    "narwhals": {"table"},
    "matplotlib": {"plot"},
    "onnx": {"convert"},
    "torch": {"convert"},
    "pyarrow": {"table_files"},
    "dask": {"distributed"},
    "distributed": {"distributed"},
    "starlette": {"studio"},
    "uvicorn": {"studio"},
    "typer": {"cli"},
    "rich": {"cli", "progress.py"},
}


@cache
def parsed(path):
    return ast.parse(path.read_text())


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path):
    """Every module that a file imports, also inside functions, by its full name."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            base = node.module or ""
            yield from (
                (f"{base}.{alias.name}" if base == "planetree" else base) for alias in node.names
            )


def is_at(path, home):
    place = path.relative_to(ROOT).as_posix()
    return place == home or place.startswith(home + "/")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path):
    part = part_of(path)
    if part == "__init__":
        return
    assert part in LEVEL, f"{part} has no place among the layers"
    for name in imports_of(path):
        if name.startswith("planetree.") and name != "planetree.__version__":
            other = name.split(".")[1]
            assert other == part or LEVEL[other] > LEVEL[part], f"{part} imports {other}"


def test_the_guide_for_contributors_names_the_same_layers():
    guide = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text("utf-8")
    listed = re.search(r"```\n(cli → .*?)```", guide, re.DOTALL)[1].split("→")
    assert [tuple(re.findall(r"\w+", line)) for line in listed] == list(LAYERS)


@pytest.mark.parametrize("dependency", HOMES)
def test_a_dependency_has_one_home(dependency):
    users = [path for path in SOURCES if dependency in {n.split(".")[0] for n in imports_of(path)}]
    for path in users:
        assert any(is_at(path, home) for home in HOMES[dependency]), f"{path} imports {dependency}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_public_modules_of_others_are_used(path):
    for name in imports_of(path):
        if name.split(".")[0] in ("sklearn", "scipy", "numpy", "highspy", "narwhals"):
            assert not any(step.startswith("_") for step in name.split(".")), f"{path}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 450
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef):
            assert code_lines(node) <= 45, f"{node.name} of {path} is too long"


def code_lines(function):
    """Lines of a function without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


FOLDERS = sorted({path.parent for path in SOURCES})


def name_of(path):
    """Name by which a file is imported."""
    place = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(place[:-1] if place[-1] == "__init__" else place)


def defined_in(path):
    """Public names that a module defines at its top level: classes, functions and constants."""
    for node in top_level(parsed(path).body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        else:
            continue
        if not any(is_registered(each) for each in getattr(node, "decorator_list", ())):
            yield from (name for name in names if not name.startswith("_"))


def top_level(body):
    """Statements of a module, those inside `if` and `try` included."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try)):
            handlers = [each.body for each in getattr(node, "handlers", ())]
            for part in (node.body, node.orelse, *handlers):
                yield from top_level(part)


def is_registered(decorator):
    """Whether a decorator makes a function a command: `@command("fit")` or `@app.callback()`."""
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    owner = call.value if isinstance(call, ast.Attribute) else call
    return isinstance(owner, ast.Name) and owner.id in ("command", "app")


def used_in(path):
    """Names of other modules that a file uses, as (module, name): imported, or read from one."""
    tree, modules = parsed(path), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.module, alias.name
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield modules.get(node.value.id, ""), node.attr


DEFINED = {path: list(dict.fromkeys(defined_in(path))) for path in SOURCES}
USED = {use for path in SOURCES for use in used_in(path)}
HOMES_OF = defaultdict(list)
for path in SOURCES:
    for name in DEFINED[path]:
        HOMES_OF[name].append(name_of(path))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_folder_holds_at_most_12_modules(folder):
    modules = [path.name for path in folder.glob("*.py") if path.stem != "__init__"]
    assert len(modules) <= 12, sorted(modules)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_public_name_is_defined_in_one_module(path):
    twice = {name: HOMES_OF[name] for name in DEFINED[path] if len(HOMES_OF[name]) > 1}
    assert not twice, f"defined in more than one module: {twice}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_name_without_an_underscore_is_used_by_another_module(path):
    if path.stem == "__init__":
        return
    unused = [name for name in DEFINED[path] if (name_of(path), name) not in USED]
    assert not unused, f"used by no other module: {unused}"


def test_no_module_is_a_drawer():
    drawers = {"utils", "helpers", "common", "misc"}
    assert not drawers & {step for path in SOURCES for step in path.with_suffix("").parts}


def test_the_public_package_holds_names_only():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    allowed = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert functions == {"__getattr__", "__dir__"}
    assert all(isinstance(node, (*allowed, ast.FunctionDef)) for node in tree.body)


def test_what_type_checkers_read_is_what_is_imported_when_asked_for():
    nodes = ast.walk(ast.parse((ROOT / "__init__.py").read_text()))
    static = {
        alias.name: node.module.removeprefix("planetree.")
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module.startswith("planetree.")
        for alias in node.names
    }
    assert static == planetree._HOMES


TESTS = Path(__file__).parent
# A folder of tests is importable, so it may not have the name of a package that others import.
PACKAGES = {"sparse": "sparse_separator"}


def has_behavior(path):
    """Whether a module defines a function or class; an `__init__` only passes names on."""
    if path.stem == "__init__":
        return False
    return any(isinstance(n, (ast.FunctionDef, ast.ClassDef)) for n in parsed(path).body)


def homes_of_tests(path):
    """Where the tests of a module may be: test files have unique names, so the folder may help."""
    *folders, _ = path.relative_to(ROOT).parts
    home = TESTS.joinpath(*(PACKAGES.get(each, each) for each in folders))
    in_front = f"test_{folders[-1] if folders else 'planetree'}_{path.stem}.py"
    return [home / f"test_{path.stem}.py", home / in_front]


# Modules that only the tests of their neighbors reach. This list may only get shorter.
WITHOUT_OWN_TESTS = {
    "cli/app.py",
    "cli/commands/alternatives.py",
    "cli/commands/compare.py",
    "cli/commands/datasets.py",
    "cli/commands/explain.py",
    "cli/commands/export.py",
    "cli/commands/fit.py",
    "cli/commands/predict.py",
    "cli/commands/select.py",
    "cli/commands/show.py",
    "cli/commands/studio.py",
    "cli/in_parts.py",
    "cli/options.py",
    "convert/exported.py",
    "convert/languages/c.py",
    "convert/languages/expressions.py",
    "convert/languages/python.py",
    "convert/languages/sql.py",
    "convert/languages/sql_checks.py",
    "convert/languages/sql_expressions.py",
    "convert/share_units.py",
    "datasets/examples.py",
    "distributed/engines.py",
    "distributed/partitions.py",
    "distributed/parts.py",
    "distributed/prediction.py",
    "distributed/survey.py",
    "environment/versions.py",
    "evaluation/comparison.py",
    "evaluation/figure_words.py",
    "evaluation/figures.py",
    "evaluation/methods.py",
    "evaluation/reading.py",
    "evaluation/rows/predictions.py",
    "feature_selection/clustering/biclustering_programs.py",
    "feature_selection/clustering/clustering_classifier.py",
    "feature_selection/clustering/samples.py",
    "feature_selection/genetic/subset_trees.py",
    "feature_selection/ranking/subset_criteria.py",
    "feature_selection/ranking/subset_search.py",
    "model_files/__main__.py",
    "model_files/decisions.py",
    "model_files/reading.py",
    "model_files/schema.py",
    "reporting/abstention_section.py",
    "reporting/charts.py",
    "reporting/payload.py",
    "reporting/rules.py",
    "reporting/size_and_error.py",
    "reporting/threshold_section.py",
    "separators/bilinear/bilinear_program.py",
    "separators/bilinear/bilinear_search.py",
    "separators/misclassification/trimmed_search.py",
    "separators/partitioned.py",
    "separators/quadratic_planes.py",
    "separators/sparse/exact_search.py",
    "separators/sparse/feature_search.py",
    "separators/sparse/feature_tuning.py",
    "separators/sparse/fit_search.py",
    "separators/sparse/greedy_search.py",
    "separators/sparse/linear_search.py",
    "separators/sparse/published_search.py",
    "separators/sparse/sparse_parts.py",
    "solvers/certificate.py",
    "solvers/exact_quadratic.py",
    "solvers/hinge_certificate.py",
    "solvers/partitioned/merging.py",
    "solvers/partitioned/passes.py",
    "solvers/partitioned/reduction.py",
    "solvers/partitioned/schedule.py",
    "studio/desk/__main__.py",
    "studio/desk/comparing.py",
    "studio/desk/fitting.py",
    "studio/desk/handing_over.py",
    "studio/desk/opening.py",
    "studio/desk/present_model.py",
    "studio/desk/scoring.py",
    "studio/desk/table_rows.py",
    "studio/desk/tables.py",
    "studio/desk/tasks.py",
    "studio/events.py",
    "studio/project.py",
    "studio/recipe.py",
    "studio/server.py",
    "studio/start.py",
    "studio/tables_folder.py",
    "studio/workers.py",
    "table/columns.py",
    "table/imputation.py",
    "table/lazy_tables.py",
    "table/product_terms.py",
    "table/sources.py",
    "table_files/declared.py",
    "table_files/examples.py",
    "table_files/frame.py",
    "table_files/survey.py",
    "tree/classifier.py",
    "tree/constraints/column_rules.py",
    "tree/constraints/required_columns.py",
    "tree/editing/alternatives.py",
    "tree/editing/edit_cost.py",
    "tree/editing/edit_lines.py",
    "tree/editing/edited_tree.py",
    "tree/editing/editing_rows.py",
    "tree/editing/subtrees.py",
    "tree/editing/tree_stability.py",
    "tree/inspection/answer_regions.py",
    "tree/inspection/box_search.py",
    "tree/inspection/explanations.py",
    "tree/inspection/probability_goals.py",
    "tree/inspection/row_moves.py",
    "tree/inspection/score_boxes.py",
    "tree/partitioned/finishing.py",
    "tree/partitioned/plane_tree_parts.py",
    "tree/partitioned/reader.py",
    "tree/partitioned/recounting.py",
    "tree/partitioned/routing.py",
    "tree/partitioned/settling.py",
    "tree/plane/alternation.py",
    "tree/plane/candidates.py",
    "tree/plane/look_ahead.py",
    "tree/plane/plane_growth.py",
    "tree/plane/tree_choice.py",
    "tree/price_pruning.py",
    "tree/score_sheet/sheet_search.py",
    "tree/separator/separator_growth.py",
    "tree/teaching/lessons.py",
    "tree/teaching/teacher.py",
}


def test_every_module_with_behavior_has_a_test_file_of_its_name_in_the_same_folders():
    lacking = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if has_behavior(path) and not any(each.exists() for each in homes_of_tests(path))
    }
    assert lacking - WITHOUT_OWN_TESTS == set(), "write a test file for each"
    assert WITHOUT_OWN_TESTS - lacking == set(), "these have tests now: shorten the list"


def test_no_folder_of_tests_has_the_name_of_a_package_that_others_import():
    folders = {each.name for each in TESTS.rglob("*") if each.is_dir()}
    assert not folders & set(PACKAGES)
