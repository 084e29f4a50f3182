"""What every test shares: hypothesis settings, Ctrl-C and the folder of data sets."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "planetree",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("planetree")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks: of what `make sanitize` runs, and of what only `-m slow` runs."""
    config.addinivalue_line("markers", "core: exercises the compiled core")
    config.addinivalue_line("markers", "slow: takes minutes, and is run only when asked for")
    # A shell starts jobs in the background deaf to Ctrl-C, and the tests of interrupts with them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the data sets, named by the environment; without it the test is skipped."""
    folder = os.environ.get("PLANETREE_DATA", "")
    if not folder:
        pytest.skip("PLANETREE_DATA does not name a folder of data sets")
    return Path(folder)
