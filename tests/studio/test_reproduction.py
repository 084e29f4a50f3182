"""The recipe of the page and the command line that it becomes."""

import shlex

from tables import FULL

from planetree.studio.project import Project
from planetree.studio.recipe import Recipe
from planetree.studio.reproduction import _command_lines, _python_code, project_code


def test_every_field_of_a_recipe_is_an_option_that_the_command_knows():
    """The command line is parsed by the command's own parser, and each field comes back."""
    import typer

    from planetree.cli import app
    from planetree.cli import commands as _  # noqa: F401

    line = _command_lines(FULL, 7, [])
    group = typer.main.get_command(app._app)
    arguments = shlex.split(line)[2:]
    context = group.commands["fit"].make_context("fit", arguments)
    given = context.params
    assert (given["data"], given["target"], given["terms"]) == ("my table.csv", "x 3", 7)
    assert (given["delimiter"], given["no_header"], given["dates"]) == ("tab", True, True)
    several = {"require": "a", "forbid": "b", "feature_cost": "mri=3", "cost": "sick as well=5"}
    for name, value in several.items():
        assert [*given[name]] == [value]  # a list or a tuple, by the version of typer
    assert (given["size"], given["folds"], given["seed"]) == ("accurate", 5, 3)


def test_the_python_of_a_recipe_is_python():
    compile(_python_code(FULL, 7, ["close 1", "relabel 2: it's"]), "studio", "exec")


def test_the_code_of_a_large_table_draws_its_sample_first():
    sample = {"file": "big.csv.planetree/sample.csv", "rows": 7, "drawn": 7}
    code = project_code(Project(Recipe("big.csv", target="class"), {"sample": sample}))
    draw, fit = map(shlex.split, code["command"].splitlines())
    assert draw[:2] == ["python", "-c"]
    assert "write_sample('big.csv', 'big.csv.planetree/sample.csv', 7)" in draw[2]
    compile(draw[2], "command", "exec")
    assert fit[:3] == ["planetree", "fit", "big.csv.planetree/sample.csv"]
    compile(code["python"], "python", "exec")
    assert code["python"].index("write_sample(") < code["python"].index("read_training_table(")
    whole = project_code(Project(Recipe("big.csv", target="class"), {}))
    assert "sample" not in whole["command"] + whole["python"]
