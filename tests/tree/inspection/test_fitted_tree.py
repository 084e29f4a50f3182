"""Any fitted classifier read as a tree answers as the classifier does."""

import numpy as np
import pandas as pd
import pytest

from planetree import (
    BilinearSeparator,
    C45Classifier,
    CentroidSelector,
    GeneticSelector,
    MultisurfaceClassifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.table import read_rows
from planetree.tree import fitted_tree
from planetree.tree.inspection.fitted_tree import _renumbered as renumbered

COSTS = [[0, 1], [4, 0]]
MODELS = [
    BilinearSeparator(topology="first", max_restarts=0),
    C45Classifier(),
    CentroidSelector(),
    GeneticSelector(n_evaluations=20, population_size=10, random_state=0, verbose=-1),
    MultisurfaceClassifier(conflicts="majority", max_pairs=3),
    PlaneTreeClassifier(costs=COSTS),
    RobustSeparator(),
    SeparatorTreeClassifier(costs=COSTS),
]


def table(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["kind"] = pd.Categorical(rng.choice([*"xyz"], n))
    score = frame["a"] - frame["b"] + (frame["kind"] == "x") + rng.normal(scale=0.5, size=n)
    return frame, np.where(score > 0, "up", "down")


@pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_leaf_of_a_row_says_its_class(model):
    model.fit(*table(150, 0))
    rows, _ = table(2000, 1)
    fitted = fitted_tree(model)
    leaves = fitted.tree.apply(read_rows(model, rows))
    assert np.array_equal(fitted.classes[fitted.codes[leaves]], model.predict(rows))
    assert fitted.columns == model.columns_
    assert fitted.owner == type(model).__name__


@pytest.mark.parametrize(
    "model", [C45Classifier(), PlaneTreeClassifier(), C45Classifier(subsets=True)], ids=repr
)
def test_a_tree_of_some_columns_reads_the_same_cells_under_their_new_numbers(model):
    frame, labels = table(200, 0)
    chosen = np.array([1, 3, 0])
    model.fit(frame.iloc[:, chosen], labels)
    rows = np.column_stack([frame[["a", "b", "c"]], frame["kind"].cat.codes]).astype(float)
    moved = renumbered(model.tree_, chosen)
    assert np.array_equal(moved.distribution(rows), model.tree_.distribution(rows[:, chosen]))


@pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")
def test_what_is_no_tree_is_refused_with_a_remedy():
    frame, labels = table(60, 0)
    with pytest.raises(TypeError, match="PairwiseSelector is neither a tree nor planes"):
        fitted_tree(PairwiseSelector().fit(frame, labels))
