"""A fit that was cut off goes on from what its passes have kept, to the same bits."""

import pickle

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, RobustSeparator
from planetree.distributed import open_partitions, using
from planetree.distributed.partitions import Partitions
from planetree.exceptions import AccuracyWarning
from planetree.tree.partitioned import plane_tree_parts
from planetree.tree.plane import plane_search


class Counted:
    """A part that counts its reads, and fails at one of them."""

    error = OSError("the disk is gone")

    def __init__(self, name, X, y, fails_at=None):
        self.name, self.rows, self.n_reads, self.fails_at = name, (X, y), 0, fails_at

    def read(self):
        self.n_reads += 1
        if self.n_reads == self.fails_at:
            raise self.error
        return self.rows


def table(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


def parts_of(X, y, fails_at=None):
    return Partitions(
        (Counted("first", X[::2], y[::2], fails_at), Counted("other", X[1::2], y[1::2]))
    )


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr("planetree.separators.partitioned._SAMPLE", 300)
    monkeypatch.setattr(plane_tree_parts, "_SAMPLE", 600)
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 300)


@pytest.mark.parametrize("model", [RobustSeparator(), PlaneTreeClassifier(max_splits=1)])
def test_a_second_call_reads_only_what_the_first_did_not(model, tmp_path):
    X, y = table()
    whole = model.fit(parts_of(X, y))
    for fails_at in (2, whole.n_reads_):
        state = tmp_path / f"{fails_at}.state"
        with pytest.raises(OSError, match="disk is gone"), using(state=state):
            type(model)(**model.get_params()).fit(parts_of(X, y, fails_at))
        again = parts_of(X, y)
        with using(state=state):
            found = type(model)(**model.get_params()).fit(again)
        assert again.parts[0].n_reads < whole.n_reads_
        assert found.to_text() == whole.to_text()
        assert [c.bound for c in proofs(found)] == [c.bound for c in proofs(whole)]
        assert not state.exists()


def proofs(model):
    return [model.certificate_] if hasattr(model, "certificate_") else model.certificates_


def cut_off_state(path, X, y):
    with pytest.raises(OSError, match="disk is gone"), using(state=path):
        RobustSeparator().fit(parts_of(X, y, 3))


def test_a_record_that_was_cut_off_is_dropped(tmp_path):
    X, y = table()
    whole = RobustSeparator().fit(parts_of(X, y))
    path = tmp_path / "fit.state"
    cut_off_state(path, X, y)
    content = path.read_bytes()
    for damaged in (content[:-5], content[:-5] + b"wrong"):
        path.write_bytes(damaged)
        with using(state=path):
            assert RobustSeparator().fit(parts_of(X, y)).bound_ == whole.bound_


def test_the_state_of_another_table_or_fit_is_an_error(tmp_path):
    X, y = table()
    path = tmp_path / "fit.state"
    cut_off_state(path, X, y)
    with pytest.raises(ValueError, match="state of another fit"), using(state=path):
        RobustSeparator().fit(open_partitions([(X, y)]))
    with pytest.raises(ValueError, match="changed since they were read"), using(state=path):
        RobustSeparator().fit(parts_of(X + 1.0, y))
    other = tmp_path / "notes.txt"
    other.write_text("not a state")
    with pytest.raises(ValueError, match=r"notes\.txt is not a fit state"), using(state=other):
        pass
    assert other.read_text() == "not a state"


def test_ctrl_c_gives_the_best_planes_so_far_with_their_gap(tmp_path, monkeypatch):
    """The value is that of all rows, so that the true least value lies within the gap."""
    X, y = table()
    whole = RobustSeparator().fit(X, y)
    monkeypatch.setattr(Counted, "error", KeyboardInterrupt())
    monkeypatch.setattr("planetree.solvers.partitioned.reduction._SAFETY", 0.01)  # many rounds
    with pytest.warns(AccuracyWarning, match="interrupted"), using(state=tmp_path / "fit.state"):
        found = RobustSeparator().fit(parts_of(X, y, 4))
    assert (found.status_, found.n_reads_) == ("interrupted", 3)
    assert found.bound_ <= whole.objective_ <= found.objective_
    assert found.gap_ > 1e-9
    assert (tmp_path / "fit.state").exists()
    with pytest.raises(KeyboardInterrupt):
        RobustSeparator().fit(parts_of(X, y, 2))


def test_a_state_runs_no_code(tmp_path):
    class Harm:
        def __reduce__(self):
            return print, ("harm",)

    X, y = table(500)
    path = tmp_path / "fit.state"
    cut_off_state(path, X, y)
    from planetree.distributed import fit_state

    content = pickle.dumps(("a", "b", "c", [Harm()]))
    digest = bytes.fromhex(fit_state._digest(content))
    head = path.read_bytes().split(b"\n")[0] + b"\n"
    path.write_bytes(head + len(content).to_bytes(8, "little") + digest + content)
    with pytest.raises(ValueError, match=r"print is no result"), using(state=path):
        RobustSeparator().fit(parts_of(X, y))
