"""What every test shares: hypothesis settings, Ctrl-C, the folder of data sets and a cluster."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from planetree.distributed import using

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


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """One cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )
    with distributed.Client(cluster) as client:
        yield client
    with suppress(TimeoutError):  # Dask 2025.1 at times waits without end for workers to close
        cluster.close(timeout=30)


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """Only tests that ask for the cluster use it, though it is Dask's current one."""
    if "client" in request.fixturenames:
        yield
    else:
        with using(None):
            yield
