"""Fits that take more than five seconds, in a process of their own that can be interrupted.

`python -m campaigns.slow_fits SHARES PARAMETERS` fits some of them one after the other; SHARES says
in JSON to which share of its rows each. It prints, as lines of JSON, when each fit began and how it
ended.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import asdict, dataclass, field

import numpy as np
from sklearn.naive_bayes import GaussianNB

import planetree
from campaigns.moments import ROOT, Moment


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
        "BiclusteringSelector", 300, 200, 3, {"method": "exact", "relax": True}
    ),
    "BilinearSeparator": SlowFit("BilinearSeparator", 1500, 20, 2, {"max_restarts": 50}),
    "C45Classifier": SlowFit("C45Classifier", 1_000_000, 30),
    "C45Classifier, cv": SlowFit("C45Classifier", 100_000, 30, 2, {"confidence": "cv"}),
    "CentroidSelector": SlowFit("CentroidSelector", 20_000, 40, 3),
    "DiscriminantPowerSelector": SlowFit("DiscriminantPowerSelector", 100_000, 60),
    "FloatingSelector": SlowFit("FloatingSelector", 3000, 40),
    "GeneticSelector": SlowFit("GeneticSelector", 20_000, 60, 2, {"random_state": 0}),
    "GrinoldSeparator": SlowFit("GrinoldSeparator", 40_000, 60),
    "HoldoutTreeClassifier": SlowFit("HoldoutTreeClassifier", 400_000, 60),
    "MaxNormSeparator": SlowFit("MaxNormSeparator", 20_000, 60),
    "MisclassificationSeparator": SlowFit("MisclassificationSeparator", 200_000, 60),
    "MisclassificationSeparator, exact": SlowFit(
        "MisclassificationSeparator", 400, 10, 2, {"exact": True}
    ),
    "MultisurfaceClassifier": SlowFit("MultisurfaceClassifier", 8000, 40),
    "PairwiseSelector": SlowFit("PairwiseSelector", 200, 400, 3),
    "PlaneTreeClassifier": SlowFit("PlaneTreeClassifier", 60_000, 60),
    "QuadraticSeparator": SlowFit("QuadraticSeparator", 600_000, 100),
    "QuadraticSeparator, gradient": SlowFit(
        "QuadraticSeparator", 100_000, 60, 3, {"solver": "gradient_distribution"}
    ),
    "RobustSeparator": SlowFit("RobustSeparator", 300_000, 60),
    "RobustSeparator, 300 classes": SlowFit("RobustSeparator", 20_000, 10, 300),
    "RobustSeparator, 1000 classes": SlowFit("RobustSeparator", 20_000, 10, 1000),
    "SeparatorTreeClassifier": SlowFit("SeparatorTreeClassifier", 60_000, 40),
    "SparseSeparator": SlowFit("SparseSeparator", 300_000, 60),
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


def start(shares, **parameters):
    """A process that makes some fits; wait for `line` of it to know that one has begun."""
    return subprocess.Popen(
        [sys.executable, "-m", "campaigns.slow_fits", json.dumps(shares), json.dumps(parameters)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
    )


def moment_after(process, seconds):
    """The moment so many seconds after the fit of a process began, or of its end if that is first.

    The seconds of waiting are counted from the moment on: those before it have made nothing late.
    """
    begun = line(process).get("at", time.monotonic())
    while time.monotonic() < begun + seconds and process.poll() is None:
        time.sleep(max(0.0, min(0.05, begun + seconds - time.monotonic())))
    return Moment.of(process.pid)


def busyness():
    """How busy the machine is, in words."""
    return f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."


def line(process, patience=60.0):
    """Next line that a process prints; one that prints none for so many seconds is killed."""
    timer = threading.Timer(patience, process.kill)
    timer.start()
    text = process.stdout.readline()
    timer.cancel()
    if text:
        return json.loads(text)
    return {"how": "deaf" if process.wait() == -signal.SIGKILL else "died"}


def _answers(model, X):
    """Whether a model answers for some rows."""
    answer = model.predict(X[:50]) if hasattr(model, "predict") else model.transform(X[:50])
    return len(answer) == min(50, len(X))


def run(name, share, tell=lambda moment: None, **parameters):
    """Make a fit and say how it ended; `tell` is told when it begins."""
    fit = SLOW_FITS[name]
    X, y = table_of(fit, share)
    model = estimator_of(fit, **parameters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begun = Moment.of()
        try:
            tell(begun)
            model.fit(X, y)
            how = "finished"
        except KeyboardInterrupt:
            how = "interrupted"
        except Exception as error:
            how = f"{type(error).__name__}: {error}"
        ended = Moment.of()
    found = {"how": how, "ended": asdict(ended), "seconds": ended.at - begun.at}
    if how != "finished":
        return found
    found["status"] = str(getattr(model, "status_", ""))
    found["warned"] = any("time" in str(each.message).lower() for each in caught)
    found["answers"] = _answers(model, X)
    return found


def _tell(moment):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(json.dumps({"at": moment.at}), flush=True)


def main():
    """Make the fits that the command line names."""
    shares, parameters = map(json.loads, sys.argv[1:])
    for name, share in shares.items():
        found = run(name, share, _tell, **parameters)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a signal that comes too late harms none
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
