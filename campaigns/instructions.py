"""Instructions of the core on ten fixed problems: `python -m campaigns.instructions`.

Seconds are noise on a busy machine; the instructions that valgrind's callgrind counts are not.
Those of the compiled core alone are counted, on one thread, and compared with the table that is
kept beside the other figures: a problem that takes 3 % more is a failure. `make instructions`
builds a core that uses the same instructions on every processor, and counts those. `--save` writes
the table again, after a change that is meant or with another compiler.
"""

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from campaigns.printing import counts_table, kept_rows, save
from campaigns.slow_fits import ROOT, SlowFit, table_of

MORE = 0.03
NAME = "instructions-core"
_REQUESTS = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def _rounded(*shape):
    X, y = table_of(SlowFit("", *shape))
    return np.round(X, 3), y


def problems():
    """Name of each problem, and what is called for it."""
    from sklearn.neighbors import KNeighborsClassifier

    import planetree as pt
    from planetree.datasets import load

    robust, tree = pt.RobustSeparator(), pt.C45Classifier()
    neighbors = pt.FloatingSelector(KNeighborsClassifier(1), n_features_to_select=2)
    chosen = {
        "separation, small": (robust, _rounded(30, 5)),
        "separation, tall": (robust, _rounded(5000, 10)),
        "separation, wide": (robust, _rounded(60, 200)),
        "separation, classes": (robust, _rounded(400, 6, 4)),
        "cuts": (pt.HoldoutTreeClassifier(), _rounded(2000, 10)),
        "neighbors": (neighbors, _rounded(200, 6)),
        "quadratic": (pt.QuadraticSeparator(), _rounded(500, 8)),
        "max-norm": (pt.MaxNormSeparator(), _rounded(100, 5)),
    }
    yield from ((name, lambda e=e, r=r: e.fit(*r)) for name, (e, r) in chosen.items())
    for name in ("heart-cleveland", "splice"):
        data = load(name)
        yield f"C4.5, {name}", lambda data=data: tree.fit(data.X, data.y)


def work(library):
    """Fit each problem once to load what it needs, then once while callgrind counts."""
    warnings.simplefilter("ignore")
    requests = ctypes.CDLL(library)
    for name, fit in problems():
        fit()
        requests.begin()
        fit()
        requests.end(name.encode())


def of_core(text):
    """Name of a dump's problem, and the instructions that ran in the compiled core itself."""
    total, inside, call, objects = 0, False, False, {}
    for line in text.splitlines():
        if match := re.match(r"(c?)ob=(\(\d+\))(?: (.*))?", line):
            objects.setdefault(match[2], match[3] or "")
            inside = inside if match[1] else "_core" in objects[match[2]]
        elif line.startswith("calls="):
            call = True
        elif re.match(r"[+\-*\d]", line):
            total += 0 if call or not inside else int(line.split()[1])
            call = False
    return re.search(r"Client Request: (.*)", text).group(1), total


def count():
    """Instructions by problem."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "requests.c", Path(folder) / "requests.so"
        source.write_text(_REQUESTS)
        built = [shutil.which("cc"), "-O1", "-shared", "-fPIC", str(source), "-o", str(library)]
        subprocess.run(built, check=True)
        counting = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet"]
        out = f"--callgrind-out-file={folder}/counts"
        python = [sys.executable, "-m", "campaigns.instructions", "--work", str(library)]
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        steady = {"PYTHONHASHSEED": "0", "PYTHONMALLOC": "malloc"}
        env = os.environ | threads | steady
        subprocess.run([*counting, out, *python], check=True, cwd=ROOT, env=env)
        dumps = (each.read_text() for each in Path(folder).glob("counts.*"))
        return dict(sorted(of_core(text) for text in dumps if "Client Request" in text))


def main():
    """Count and compare; fails if a problem takes 3 % more instructions than the table has."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", action="store_true", help="write the table again")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        return work(asked.work)
    if shutil.which("valgrind") is None:
        return print("Skipped: valgrind is not installed.")
    before = {name: int(number) for name, (number,) in kept_rows(NAME).items()}
    now = count()
    more = {name: n / before[name] - 1 for name, n in now.items() if name in before}
    for name, n in now.items():
        print(f"{name}: {n} ({more[name]:+.2%})" if name in more else f"{name}: {n} (new)")
    if asked.save:
        compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout
        note = f"Instructions of the core, with {compiler.splitlines()[0]}."
        save(
            NAME, counts_table(("problem", "instructions"), {k: [n] for k, n in now.items()}), note
        )
    return int(not asked.save and any(each > MORE for each in more.values()))


if __name__ == "__main__":
    raise SystemExit(main())
