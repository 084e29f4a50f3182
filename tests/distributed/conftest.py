"""One table in memory and in files."""

import numpy as np
import pandas as pd
import pytest

from planetree import RobustSeparator


@pytest.fixture(scope="session")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    found = pd.DataFrame(X, columns=list("abcd"))
    found["e"] = rng.choice(["red", "green", "blue"], 3000)
    score = X[:, 0] + X[:, 1] + (found.e == "red") + 0.5 * rng.normal(size=3000)
    found["kind"] = np.where(score > 0.5, "yes", "no")
    return found


@pytest.fixture(scope="session")
def folder(frame, tmp_path_factory):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    home = tmp_path_factory.mktemp("parts")
    for i in range(3):
        part = pa.Table.from_pandas(frame[i::3], preserve_index=False)
        pq.write_table(part, home / f"{i}.parquet", row_group_size=400)
    return home


@pytest.fixture(scope="session")
def whole(frame):
    return RobustSeparator().fit(frame.drop(columns="kind"), frame.kind)
