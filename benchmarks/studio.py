"""The studio: seconds until the page, the first model and another size; memory with a large file.

Times are those of a client on the same machine that asks what the page asks, without a browser; how
busy the machine was is printed with them. A large file is read in parts, and modeled by a sample.
Memory is that of the server and its workers together (Linux only: the proportional set size of each
process, and the most that each has held).
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from planetree.datasets import example_csv, names

_TABLES = ("heart-cleveland", "adult")
_MEGABYTES = 200
_SECONDS = 1200


class _Client:
    """A studio in a process of its own, asked as its page asks it."""

    def __init__(self, folder: Path) -> None:
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "planetree.cli", "studio", "--folder", folder, "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        address = re.search(r"http://\S+", self.process.stdout.readline())
        assert address is not None
        self.host, self.cookie = address[0].split("/")[2], ""
        _, headers, _ = self.ask("GET", "/" + address[0].split("/", 3)[3])
        self.cookie = headers["set-cookie"].split(";")[0]
        self.ask("GET", "/")
        self.seconds = time.perf_counter() - start

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict, bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=_SECONDS)
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}"}
        connection.request(method, path, body, headers)  # type: ignore[arg-type]
        answer = connection.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def do(self, action: str, **given: object) -> object:
        status, _, body = self.ask("POST", f"/api/{action}", json.dumps(given))
        assert status == 200, body
        return json.loads(body)["result"]

    def drop(self, name: str, content: object) -> str:
        return json.loads(self.ask("POST", f"/api/upload?name={name}", content)[2])["result"]

    def project(self) -> dict:
        return json.loads(self.ask("GET", "/api/state")[2])["project"]

    def memory(self, file: str = "smaps_rollup", line: str = "Pss") -> float:
        """Megabytes of the server and its workers."""
        own = self.process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        found = [Path(f"/proc/{pid}/{file}").read_text() for pid in [str(own), *children]]
        return sum(int(re.search(rf"{line}:\s+(\d+)", each)[1]) for each in found) / 1024  # type: ignore[index]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        client = _Client(Path(folder))
        try:
            print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            print(f"from start to page: {client.seconds:.1f} s")
            for name in _TABLES:
                _time_table(client, name)
            if os.path.exists("/proc"):
                _weigh_large_file(client, Path(folder))
        finally:
            client.process.kill()
            client.process.wait()


def _time_table(client: _Client, name: str) -> None:
    if name not in names():
        print(f"{name}: not there (PLANETREE_DATA)")
        return
    content, start = example_csv(name).encode(), time.perf_counter()
    client.do("open", file=client.drop(f"{name}.csv", content))
    client.do("columns")
    opened = time.perf_counter() - start
    first = _fit(client) + opened
    print(f"{name}: columns shown after {opened:.1f} s, first model after {first:.1f} s")
    client.do("cancel")
    sizes = [each["at"] for each in client.project()["fitted"]["sizes"]]
    seconds = []
    for terms in sizes[1:6]:
        begin = time.perf_counter()
        client.do("size", terms=terms)
        client.do("model")
        seconds.append(time.perf_counter() - begin)
    print(f"{name}: from slider to tree {np.median(seconds):.2f} s (median of {len(seconds)})")


def _fit(client: _Client) -> float:
    """Seconds until the first model is shown."""
    start = time.perf_counter()
    client.do("fit")
    while not client.project()["fitted"]:
        time.sleep(0.02)
    client.do("model")
    return time.perf_counter() - start


def _weigh_large_file(client: _Client, folder: Path) -> None:
    path = folder / "large.csv"
    rows = np.random.default_rng(0).normal(size=(20_000, 20)).round(4).tolist()
    lines = [",".join(map(str, row)) + (",a\n" if row[0] > row[1] else ",b\n") for row in rows]
    with path.open("w") as file:
        file.write(",".join([*(f"x{j}" for j in range(20)), "class"]) + "\n")
        while file.tell() < _MEGABYTES << 20:
            file.write("".join(lines))
    start, before = time.perf_counter(), client.memory()
    client.do("open", file="large.csv")
    client.do("columns")
    seconds = time.perf_counter() - start
    print(
        f"{path.stat().st_size >> 20} MB: opened with its columns in {seconds:.1f} s, "
        f"memory {before:.0f} MB before, {client.memory():.0f} MB after, "
        f"at most {client.memory('status', 'VmHWM'):.0f} MB"
    )
    sample = client.project()["survey"]["sample"]["rows"]
    seconds = _fit(client)
    client.do("cancel")
    print(
        f"its first model, of {sample:,} rows: {seconds:.1f} s, memory {client.memory():.0f} MB "
        "after"
    )
