"""Of mutated model files each is a model that works, or a `ModelFileError`: never anything else."""

import json
import random
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from campaigns.fuzzing.mutations import mutate_text, mutate_value
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
from planetree.model_files.reading import read_text as _read_text
from planetree.model_files.writing import _write_model as write_model
from planetree.table import Table

N_FILES = [5000, pytest.param(20_000, marks=pytest.mark.slow)]
MODELS = [
    BilinearSeparator(max_restarts=0),
    C45Classifier(),
    C45Classifier(subsets=True, arithmetic="double"),
    DiscriminantPowerSelector(repeats=2),
    GeneticSelector(n_evaluations=8, population_size=4, random_state=0, verbose=-1),
    MultisurfaceClassifier(conflicts="majority"),
    PairwiseSelector(),
    PlaneTreeClassifier(max_splits=3, costs=[[0, 1], [2, 0]]),
    RobustSeparator(),
    SeparatorTreeClassifier(RobustSeparator(), max_splits=2),
]


def documents():
    """Small models of every form of decision, as documents."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x0": rng.normal(size=12), "kind": pd.Categorical(rng.choice([*"abc"], 12))})
    y = np.where(X["x0"] + (X["kind"] == "a") > 0, "no", "yes")
    for model in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = write_model(model.fit(X, y))
        yield {"format": "planetree", "version": 1, "planetree": "0", "model": said}


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
    if hasattr(model, "predict_proba"):
        assert np.isfinite(model.predict_proba(rows)).all()
    return "loaded"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_files", N_FILES)
@pytest.mark.parametrize("document", [*documents()], ids=[repr(model) for model in MODELS])
def test_a_mutated_file_is_refused_or_works(document, n_files):
    rng, text = random.Random(0), json.dumps(document)
    assert outcome_of(text) == "loaded"
    outcomes = [
        outcome_of(mutate_value(json.loads(text), rng) if i % 2 else mutate_text(text, rng))
        for i in range(n_files // len(MODELS))
    ]
    assert set(outcomes) == {"refused", "loaded"}
    assert outcomes.count("refused") > len(outcomes) // 3


BOMBS = """
import resource
import sys
import planetree
from planetree.exceptions import ModelFileError
from planetree.model_files.reading import _MAX_BYTES

HEAD = '{"format": "planetree", "version": 1, "planetree": "0", "model": '
wide = '{"estimator": "C45Classifier", "parameters": {}, "fitted": {"classes_": '
wide += '{"array": "str999999", "shape": [999999], "values": [' + '"",' * 999998 + '""]}}}}'
bombs = {
    "objects": HEAD + "[" + "{}," * ((_MAX_BYTES - 100) // 3) + "{}]}",
    "lists": HEAD + '{"":' + "[" * 50 + "[]," * ((_MAX_BYTES - 999) // 40) + "1" + "]" * 50 + "}}",
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
