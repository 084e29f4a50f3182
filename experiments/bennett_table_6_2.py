"""Parallel gradient distribution (MCD-PGD) and a serial minimization.

The same folds as in Table 6.1, so that PQM is the same; Image-n (2310 rows) has one division. The
thesis minimizes by a quasi-Newton method, we by Newton's. MCD-PGD runs on one process here.
"""

import pandas as pd

from experiments.bennett_table_6_1 import SETS, table
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a fold."""
    small = [name for name in bench.pick(list(SETS), ["Iris"]) if name != "Image-n"]
    parts = [table(bench, small, ["PGD", "PQM", "PQM, l2 = 0.001"], bench.pick(5, 1))]
    if not bench.quick:
        parts.append(table(bench, ["Image-n"], ["PGD", "PQM", "PQM, l2 = 0.001"], 1))
    return pd.concat(parts, ignore_index=True)
