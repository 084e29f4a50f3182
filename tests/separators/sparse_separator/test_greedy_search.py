"""Steps forward and back: what their names say, replayed by hand."""

import numpy as np
import pytest
from sparse_problems import delta_of

from planetree import SparseSeparator

pytestmark = pytest.mark.core


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
@pytest.mark.parametrize("stop", ["delta", 2])
def test_sequential_searches_do_what_their_names_say(enumerated, algorithm, stop):
    """Plain steps, replayed on the enumerated objectives; where two steps tie, either is right."""
    n_replayed = 0
    for (X, y, separator), values in enumerated[:30]:
        limit = delta_of(values) if stop == "delta" else np.inf
        most = len(max(values, key=len)) if stop == "delta" else stop
        options = {} if stop == "delta" else {"n_features": stop}
        model = SparseSeparator(separator, algorithm=algorithm, **options).fit(X, y)
        expected = replay(values, limit, most, algorithm)
        if expected is not None:
            n_replayed += 1
            assert model.objective_ == pytest.approx(values[expected], abs=1e-7)
            assert set(model.features_) <= set(expected)
    assert n_replayed >= 5


def replay(values, limit, most, algorithm):
    """Where plain steps end; nothing if two of them tie."""
    everything = max(values, key=len)
    steps = {
        "forward": lambda s: [(*s, j) for j in everything if j not in s],
        "backward": lambda s: [set(s) - {j} for j in s],
    }[algorithm]
    current = () if algorithm == "forward" else everything
    while True:
        following = sorted((tuple(sorted(s)) for s in steps(current)), key=values.get)
        if len(following) > 1 and values[following[1]] - values[following[0]] < 1e-9:
            return None
        if algorithm == "backward" and (
            len(current) == 1
            or (limit < np.inf and values[following[0]] > limit)
            or (limit == np.inf and len(current) <= most)
        ):
            return current
        current = following[0]
        if algorithm == "forward" and (
            len(current) == most or (limit < np.inf and values[current] <= limit)
        ):
            return current


def test_the_path_is_the_best_of_each_size_and_never_worse_than_a_limited_search(enumerated):
    hits = rows = 0
    for (X, y, separator), values in enumerated[:30]:
        n = len(max(values, key=len))
        path = SparseSeparator(separator).feature_path(X, y)
        assert path.n_features.tolist() == list(range(1, n + 1))
        assert np.all(np.diff(path.objectives) <= 1e-12)
        for size, error, objective, features in zip(*path, strict=True):
            assert len(features) <= size
            assert objective == pytest.approx(values[features], abs=1e-9)
            limited = SparseSeparator(separator, n_features=int(size)).fit(X, y)
            assert objective <= limited.objective_ + 1e-7
            if separator.perturbation == 0:
                assert error == pytest.approx(objective, abs=1e-12)
            hits += objective <= min(values[s] for s in values if len(s) <= size) + 1e-7
        rows += n
    assert hits >= 0.95 * rows
