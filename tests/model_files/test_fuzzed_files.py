"""Of mutated model files each is a model that works, or a `ModelFileError`: never anything else."""

import json
import random
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from planetree import (
    BilinearSeparator,
    C45Classifier,
    DiscriminantPowerSelector,
    GeneticSelector,
    MultisurfaceClassifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.exceptions import ModelFileError
from planetree.model_files.files import _read_text
from planetree.model_files.writing import write_model
from planetree.table import Table

N_FILES = 20_000
MODELS = [
    BilinearSeparator(max_restarts=0),
    C45Classifier(),
    C45Classifier(subsets=True, arithmetic="double"),
    DiscriminantPowerSelector(repeats=2),
    GeneticSelector(n_evaluations=20, population_size=10, random_state=0, verbose=-1),
    MultisurfaceClassifier(conflicts="majority"),
    PairwiseSelector(),
    PlaneTreeClassifier(max_splits=3, costs=[[0, 1], [2, 0]]),
    RobustSeparator(),
    SeparatorTreeClassifier(RobustSeparator(), max_splits=2),
]
ODD = [None, True, False, 0, -1, 1, 2, 3, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, 5e-324]
ODD += ["", "nan", "inf", "C", "F", "a", "x0", "float64", "int64", "object", "bool", "str1"]
ODD += ["str9999999", "Tree", "Planes", "AxisSplits", "Column", "RobustSeparator", "argmax"]
ODD += ["KNeighborsClassifier", [], {}, [0], [[]], [1, 2], {"tuple": []}, {"float": "nan"}]
ODD += [{"dict": []}, {"record": "Tree"}]
NAMES = ["order", "x", "predict", "coef_", "planes_", "n_jobs", "__class__", "fitted"]


def documents():
    """Small models of every form of decision, as documents."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x0": rng.normal(size=24), "kind": pd.Categorical(rng.choice([*"abc"], 24))})
    y = np.where(X["x0"] + (X["kind"] == "a") > 0, "no", "yes")
    for model in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = write_model(model.fit(X, y))
        yield {"format": "planetree", "version": 1, "planetree": "0", "model": said}


def places(said):
    """Every container of a document with each key into it."""
    keys = said if isinstance(said, dict) else range(len(said)) if isinstance(said, list) else ()
    for key in keys:
        yield said, key
        yield from places(said[key])


def mutate_value(document, rng):
    """Change, drop, add or swap a few values of a document."""
    found = list(places(document))
    for held, key in rng.sample(found, rng.choice([1, 1, 1, 2, 5])):
        other, other_key = rng.choice(found)
        if key not in (held if isinstance(held, dict) else range(len(held))):
            continue  # a change before this one took it away
        way = rng.randrange(6)
        if way == 0:
            held[key] = rng.choice(ODD)
        elif way == 1:
            del held[key]
        elif way == 2:
            held[key] = copy_of(other, other_key)
        elif way == 3 and isinstance(held[key], (int, float)):
            held[key] = rng.choice([held[key] + 1, -held[key], held[key] * 10**9, held[key] - 1])
        elif way == 4 and isinstance(held, list):
            held.insert(key, rng.choice(ODD))
        elif isinstance(held, dict):
            held[rng.choice(NAMES)] = rng.choice(ODD)
    return json.dumps(document)


def copy_of(held, key):
    """A copy of what stands at a place, or None if nothing does any more."""
    there = key in (held if isinstance(held, dict) else range(len(held)))
    return json.loads(json.dumps(held[key])) if there else None


def mutate_text(text, rng):
    """Cut, repeat or overwrite pieces of a text."""
    for _ in range(rng.choice([1, 2, 4])):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 3, 20, 1000]))
        piece = rng.choice(["", rng.choice('{}[]",:-0123456789eE.\\ \x00é'), text[start:end] * 2])
        text = text[:start] + piece + text[end:]
    return text


def outcome_of(text):
    """Load a text: the model must predict labels of its own for any row of its columns."""
    try:
        model = _read_text(text)
    except ModelFileError as error:
        return "refused" if 10 < len(str(error)) < 1000 else "refused without a reason"
    rng = np.random.default_rng(0)
    cells = [
        rng.normal(size=8)
        if column.categories is None
        else rng.integers(len(column.categories), size=8)
        for column in model.columns_
    ]
    rows = Table(np.column_stack(cells).astype(float), model.columns_)
    if hasattr(model, "predict"):
        assert set(model.predict(rows).tolist()) <= set(model.classes_.tolist())
    return "loaded"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("document", [*documents()], ids=[repr(model) for model in MODELS])
def test_a_mutated_file_is_refused_or_works(document):
    rng, text = random.Random(0), json.dumps(document)
    assert outcome_of(text) == "loaded"
    outcomes = [
        outcome_of(mutate_value(json.loads(text), rng) if i % 2 else mutate_text(text, rng))
        for i in range(N_FILES // len(MODELS))
    ]
    assert set(outcomes) == {"refused", "loaded"}
    assert outcomes.count("refused") > len(outcomes) // 3


BOMBS = """
import resource
import sys
import planetree
from planetree.exceptions import ModelFileError
from planetree.model_files.files import _MAX_BYTES

HEAD = '{"format": "planetree", "version": 1, "planetree": "0", "model": '
wide = '{"estimator": "C45Classifier", "parameters": {}, "fitted": {"classes_": '
wide += '{"array": "str999999", "shape": [999999], "values": [' + '"",' * 999998 + '""]}}}}'
bombs = {
    "objects": HEAD + "[" + "{}," * ((_MAX_BYTES - 100) // 3) + "{}]}",
    "lists": HEAD + "[" * 50 + "[]," * ((_MAX_BYTES - 1000) // 40) + "1" + "]" * 50 + "}",
    "texts": HEAD + "[" + '"ab",' * ((_MAX_BYTES - 100) // 5) + "1]}",
    "numbers": HEAD + "[" + "1.5," * ((_MAX_BYTES - 100) // 4) + "1]}",
    "wide text": HEAD + wide,
}
for name, text in bombs.items():
    with open(sys.argv[1], "w") as file:
        file.write(text)
    del text
    try:
        planetree.load(sys.argv[1])
    except ModelFileError:
        print("refused", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_files_made_to_exhaust_memory_are_refused_below_one_gibibyte(tmp_path):
    command = [sys.executable, "-c", BOMBS, str(tmp_path / "bomb.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    outcomes = [line.split() for line in done.stdout.splitlines()]
    assert [outcome for outcome, _ in outcomes] == ["refused"] * 5
    assert max(int(peak) for _, peak in outcomes) < 2**20  # in KiB
