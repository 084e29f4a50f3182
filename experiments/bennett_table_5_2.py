"""Trees of multicategory programs (MSMT-MC) on breast cancer prognosis, leave-one-out.

The set of the thesis is not public; the stand-in is that of Table 5.1, and its numbers are not to
be compared with the printed ones. It also does not show what the table shows: 82% of its patients
are of one class, and the trees do no better than to predict that class.
"""

import pandas as pd

from experiments.bennett_table_5_1 import METHODS, as_accuracy, leave_one_out
from experiments.harness.bench import Bench, grid

__all__ = ["METHODS", "run"]


def run(bench: Bench) -> pd.DataFrame:
    """A row a left-out row."""
    cases = grid(set=["Prognosis, stand-in"], method=METHODS, last=[bench.pick(None, 5)])
    return as_accuracy(bench.cells(leave_one_out, cases))
