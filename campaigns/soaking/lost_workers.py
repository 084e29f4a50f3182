"""Workers of a cluster killed at any time change no answer: `--kills 50`; part of `make soak`.

A fit runs on two worker processes, and one of them is killed while it runs. What the fit finds is
compared with what it finds here, part by part: texts, bounds and supports must be the same to the
bit.
"""

import argparse
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

import planetree
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


WORKS = (_plane, _squares, _tree, _separator_tree, _search)


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


def main(arguments=None):
    """Kill workers until so many were killed while a fit ran; 1 if an answer changed."""
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    random.seed(asked.seed)
    warnings.simplefilter("ignore")
    n_kills = n_fits = n_changed = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        _write(folder, asked.seed)
        expected, seconds = {}, {}
        for work in WORKS:
            with using(None):
                expected[work] = work(folder)
            started = time.monotonic()
            with using(client):
                n_changed += work(folder) != expected[work]
            seconds[work] = time.monotonic() - started
        while n_kills < asked.kills and n_fits < 4 * asked.kills:
            work = WORKS[n_fits % len(WORKS)]
            client.wait_for_workers(2, timeout=120)
            with _Killer(cluster, random.uniform(0.0, seconds[work])) as killer, using(client):
                found = work(folder)
            n_fits += 1
            n_kills += killer.killed
            if found != expected[work]:
                n_changed += 1
                print(f"{work.__name__} after {n_kills} kills: {found}, not {expected[work]}")
    print(f"{n_kills} workers killed in {n_fits} fits, {n_changed} answers changed")
    return int(n_changed > 0 or n_kills < asked.kills)


if __name__ == "__main__":
    raise SystemExit(main())
