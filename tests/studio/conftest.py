"""A desk with a table, and a model of it that was fitted once."""

from types import SimpleNamespace

import pytest
from tables import plain_csv

from planetree.studio.desk.fitting import fit
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe


@pytest.fixture(scope="session")
def at_work(tmp_path_factory):
    """A desk, a recipe as a page sends it, what fitting gave, and what was told."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "plain.csv").write_text(plain_csv(120))
    (folder / "new.csv").write_text(
        plain_csv(40, seed=5).replace("age,dose", "Age (years),DOSE", 1)
    )
    told = []
    desk = Desk(folder, told.append)
    recipe = Recipe("plain.csv", target="label", folds=2).to_data()
    fitted = fit(desk, recipe)
    return SimpleNamespace(
        desk=desk, recipe=recipe, fitted=fitted, told=[*told], hears=told,
        asked={"recipe": recipe, "terms": None, "edits": []},
    )  # fmt: skip
