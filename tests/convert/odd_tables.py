"""Tables that try an export: odd names and categories, missing cells, categories never seen."""

import sqlite3
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from planetree.exceptions import CategoryWarning
from planetree.planes import Planes
from planetree.table import Table

NUMBERS = ['größe "1"\n\'', "a + -b", "*/ /* ??/ %s {0}"]
TEXTS = ["it's", 'say "hi"', "日本\n", "", "NULL", "--", "null\\"]
NEVER_SEEN = "never seen"


def odd_table(n, seed=0, missing=0.0, unseen=0.0):
    """Three number columns, text, numbers that are categories, booleans, and a keyword."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 3)) * [1.0, 100.0, 1e-3]
    frame = pd.DataFrame(dict(zip(NUMBERS, values.T, strict=True)))
    texts = rng.choice(TEXTS, n).astype(object)
    texts[rng.random(n) < unseen] = NEVER_SEEN
    frame["select"] = pd.Categorical(texts, categories=sorted({*TEXTS, NEVER_SEEN} & {*texts}))
    frame["rank"] = pd.Categorical(rng.choice([1, 2, 30], n))
    frame["int"] = rng.random(n) < 0.5
    frame["class"] = rng.integers(-3, 4, n).astype(float)
    for name in [*NUMBERS, "select", "rank", "class"]:
        frame.loc[rng.random(n) < missing, name] = None
    return frame


def odd_labels(frame, n_classes, seed=1):
    """Labels that depend on several columns, with noise."""
    noise = np.random.default_rng(seed).normal(scale=0.3, size=len(frame))
    x, text = frame[NUMBERS[0]].fillna(0.0), frame["select"].astype(object)
    score = x + 0.01 * frame[NUMBERS[1]].fillna(0.0) + text.isin(TEXTS[:2]) - frame["int"] + noise
    names = np.array(["it's 'low'", 'hi"gh\n', "mittel ß"])
    return names[np.digitize(score, [0.0, 1.0][: n_classes - 1])]


def quietly(function, *arguments):
    """Call without the warning of categories that training did not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CategoryWarning)
        return function(*arguments)


def matrix_of(model, frame):
    """The cells as the model codes them, gaps left open."""
    columns = [replace(column, fill=None) for column in model.columns_]
    return quietly(Table.read, frame, columns).values


def records_of(frame):
    """Rows as dicts of Python values, None where missing."""
    cells = frame.astype(object)
    return cells.where(cells.notna(), None).to_dict("records")


def is_tied(model, frame):
    """Rows whose two best classes cost the same up to rounding: either answer is right."""
    if not hasattr(model, "predict_proba"):
        return np.zeros(len(frame), dtype=bool)
    costs = getattr(model, "costs_", 1.0 - np.eye(len(model.classes_)))
    best = np.sort(quietly(model.predict_proba, frame) @ costs, axis=1)[:, :2]
    return best[:, 1] - best[:, 0] < 1e-12


def is_on_a_plane(model, frame):
    """Rows with a score of several terms that is 0 up to rounding, so that either side is right."""
    found, X = np.zeros(len(frame), dtype=bool), matrix_of(model, frame)
    for split in model.tree_.splits if hasattr(model, "tree_") else ():
        if isinstance(split, Planes) and split.n_terms > 1:
            sizes = np.abs(split.weights).max(axis=1) + np.abs(split.offsets)
            found |= (np.abs(split.scores(X)) < 1e-12 * sizes).any(axis=1)
    return found


def heaviest_way(model, rows):
    """The oracle of `missing="majority"`: each unknown decision sends a row where most went."""
    tree, found = model.tree_, []
    costs = getattr(model, "costs_", 1.0 - np.eye(len(model.classes_)))
    for row in model._read(rows):
        node = 0
        while tree.splits[node] is not None:
            children = tree.children_of(node)
            branch = tree.splits[node].branch(row[None])[0]
            node = int(children[branch if branch >= 0 else tree.weights[children].argmax()])
        found.append((tree.leaf_distributions[node] @ costs).argmin())
    return model.classes_[found]


def used_columns(model):
    """Numbers of the columns that a model reads."""
    splits = model.tree_.splits if hasattr(model, "tree_") else [model.planes_]
    return np.unique(np.concatenate([split.features for split in splits if split is not None]))


def around_iris(n):
    """Rows near those of the iris data, none on a surface."""
    rows = load_iris(as_frame=True).data.sample(n, replace=True, random_state=0)
    noise = np.random.default_rng(0).normal(size=rows.shape)
    return (rows + noise).reset_index(drop=True)


def in_sqlite(frame, query):
    names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in frame.columns]
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE rows ({', '.join(names)})")
    cells = [tuple(row.values()) for row in records_of(frame)]
    base.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(names))})", cells)
    return base.execute(query).fetchall()


def onnx_inputs(session, model, frame):
    """What a graph of a model is given for the rows of a frame."""
    inputs = {}
    for each in session.get_inputs():
        cells = frame.to_numpy() if each.name == "X" else frame[[each.name]].astype(object)
        if each.type == "tensor(string)":
            (known,) = [
                c.categories for c in model.columns_ if each.name in (c.name, f"input {c.name}")
            ]
            inputs[each.name] = cells.where(cells.notna(), "?" * ("" in known)).to_numpy()
        else:
            inputs[each.name] = np.asarray(cells, dtype=np.float64)
    return inputs
