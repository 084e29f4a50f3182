"""Processes killed at any time lose nothing: kill -9 of a search, and of a process that saves.

lost            a search that was killed and resumed finds something else than one left alone
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
from planetree.exceptions import ModelFileError

_SEARCH = """
import sys
from campaigns.soaking.kills import search
print(search(sys.argv[1]), flush=True)
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


@cache
def models():
    """Two models whose files differ."""
    X, y = table_of(SlowFit("", 300, 20))
    return [planetree.C45Classifier(prune=prune).fit(X, y) for prune in (True, False)]


@cache
def _left_alone():
    return str(search(None))


def _start(code, path):
    given = [sys.executable, "-c", code, str(path)]
    return subprocess.Popen(given, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _killed_search(rng, folder):
    """Kill a search until it comes to its end."""
    path = Path(folder) / "search.json"
    for _ in range(4):
        process = _start(_SEARCH, path)
        until = time.monotonic() + rng.uniform(1.0, 6.0)
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = subprocess.run(
        [sys.executable, "-c", _SEARCH, str(path)], cwd=ROOT, capture_output=True, text=True
    )
    if last.stdout.strip() != _left_alone():
        return {"lost": f"{last.stdout.strip()!r}, not {_left_alone()!r} {last.stderr[-200:]}"}
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
    """A search in every fourth trial, and a save in the others."""
    rng = random.Random(f"{seed} {number}")
    with tempfile.TemporaryDirectory() as folder:
        if number % 4:
            return Trial("save", _killed_save(rng, folder))
        return Trial("search", _killed_search(rng, folder))
