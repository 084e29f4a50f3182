"""One cluster for all tests: two worker processes on this machine."""

import pytest

from planetree.distributed import using


@pytest.fixture(scope="session")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def _alone(request):
    """Only tests that ask for the cluster use it, though it is Dask's current one."""
    if "client" in request.fixturenames:
        yield
    else:
        with using(None):
            yield
