"""Recipes: from JSON and back, each with a key of its own."""

import pytest
from tables import FULL

from planetree.studio.recipe import recipe_of


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
