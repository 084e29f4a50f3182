"""One score sheet, made once."""

import pytest
from sheet_tables import one_sheet


@pytest.fixture(scope="session")
def sheet():
    X, _, made = one_sheet()
    return X, made
