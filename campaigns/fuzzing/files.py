"""Mutated model files and checkpoints: each is refused in words, or is one that works.

    strange error    something else than a ModelFileError or CheckpointError
    no reason        a refusal of fewer than 10 or more than 1000 letters
    broken method    a file that loads, but a public method of its model fails in a strange way
    not finite       probabilities that are not finite, or do not sum to 1
    other result     a checkpoint that loads and leads the search to another result

A trial mutates `FILES` texts of one estimator, so that a worker tells its parent of many at once.
"""

import inspect
import json
import random
import tempfile
import traceback
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

import planetree
from campaigns.fuzzing.mutations import mutate_text, mutate_value
from campaigns.fuzzing.workers import Trial
from planetree.exceptions import CheckpointError, ModelFileError
from planetree.table import Table
from tests.test_contract import ESTIMATORS

# A file holds no fitted estimator of scikit-learn.
MODELS = [each for each in ESTIMATORS if "DecisionTreeClassifier" not in repr(each)]
FILES = 100
CHECKPOINTS_EVERY = 50  # trials of model files for each trial of checkpoints
SEARCH = planetree.GeneticSelector(n_evaluations=20, population_size=10, random_state=0, verbose=-1)


@cache
def table():
    """Few rows, a number, a category and a third column that says little."""
    rng = np.random.default_rng(0)
    numbers = {"x0": rng.normal(size=24), "x1": rng.normal(size=24)}
    X = pd.DataFrame(numbers | {"kind": pd.Categorical(rng.choice([*"abc"], 24))})
    return X, np.where(X["x0"] + (X["kind"] == "a") > 0, "no", "yes")


@cache
def text_of(place):
    """Model file of an estimator of the contract; without the category if it takes none."""
    X, y = table()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            model = clone(MODELS[place]).fit(X, y)
        except ValueError:
            model = clone(MODELS[place]).fit(X[["x0", "x1"]], y)
        path = Path(folder) / "model.json"
        planetree.save(model, path)
        return path.read_text()


def rows_of(model):
    """Some rows of the columns of a model."""
    rng = np.random.default_rng(0)
    cells = [
        rng.normal(size=8)
        if column.categories is None
        else rng.integers(max(1, len(column.categories)), size=8)
        for column in model.columns_
    ]
    return Table(np.column_stack(cells).astype(float), model.columns_)


def methods_of(model):
    """Public methods that need at most rows, by name, and whether they take rows."""
    for name, method in inspect.getmembers(model, callable):
        if name.startswith("_") or name in ("fit", "fit_transform", "set_params"):
            continue
        wanted = [
            each.name
            for each in inspect.signature(method).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        if wanted in ([], ["X"]):
            yield name, method, wanted


def use(model):
    """Findings of calling every public method of a model."""
    rows, found = rows_of(model), {}
    for name, method, wanted in methods_of(model):
        try:
            told = method(*([rows] if wanted else []))
        except (ValueError, TypeError, NotImplementedError, AttributeError) as error:
            if not is_own(error) or not str(error):
                found["broken method"] = f"{name}: {error!r}"[:300]
            continue
        except Exception as error:
            found["broken method"] = f"{name}: {error!r}"[:300]
            continue
        if name == "predict_proba" and not (
            np.isfinite(told).all() and np.allclose(np.sum(told, axis=1), 1, atol=1e-9, rtol=0)
        ):
            found["not finite"] = f"probabilities {np.asarray(told).tolist()}"[:300]
        if name == "predict" and not set(told.tolist()) <= set(model.classes_.tolist()):
            found["broken method"] = f"predict: {told.tolist()}"[:300]
    return found


def is_own(error):
    """Whether the library raised an error on purpose: its last line is a raise of its own."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return any(part in last.filename for part in ("/planetree/", "/sklearn/"))


def load(text, folder):
    """Findings of loading one text and using what it holds."""
    path = Path(folder) / "model.json"
    path.write_text(text, "utf-8", errors="surrogatepass")
    try:
        model = planetree.load(path)
    except ModelFileError as error:
        return {} if 10 <= len(str(error)) <= 1000 else {"no reason": str(error)[:300]}
    except Exception as error:
        return {"strange error": repr(error)[:300]}
    return use(model)


def models(rng, number):
    """Findings of mutated files of one estimator, and the text that has them."""
    place = number % len(MODELS)
    text = text_of(place)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        for i in range(FILES):
            changed = mutate_value(json.loads(text), rng) if i % 2 else mutate_text(text, rng)
            found = load(changed, folder)
            if found:
                return type(MODELS[place]).__name__, found, changed
    return type(MODELS[place]).__name__, {}, ""


def told_by(path):
    """What a search with a checkpoint finds."""
    X, y = table()
    model = clone(SEARCH).set_params(checkpoint=path).fit(X, y)
    return model.get_support().tolist(), model.best_fitness_


@cache
def _search():
    """A checkpoint of a whole search, and what was found."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.json"
        expected = told_by(path)
        return path.read_text(), expected


def checkpoints(rng):
    """Findings of mutated checkpoints, and the text that has them."""
    text, expected = _search()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        path = Path(folder) / "search.json"
        for i in range(FILES):
            changed = mutate_value(json.loads(text), rng) if i % 2 else mutate_text(text, rng)
            path.write_text(changed, "utf-8", errors="surrogatepass")
            try:
                found = told_by(path)
            except CheckpointError:
                continue
            except Exception as error:
                return "checkpoint", {"strange error": repr(error)[:300]}, changed
            if found != expected:
                return "checkpoint", {"other result": f"{found}, not {expected}"[:300]}, changed
    return "checkpoint", {}, ""


def trial(seed, number):
    """Files of one estimator, or checkpoints."""
    rng = random.Random(f"{seed} {number}")
    if number % CHECKPOINTS_EVERY == CHECKPOINTS_EVERY - 1:
        return Trial(*checkpoints(rng))
    return Trial(*models(rng, number - number // CHECKPOINTS_EVERY))
