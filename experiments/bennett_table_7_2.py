"""Two planes at once, coupled: how many training sets are separated.

As Table 7.1, where one class is on the same side of both planes. Published is BPA alone, from the
thesis's start: `algorithm="frank_wolfe", start="thesis"`. The scan lost the row of 5 dimensions and
1000 points.
"""

import pandas as pd

from experiments.bennett_table_7_1 import separated, trials
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a dimension and size."""
    methods = ["coupled, published", "coupled"]
    return separated(trials(bench, bench.pick((5, 10, 25), (5,)), methods))
