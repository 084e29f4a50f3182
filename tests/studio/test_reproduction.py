"""The recipe of the page and the command line that it becomes."""

import pytest

from planetree.studio.recipe import Recipe, recipe_of
from planetree.studio.reproduction import command_lines, python_code

FULL = Recipe(
    "my table.csv",
    delimiter="\t",
    decimal=",",
    header=False,
    dates=True,
    missing=("-9",),
    categorical=("zip",),
    numeric=("n",),
    ignore=("id",),
    target="x 3",
    weight="w",
    group="g",
    required=("a",),
    forbidden=("b",),
    increasing=("c",),
    decreasing=("d",),
    feature_costs={"mri": 3.0},
    costs=("sick as well=5",),
    class_weight="balanced",
    size="accurate",
    folds=5,
    seed=3,
)


def test_every_field_of_a_recipe_is_an_option_that_the_command_knows():
    """The command line is parsed by the command's own parser, and each field comes back."""
    import shlex

    import click
    import typer

    from planetree.cli import app
    from planetree.cli import commands as _  # noqa: F401

    line = command_lines(FULL, 7, [])
    group = typer.main.get_command(app._app)
    arguments = shlex.split(line)[2:]
    context = group.commands["fit"].make_context("fit", arguments)
    given = context.params
    assert isinstance(context, click.Context) or context is not None
    assert (given["data"], given["target"], given["terms"]) == ("my table.csv", "x 3", 7)
    assert (given["delimiter"], given["no_header"], given["dates"]) == ("tab", True, True)
    assert given["require"] == ["a"]
    assert given["forbid"] == ["b"]
    assert given["feature_cost"] == ["mri=3"]
    assert given["cost"] == ["sick as well=5"]
    assert (given["size"], given["folds"], given["seed"]) == ("accurate", 5, 3)


def test_the_python_of_a_recipe_is_python():
    compile(python_code(FULL, 7, ["close 1", "relabel 2: it's"]), "studio", "exec")


def test_a_recipe_comes_back_from_json_and_has_a_key_of_its_own():
    import json

    again = recipe_of(json.loads(json.dumps(FULL.to_data())))
    assert again == FULL
    assert again.key == FULL.key
    assert recipe_of({**FULL.to_data(), "seed": 4}).key != FULL.key


@pytest.mark.parametrize(
    "wrong", [{"what": 1}, {"ignore": "id"}, {"folds": 1.5}, {"header": "yes"}, {"target": 3}]
)
def test_a_field_of_another_type_is_refused(wrong):
    with pytest.raises(ValueError, match="recipe"):
        recipe_of({"file": "a.csv", **wrong})
