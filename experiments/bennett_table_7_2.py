"""Two planes at once, coupled (BPA): how many training sets are separated.

As Table 7.1, where one class is on the same side of both planes. The scan lost the row of 5
dimensions and 1000 points; the last one goes beyond the thesis.
"""

import pandas as pd

from experiments.bennett_table_7_1 import separated, trials
from experiments.harness.bench import Bench


def run(bench: Bench) -> pd.DataFrame:
    """A row a dimension and size."""
    return separated(
        trials(bench, bench.pick((5, 10, 25), (5,)), "coupled", bench.pick([(50, 2000)], []))
    )
