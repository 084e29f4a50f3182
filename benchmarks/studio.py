"""The studio: seconds until the page, the first model and another size; memory with a large file.

    python -m benchmarks.studio            measured and printed
    python -m benchmarks.studio --page     also kept in benchmarks/studio.json and docs/studio.md

Times are those of a client on the same machine that asks what the page asks, without a browser; how
busy the machine was is printed with them, and the processor's time, which depends on it less. A
large file is read in parts, and modeled by a sample. Memory is that of the server and its workers
together (Linux only: the proportional set size of each process, and the most that each has held).
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
from typing import Any

import numpy as np

from benchmarks._kept_figures import write_page
from planetree.datasets import example_csv, names

KEPT = Path(__file__).with_name("studio.json")
PAGE = Path(__file__).parents[1] / "docs" / "studio.md"
MARK = "<!-- figures: python -m benchmarks.studio --page -->"
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

    def _processes(self) -> list[str]:
        own = self.process.pid
        return [str(own), *Path(f"/proc/{own}/task/{own}/children").read_text().split()]

    def processor(self) -> float:
        """Seconds that the server and its workers have computed, however busy the machine is."""
        if not os.path.exists("/proc"):
            return float("nan")
        lines = (Path(f"/proc/{pid}/stat").read_text() for pid in self._processes())
        ticks = (line.rpartition(")")[2].split()[11:13] for line in lines)
        return sum(int(user) + int(own) for user, own in ticks) / os.sysconf("SC_CLK_TCK")

    def memory(self, file: str = "smaps_rollup", line: str = "Pss") -> float:
        """Megabytes of the server and its workers."""
        found = [Path(f"/proc/{pid}/{file}").read_text() for pid in self._processes()]
        return sum(int(re.search(rf"{line}:\s+(\d+)", each)[1]) for each in found) / 1024  # type: ignore[index]


def main(to_page: bool = False) -> None:
    """Measure, print, and keep what was measured if it is for the page."""
    found = measured()
    print("\n".join(lines(found)))
    if to_page:
        KEPT.write_text(json.dumps(found, indent=1) + "\n")
        write_page(lines(found), PAGE, MARK)


def measured() -> dict[str, Any]:
    """Figures of one run, as they are kept."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        client = _Client(Path(folder))
        try:
            tables = {name: _time_table(client, name) for name in _TABLES if name in names()}
            large = _weigh_large_file(client, Path(folder)) if os.path.exists("/proc") else None
        finally:
            client.process.kill()
            client.process.wait()
    machine = {"load": load, "cores": os.cpu_count()}
    return {"machine": machine, "page": client.seconds, "tables": tables, "large": large}


def lines(found: dict[str, Any]) -> list[str]:
    """Lines of the page: a table, and where it was measured."""
    told = [("from the start to the page", f"{found['page']:.1f} s")]
    for name, each in found["tables"].items():
        told += [
            (f"{name} ({each['rows']:,} rows): from drop to columns", f"{each['opened']:.1f} s"),
            (
                f"{name}: from drop to the first model",
                f"{each['first']:.1f} s ({each['processor']:.1f} s of CPU)",
            ),
            (f"{name}: from the slider to the new tree", f"{each['slider']:.2f} s"),
        ]
    if large := found["large"]:
        file, memory = f"a file of {large['megabytes']} MB", "MB, server and workers"
        told += [
            (f"{file}: from opening to columns", f"{large['opened']:.1f} s"),
            (
                f"{file}: the model of its {large['sample']:,} sampled rows",
                f"{large['first']:.1f} s",
            ),
            (f"{file}: memory before it was opened", f"{large['before']:.0f} {memory}"),
            (f"{file}: memory afterwards", f"{large['after']:.0f} {memory}"),
            (f"{file}: most memory of each process, added up", f"{large['most']:.0f} MB"),
        ]
    machine = found["machine"]
    return [
        "| what | measured |",
        "| --- | --- |",
        *(f"| {what} | {value} |" for what, value in told),
        "",
        f"Measured by a client without a browser, on {machine['cores']} cores at a load of "
        f"{machine['load']:.1f}.",
    ]


def _time_table(client: _Client, name: str) -> dict[str, float]:
    content, start, used = example_csv(name).encode(), time.perf_counter(), client.processor()
    client.do("open", file=client.drop(f"{name}.csv", content))
    client.do("columns")
    opened = time.perf_counter() - start
    first = _fit(client) + opened
    used = client.processor() - used
    client.do("cancel")
    sizes = [each["at"] for each in client.project()["fitted"]["sizes"]]
    seconds = []
    for terms in sizes[1:6]:
        begin = time.perf_counter()
        client.do("size", terms=terms)
        client.do("model")
        seconds.append(time.perf_counter() - begin)
    rows = client.project()["survey"]["rows"]
    times = {"opened": opened, "first": first, "processor": used}
    return {"rows": rows, **times, "slider": float(np.median(seconds))}


def _fit(client: _Client) -> float:
    """Seconds until the first model is shown."""
    start = time.perf_counter()
    client.do("fit")
    while not client.project()["fitted"]:
        time.sleep(0.02)
    client.do("model")
    return time.perf_counter() - start


def _weigh_large_file(client: _Client, folder: Path) -> dict[str, float]:
    path = folder / "large.csv"
    rows = np.random.default_rng(0).normal(size=(20_000, 20)).round(4).tolist()
    text = [",".join(map(str, row)) + (",a\n" if row[0] > row[1] else ",b\n") for row in rows]
    with path.open("w") as file:
        file.write(",".join([*(f"x{j}" for j in range(20)), "class"]) + "\n")
        while file.tell() < _MEGABYTES << 20:
            file.write("".join(text))
    start, before = time.perf_counter(), client.memory()
    client.do("open", file="large.csv")
    client.do("columns")
    opened = time.perf_counter() - start
    sample = client.project()["survey"]["sample"]["rows"]
    first, after = _fit(client), client.memory()
    most = client.memory("status", "VmHWM")  # while the workers are there
    client.do("cancel")
    return {
        "megabytes": path.stat().st_size >> 20,
        "opened": opened,
        "sample": sample,
        "first": first,
        "before": before,
        "after": after,
        "most": most,
    }


if __name__ == "__main__":
    main(to_page="--page" in sys.argv[1:])
