"""What counts as a refusal in words: an error that was raised on purpose, for the user to read.

numpy's 'operands could not be broadcast' comes out of a line of the library, too, but was not meant
for anyone. So the line that an error comes from must raise it, or call the compiled core, whose
errors are all its own. scikit-learn, narwhals and joblib check or pass on for the library.
"""

import os
import traceback
from pathlib import Path

import joblib
import narwhals
import numpy as np
import sklearn

import planetree
from planetree import exceptions

ANNOUNCED = (ValueError, TypeError, exceptions.SolverError, exceptions.TimeLimitError)
_OWN = str(Path(planetree.__file__).parent) + os.sep
_LENT = [str(Path(each.__file__).parent) + os.sep for each in (sklearn, narwhals, joblib)]
_ON_PURPOSE = ("raise", "_core.", "cheapest_change(")


def is_refusal(error, kinds=ANNOUNCED):
    """Whether an error is of one of the kinds, says something and was raised on purpose."""
    if not isinstance(error, kinds) or isinstance(error, np.linalg.LinAlgError) or not str(error):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    if any(last.filename.startswith(folder) for folder in _LENT):
        return True
    return last.filename.startswith(_OWN) and any(word in last.line for word in _ON_PURPOSE)


def place_of(error):
    """File, line and code that an error comes from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}: {last.line}"
