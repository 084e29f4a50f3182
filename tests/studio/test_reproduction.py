"""The recipe of the page and the command line that it becomes."""

from tables import FULL

from planetree.studio.reproduction import command_lines, python_code


def test_every_field_of_a_recipe_is_an_option_that_the_command_knows():
    """The command line is parsed by the command's own parser, and each field comes back."""
    import shlex

    import typer

    from planetree.cli import app
    from planetree.cli import commands as _  # noqa: F401

    line = command_lines(FULL, 7, [])
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
    compile(python_code(FULL, 7, ["close 1", "relabel 2: it's"]), "studio", "exec")
