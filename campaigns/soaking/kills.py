"""Processes killed at any time lose nothing: kill -9 of a search, of a fit to parts, of a save.

lost            what was killed and resumed finds something else than what is left alone
broken file     after a kill while saving, the file is neither the old model nor the new one
left over       more than one part of a file lies beside it after a kill
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import planetree
from campaigns.fuzzing.workers import Trial
from campaigns.slow_fits import ROOT, SlowFit, table_of
from planetree.distributed import open_partitions, using
from planetree.exceptions import ModelFileError

KILLS = 4  # of one search or fit, before it is left alone
_SEARCH = """
import sys
from campaigns.soaking.kills import search
print(search(sys.argv[1]), flush=True)
"""
_FIT = """
import sys
from campaigns.soaking.kills import fit_to_parts
print(fit_to_parts(sys.argv[1]), flush=True)
"""
_SAVES = """
import sys
import planetree
from campaigns.soaking.kills import models
print("begun", flush=True)
while True:
    for model in models():
        planetree.save(model, sys.argv[1])
"""


def search(path):
    """What a genetic search with a checkpoint finds."""
    X, y = table_of(SlowFit("", 400, 20))
    model = planetree.GeneticSelector(
        n_evaluations=300, population_size=20, random_state=0, checkpoint=path, verbose=-1
    )
    model.fit(X, y)
    return model.get_support().nonzero()[0].tolist(), model.best_fitness_


def fit_to_parts(path):
    """What a tree of a table in parts finds, its passes kept in a file."""
    X, y = table_of(SlowFit("", 130_000, 8))
    parts = open_partitions([(X[i::6], y[i::6]) for i in range(6)])
    with using(state=path):
        model = planetree.PlaneTreeClassifier(max_splits=4).fit(parts)
    return model.to_text(), [each.bound for each in model.certificates_]


@cache
def models():
    """Two models whose files differ."""
    X, y = table_of(SlowFit("", 300, 20))
    return [planetree.C45Classifier(prune=prune).fit(X, y) for prune in (True, False)]


@cache
def _left_alone(work):
    return str(work(None))


def _start(code, path):
    given = [sys.executable, "-c", code, str(path)]
    return subprocess.Popen(given, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _killed(code, work, rng, folder):
    """Kill a process and start it again, until it comes to its end."""
    path = Path(folder) / "kept"
    for _ in range(KILLS):
        process = _start(code, path)
        until = time.monotonic() + rng.uniform(1.0, 6.0)
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    given = [sys.executable, "-c", code, str(path)]
    last = subprocess.run(given, cwd=ROOT, capture_output=True, text=True)
    if last.stdout.strip() != _left_alone(work):
        return {"lost": f"{last.stdout.strip()!r}, not {_left_alone(work)!r} {last.stderr[-200:]}"}
    return {}


def _killed_save(rng, folder):
    """Kill a process that saves two models in turn."""
    path = Path(folder) / "model.json"
    planetree.save(models()[0], path)
    process = _start(_SAVES, path)
    process.stdout.readline()
    time.sleep(rng.uniform(0.0, 0.2))
    process.send_signal(signal.SIGKILL)
    process.wait()
    try:
        sizes = {model.tree_.n_nodes for model in models()}
        if planetree.load(path).tree_.n_nodes not in sizes:
            return {"broken file": "it holds another model"}
    except ModelFileError as error:
        return {"broken file": str(error)}
    parts = [each.name for each in Path(folder).iterdir() if each != path]
    return {"left over": str(parts)} if len(parts) > 1 else {}


def trial(seed, number):
    """A search or a fit to parts in every other trial, and a save in the others."""
    rng = random.Random(f"{seed} {number}")
    with tempfile.TemporaryDirectory() as folder:
        if number % 2:
            return Trial("save", _killed_save(rng, folder))
        if number % 4:
            return Trial("fit to parts", _killed(_FIT, fit_to_parts, rng, folder))
        return Trial("search", _killed(_SEARCH, search, rng, folder))
