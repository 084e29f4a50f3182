"""Workers of a cluster killed at any time change no answer: `--kills 50`; part of `make soak`.

A fit runs on two worker processes, and one of them is killed while it runs. What the fit finds is
compared with what it finds here, part by part: texts, bounds and supports must be the same to the
bit. Dask does not always start a worker again: a fit that has none left must end with an error.
`--save last` keeps the counts for docs/soundness.md.
"""

import argparse
import logging
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import planetree
from campaigns.printing import counts_table, save
from planetree.distributed import open_partitions, using


def _write(folder, seed):
    """Files of a table in parts."""
    from pyarrow import parquet, table

    rng = np.random.default_rng(seed)
    for part in range(8):
        X = rng.normal(size=(20_000, 6))
        y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=20_000) > 0.5) * 1
        columns = {f"x{j}": X[:, j] for j in range(6)}
        parquet.write_table(table({**columns, "y": y}), Path(folder) / f"{part}.parquet")


def _plane(folder):
    model = planetree.RobustSeparator().fit(open_partitions(folder, target="y"))
    return model.coef_.tolist(), model.bound_, model.n_reads_


def _squares(folder):
    model = planetree.QuadraticSeparator().fit(open_partitions(folder, target="y"))
    return model.coef_.tolist(), model.bound_, model.n_reads_


def _tree(folder):
    model = planetree.PlaneTreeClassifier(max_splits=3)
    model.fit(open_partitions(folder, target="y"))
    return model.to_text(), [each.bound for each in model.certificates_]


def _separator_tree(folder):
    model = planetree.SeparatorTreeClassifier(max_splits=3)
    model.fit(open_partitions(folder, target="y"))
    return model.to_text(), [each.bound for each in model.certificates_]


def _search(folder):
    from pyarrow import parquet

    frame = parquet.read_table(Path(folder) / "0.parquet").slice(0, 600).to_pandas()
    model = planetree.GeneticSelector(
        n_evaluations=40, population_size=40, random_state=0, verbose=-1, cv=3
    ).fit(frame.drop(columns="y"), frame["y"])
    return model.get_support().tolist(), model.history_.tolist()


WORKS = {
    "RobustSeparator": _plane,
    "QuadraticSeparator": _squares,
    "PlaneTreeClassifier": _tree,
    "SeparatorTreeClassifier": _separator_tree,
    "GeneticSelector": _search,
}
_HEAD = ["fit", "fits", "workers killed", "ended for lack of workers", "answers changed"]


class _Count:
    """Fits of one kind, and what came of them."""

    def __init__(self):
        self.fits = self.kills = self.deserted = self.changed = 0


class _Killer:
    """Kills a worker some time after it is started."""

    def __init__(self, cluster, seconds):
        self.cluster, self.seconds, self.killed = cluster, seconds, False
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _run(self):
        if self.ended.wait(self.seconds):
            return
        nannies = [each for each in self.cluster.workers.values() if each.pid]
        if nannies:
            os.kill(random.choice(nannies).pid, signal.SIGKILL)
            self.killed = True


@contextmanager
def _two_workers():
    """A cluster of two worker processes, and its client."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield cluster, client


def _has_two(client):
    """Whether both workers are there, or come back: a nanny does not always start one again."""
    try:
        client.wait_for_workers(2, timeout=30)
    except TimeoutError:
        return False
    return True


class _Soak:
    """Fits so far, workers killed while they ran, and answers that changed."""

    def __init__(self, folder):
        self.folder, self.seconds = folder, {}
        self.counts = {name: _Count() for name in WORKS}
        with using(None):
            self.expected = {name: work(folder) for name, work in WORKS.items()}

    def total(self, what):
        """Sum of one count over the kinds of fits."""
        return sum(getattr(each, what) for each in self.counts.values())

    def time_fits(self):
        """How long fits take if nobody is killed."""
        with _two_workers() as (_, client), using(client):
            for name, work in WORKS.items():
                started = time.monotonic()
                self._compare(name, work(self.folder))
                self.seconds[name] = time.monotonic() - started

    def round(self, n_kills):
        """Every fit once, on a new cluster, until so many workers were killed or one stays away."""
        with _two_workers() as (cluster, client), using(client):
            for name in WORKS:
                if self.total("kills") >= n_kills or not _has_two(client):
                    return
                self._try(name, cluster, client)

    def _try(self, name, cluster, client):
        count, found = self.counts[name], None
        with _Killer(cluster, random.uniform(0.0, self.seconds[name])) as killer:
            try:
                found = WORKS[name](self.folder)
            except RuntimeError:
                if client.nthreads():
                    raise
        count.fits += 1
        count.kills += killer.killed
        if found is None:
            count.deserted += 1
        else:
            self._compare(name, found)

    def _compare(self, name, found):
        if found != self.expected[name]:
            self.counts[name].changed += 1
            print(f"{name}: {found}, not {self.expected[name]}", flush=True)

    def table(self):
        """The counts, kind by kind."""
        rows = {
            name: [each.fits, each.kills, each.deserted, each.changed]
            for name, each in self.counts.items()
        }
        return counts_table(_HEAD, rows)


def main(arguments=None):
    """Kill workers until so many were killed while a fit ran; 1 if an answer changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="keep the counts under this name")
    asked = parser.parse_args(arguments)
    random.seed(asked.seed)
    warnings.simplefilter("ignore")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, asked.seed)
        soak = _Soak(folder)
        soak.time_fits()
        while soak.total("kills") < asked.kills and soak.total("fits") < 4 * asked.kills:
            soak.round(asked.kills)
            print(f"{soak.total('kills')} workers killed in {soak.total('fits')} fits", flush=True)
    print(soak.table())
    if asked.save:
        save(f"lost_workers-{asked.save}", soak.table(), f"Seed {asked.seed}.")
    return int(soak.total("changed") > 0 or soak.total("kills") < asked.kills)


if __name__ == "__main__":
    raise SystemExit(main())
