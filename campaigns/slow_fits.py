"""Fits that take more than five seconds, each in a process of its own that can be interrupted.

`python -m campaigns.slow_fits NAME SHARE [PARAMETER=VALUE ...]` fits one of them to SHARE of its
rows and prints, as lines of JSON, when the fit began and how it ended.
"""

import json
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import GaussianNB

import planetree

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class SlowFit:
    """An estimator and the size of a table that keeps it busy."""

    name: str
    rows: int
    columns: int
    classes: int = 2
    parameters: dict = field(default_factory=dict)


SLOW_FITS = {
    "BiclusteringSelector": SlowFit(
        "BiclusteringSelector", 100, 1200, 3, {"method": "exact", "relax": True}
    ),
    "BilinearSeparator": SlowFit("BilinearSeparator", 1500, 20, 2, {"max_restarts": 50}),
    "C45Classifier": SlowFit("C45Classifier", 1_000_000, 30),
    "C45Classifier, cv": SlowFit("C45Classifier", 100_000, 30, 2, {"confidence": "cv"}),
    "CentroidSelector": SlowFit("CentroidSelector", 3000, 1500, 3),
    "DiscriminantPowerSelector": SlowFit("DiscriminantPowerSelector", 100_000, 60),
    "FloatingSelector": SlowFit("FloatingSelector", 3000, 40),
    "GeneticSelector": SlowFit("GeneticSelector", 20_000, 60, 2, {"random_state": 0}),
    "GrinoldSeparator": SlowFit("GrinoldSeparator", 40_000, 60),
    "HoldoutTreeClassifier": SlowFit("HoldoutTreeClassifier", 400_000, 60),
    "MaxNormSeparator": SlowFit("MaxNormSeparator", 20_000, 60),
    "MultisurfaceClassifier": SlowFit("MultisurfaceClassifier", 8000, 40),
    "PairwiseSelector": SlowFit("PairwiseSelector", 200, 400, 3),
    "PlaneTreeClassifier": SlowFit("PlaneTreeClassifier", 60_000, 60),
    "QuadraticSeparator": SlowFit("QuadraticSeparator", 600_000, 100),
    "RobustSeparator": SlowFit("RobustSeparator", 300_000, 60),
    "RobustSeparator, 1000 classes": SlowFit("RobustSeparator", 20_000, 10, 1000),
    "SeparatorTreeClassifier": SlowFit("SeparatorTreeClassifier", 60_000, 40),
    "SparseSeparator": SlowFit("SparseSeparator", 40_000, 60),
    "SparseSeparator, exact": SlowFit("SparseSeparator", 4000, 60, 2, {"exact": True}),
}


def table_of(fit, share=1.0, seed=0):
    """Classes that overlap in every column."""
    rng = np.random.default_rng(seed)
    m = max(3 * fit.classes, int(share * fit.rows))
    y = np.arange(m) % fit.classes
    X = rng.normal(size=(m, fit.columns))
    X += rng.normal(scale=0.3, size=(fit.classes, fit.columns))[y]
    return X, y


def estimator_of(fit, **parameters):
    """The estimator, with further parameters that it has."""
    named = getattr(planetree, fit.name)
    if fit.name == "FloatingSelector":
        return named(GaussianNB(), **parameters)
    return named(**fit.parameters, **parameters)


def has_time_limit(fit):
    """Whether the estimator has a time limit."""
    return "time_limit" in estimator_of(fit).get_params(deep=False)


def start(name, share=1.0, **parameters):
    """A process that fits; wait for `line` of it to know that the fit has begun."""
    words = [f"{key}={json.dumps(value)}" for key, value in parameters.items()]
    return subprocess.Popen(
        [sys.executable, "-m", "campaigns.slow_fits", name, str(share), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
    )


def line(process):
    """Next line that a process prints, or {} where it ended without one."""
    text = process.stdout.readline()
    return json.loads(text) if text else {}


def end(process, seconds):
    """What a process says of the end of its fit; a deaf one is killed after so many seconds."""
    try:
        text, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"how": "deaf"}
    lines = text.split("\n")[:-1]
    return json.loads(lines[-1]) if lines else {"how": "died"}


def _answers(model, X):
    """Whether a model answers for some rows."""
    answer = model.predict(X[:50]) if hasattr(model, "predict") else model.transform(X[:50])
    return len(answer) == min(50, len(X))


def _fit(name, share, parameters):
    fit = SLOW_FITS[name]
    X, y = table_of(fit, share)
    model = estimator_of(fit, **parameters)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(json.dumps({"at": time.monotonic()}), flush=True)
    begun = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
            found = {"how": "finished", "seconds": time.monotonic() - begun}
        except KeyboardInterrupt:
            return {"how": "interrupted", "at": time.monotonic()}
        except Exception as error:
            return {"how": f"{type(error).__name__}: {error}", "seconds": time.monotonic() - begun}
    found["status"] = str(getattr(model, "status_", ""))
    found["warned"] = any("time" in str(each.message).lower() for each in caught)
    found["answers"] = _answers(model, X)
    return found


def main():
    """Fit what the command line names."""
    name, share, *words = sys.argv[1:]
    parameters = {key: json.loads(value) for key, _, value in (w.partition("=") for w in words)}
    print(json.dumps(_fit(name, float(share), parameters)), flush=True)


if __name__ == "__main__":
    main()
