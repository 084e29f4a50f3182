"""Mutated model files and checkpoints: each is refused in words, or is one that works.

    strange error    something else than a ModelFileError or CheckpointError
    no reason        a refusal of fewer than 10 or more than 1000 letters
    broken method    a file that loads, but a public method, an export or saving its model again
                     fails in another way than by a refusal in words
    not finite       probabilities that are not finite, or do not sum to 1
    other result     a checkpoint that loads and leads the search to another result

A trial mutates `FILES` texts of one estimator, so that a worker tells its parent of many at once.
Files of older versions are mutated, too. Of a finding only the changes that it needs are printed.
"""

import inspect
import json
import random
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

import planetree
from campaigns.fuzzing.mutations import changes_of, mutate_text, mutate_value, needed_changes
from campaigns.fuzzing.refusals import is_refusal, place_of
from campaigns.fuzzing.workers import Trial
from campaigns.slow_fits import ROOT
from planetree.convert import to_c, to_python, to_rules, to_sql
from planetree.exceptions import CheckpointError, ModelFileError
from planetree.table import Table
from tests.test_contract import ESTIMATORS

# A file holds no fitted estimator of scikit-learn.
MODELS = [each for each in ESTIMATORS if "DecisionTreeClassifier" not in repr(each)]
OLDER = [ROOT / "tests" / "model_files" / f"version_{number}.json" for number in (1, 2)]
FILES = 100
CHECKPOINTS_EVERY = 50  # trials of model files for each trial of checkpoints
ALLOWED = (ValueError, TypeError, NotImplementedError, AttributeError)
NUMBERS = {"prune_to": (0.25,), "select": (4,)}  # of methods that want one
EXPORTS = (to_c, to_python, to_rules, to_sql)
SEARCH = planetree.GeneticSelector(n_evaluations=20, population_size=10, random_state=0, verbose=-1)


@cache
def table():
    """Few rows, a number, a category and a third column that says little."""
    rng = np.random.default_rng(0)
    numbers = {"x0": rng.normal(size=24), "x1": rng.normal(size=24)}
    X = pd.DataFrame(numbers | {"kind": pd.Categorical(rng.choice([*"abc"], 24))})
    return X, np.where(X["x0"] + (X["kind"] == "a") > 0, "no", "yes")


@cache
def older():
    """Model files of older versions."""
    held = [each for path in OLDER for each in json.loads(path.read_text("utf-8"))]
    return [json.dumps(each["model"]) for each in held]


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
        return json.dumps(json.loads(path.read_text()))


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


def methods_of(model, rows):
    """Public methods and exports by name, each with what it needs."""
    labels = np.resize(model.classes_, len(rows.values)) if hasattr(model, "classes_") else None
    for name, method in inspect.getmembers(model, callable):
        if name.startswith("_") or name in ("fit", "fit_transform", "set_params"):
            continue
        wanted = [
            each.name
            for each in inspect.signature(method).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        ready = {(): (), ("X",): (rows,), ("X", "y"): (rows, labels)}.get(tuple(wanted))
        given = NUMBERS.get(name, ready)
        if given is not None:
            yield name, partial(method, *given)
    for export in EXPORTS:
        yield export.__name__, partial(export, model)


def use(model, folder):
    """Findings of calling every public method of a model, of exports, and of saving it again."""
    rows, found = rows_of(model), {}
    again = partial(planetree.save, model, Path(folder) / "again.json")
    for name, method in (*methods_of(model, rows), ("save", again)):
        try:
            told = method()
        except Exception as error:
            if not is_refusal(error, ALLOWED):
                found["broken method"] = f"{name}: {error!r} ({place_of(error)})"[:300]
            continue
        if name == "predict_proba" and not (
            np.isfinite(told).all() and np.allclose(np.sum(told, axis=1), 1, atol=1e-9, rtol=0)
        ):
            found["not finite"] = f"probabilities {np.asarray(told).tolist()}"[:300]
        if name == "predict" and not set(told.tolist()) <= set(model.classes_.tolist()):
            found["broken method"] = f"predict: {told.tolist()}"[:300]
    return found


def load(text, folder):
    """Findings of loading one text and using what it holds."""
    path = Path(folder) / "model.json"
    path.write_text(text, "utf-8", errors="surrogatepass")
    try:
        model = planetree.load(path)
    except ModelFileError as error:
        return {} if 10 <= len(str(error)) <= 1000 else {"no reason": str(error)[:300]}
    except Exception as error:
        return {"strange error": f"{error!r} ({place_of(error)})"[:300]}
    return use(model, folder)


def mutations_of(text, rng):
    """Many changed copies of a text: of its values, and of its letters."""
    for i in range(FILES):
        yield mutate_value(json.loads(text), rng) if i % 2 else mutate_text(text, rng)


def models(rng, number):
    """Findings of mutated files of one estimator, and the changes that make them."""
    place = number % (len(MODELS) + len(older()))
    text = text_of(place) if place < len(MODELS) else older()[place - len(MODELS)]
    what = json.loads(text)["model"]["estimator"]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        for changed in mutations_of(text, rng):
            found = load(changed, folder)
            if found:
                changes = needed_changes(text, changed, lambda each: bool(load(each, folder)))
                return what, found, f"file {place}: {changes}"
    return what, {}, ""


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
        return json.dumps(json.loads(path.read_text())), expected


def checkpoints(rng):
    """Findings of mutated checkpoints, and the text that has them."""
    text, expected = _search()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        path = Path(folder) / "search.json"
        for changed in mutations_of(text, rng):
            path.write_text(changed, "utf-8", errors="surrogatepass")
            try:
                found = told_by(path)
            except CheckpointError:
                continue
            except Exception as error:
                return "checkpoint", {"strange error": repr(error)[:300]}, changes_of(text, changed)
            if found != expected:
                wrong = {"other result": f"{found}, not {expected}"[:300]}
                return "checkpoint", wrong, changes_of(text, changed)
    return "checkpoint", {}, ""


def trial(seed, number):
    """Files of one estimator, or checkpoints."""
    rng = random.Random(f"{seed} {number}")
    if number % CHECKPOINTS_EVERY == CHECKPOINTS_EVERY - 1:
        return Trial(*checkpoints(rng))
    return Trial(*models(rng, number - number // CHECKPOINTS_EVERY))
