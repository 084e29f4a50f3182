"""Two planes at once: the programs, the descents, the search and the estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from planetree import BilinearSeparator, RobustSeparator
from planetree.datasets import load, two_planes
from planetree.separators.bilinear.bilinear_program import (
    BilinearProgram,
    Demand,
    _best_share,
    _is_zero,
    best_plane,
    descend,
)
from planetree.separators.bilinear.bilinear_search import Search, centered

pytestmark = pytest.mark.core

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
PARITY = np.array([0, 0, 1, 1])
TOPOLOGIES = ("first", "second", "alternating")
RULES = ("both", "same_side")


def rows_of_two_planes(seed, n_rows, n_features, rule):
    """Normal rows with planes that separate them; both kinds are there."""
    rng = np.random.default_rng(seed)
    while True:
        X, planes = rng.normal(size=(n_rows, n_features)), rng.normal(size=(2, n_features + 1))
        above = planes[:, :-1] @ X.T > planes[:, -1:]
        inside = above.all(axis=0) if rule == "both" else above[0] == above[1]
        if 0 < inside.sum() < n_rows:
            return X, inside, planes


class Unheld(BilinearProgram):
    """A program whose planes may come to w = 0."""

    def anchor(self, plane, planes):
        return None


separable = st.builds(
    lambda *drawn: (*rows_of_two_planes(*drawn), drawn[-1]),
    st.integers(0, 10**6),
    st.integers(4, 80),
    st.integers(1, 6),
    st.sampled_from(RULES),
)


@given(separable, st.integers(0, 10**6))
def test_a_row_is_on_the_right_side_exactly_when_its_margin_is_positive(drawn, seed):
    X, inside, _, rule = drawn
    planes = np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    above = planes[:, :-1] @ X.T > planes[:, -1:]
    region = above.all(axis=0) if rule == "both" else above[0] == above[1]
    assert np.array_equal(program.margins(planes)[0] > 0, region == inside)


@given(separable)
def test_planes_that_separate_have_value_zero_once_their_margin_is_one(drawn):
    """Theorem 7.3.1, one direction; and `centered` keeps every row where it is."""
    X, inside, planes, rule = drawn
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    margin = program.margins(planes)[0].min()
    assert program.value(program.costs(planes / margin)) == 0.0
    moved = centered(program, planes)
    assert program.margins(moved)[0].min() >= 1.0 - 1e-6
    assert program.value(program.costs(moved)) == 0.0


@given(separable, st.integers(0, 10**6))
def test_value_zero_means_that_the_planes_separate(drawn, seed):
    """Theorem 7.3.1, the other direction, for planes that have not been told of the rows."""
    X, inside, _, rule = drawn
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    planes = 1e3 * np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    if program.value(program.costs(planes)) == 0.0:
        assert program.separated(planes)
    if not program.separated(planes):
        assert program.value(program.costs(planes)) > 0.0


def test_a_charge_of_twice_the_others_acts_as_a_constraint():
    """The program of a plane has the value of the linear program with its rows held exactly."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, inside = rng.normal(size=(30, 3)), rng.random(30) < 0.4
        inside[:2] = True, False
        program = BilinearProgram(X, np.ones(30), inside, "both")
        charges = np.tile(rng.random(30), (2, 1))
        plane, _ = best_plane(program.demand(0, charges), np.zeros(4))
        scores = X @ plane[:-1] - plane[-1]
        assert scores[inside].min() >= 1.0 - 1e-9
        value = charges[0, ~inside] @ np.maximum(0.0, 1.0 + scores[~inside])
        n_out = int((~inside).sum())
        signed = np.column_stack([X, -np.ones(30)])
        above = np.column_stack([-signed[inside], np.zeros((30 - n_out, n_out))])
        below = np.column_stack([signed[~inside], -np.eye(n_out)])
        oracle = linprog(
            np.concatenate([np.zeros(4), charges[0, ~inside]]),
            A_ub=np.vstack([above, below]),
            b_ub=-np.ones(30),
            bounds=[(None, None)] * 4 + [(0, None)] * n_out,
        )
        assert value == pytest.approx(oracle.fun, rel=1e-7, abs=1e-9)


@given(separable, st.sampled_from(["serial", "parallel", "frank_wolfe"]), st.integers(0, 10**6))
def test_a_descent_never_raises_the_value_and_ends(drawn, algorithm, seed):
    X, inside, _, rule = drawn
    algorithm = "frank_wolfe" if rule == "same_side" else algorithm
    program = Unheld(X, np.ones(len(X)), inside, rule)
    start = np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    first = program.value(program.costs(start))
    planes = descend(program, start, algorithm)
    assert program.separated(planes) or program.value(program.costs(planes)) <= first


@pytest.mark.parametrize("algorithm", ["serial", "parallel"])
def test_a_descent_stops_only_where_neither_plane_can_lower_the_value(algorithm):
    """Theorem 7.2.1: it ends at zero or where the minimum principle (7.3) holds."""
    rng, stopped = np.random.default_rng(1), 0
    for _ in range(60):
        X, inside = rng.normal(size=(25, 2)), rng.random(25) < 0.3
        inside[:2] = True, False
        program = Unheld(X, np.ones(25), inside, "both")
        planes = descend(program, rng.normal(size=(2, 3)), algorithm)
        if program.separated(planes):
            continue
        stopped += 1
        costs = program.costs(planes)
        for p in (0, 1):
            moved = planes.copy()
            moved[p], _ = best_plane(program.demand(p, costs[::-1]), planes[p])
            assert program.value(program.costs(moved)) >= program.value(costs) * (1 - 1e-6)
    assert stopped > 10


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_the_step_length_is_exact(slope, curvature):
    share = _best_share(slope, curvature)
    grid = np.linspace(0.0, 1.0, 101)
    assert 0.0 <= share <= 1.0
    assert slope * share + curvature * share**2 <= (slope * grid + curvature * grid**2).min() + 1e-9


def test_a_zero_normal_is_detected_and_cured():
    """Section 7.4: rows on the sphere bring the first plane to w = 0 unless it is held off."""
    X, y = two_planes(500, 10, random_state=0)
    program = BilinearProgram(X, np.ones(500), y == 1, "both")
    start = next(Search(program, "serial", np.random.default_rng(0)).starts)
    plain, _ = best_plane(program.demand(0, program.costs(start)[::-1]), start[0])
    assert _is_zero(plain)
    anchors = [None, None]
    planes = program.best_planes([0], start, program.costs(start), anchors)
    assert anchors[0] is not None
    assert not _is_zero(planes[0])
    assert program.separated(descend(program, start, "serial"))


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_exclusive_or_is_separated_in_every_topology(topology):
    """Figures 7.3 and 7.4."""
    model = BilinearSeparator(topology=topology).fit(XOR, PARITY)
    assert model.separable_
    assert model.objective_ == model.error_ == 0.0
    assert np.array_equal(model.predict(XOR), PARITY)


@pytest.mark.parametrize("algorithm", ["serial", "parallel", "frank_wolfe"])
@pytest.mark.parametrize("topology", ["first", "second"])
def test_every_algorithm_separates_the_thesis_generator(algorithm, topology):
    X, y = two_planes(300, 8, random_state=3)
    labels = y if topology == "second" else 1 - y
    model = BilinearSeparator(topology=topology, algorithm=algorithm).fit(X, labels)
    assert model.separable_
    assert model.score(X, labels) == 1.0


@pytest.mark.parametrize("algorithm", ["serial", "parallel", "frank_wolfe"])
def test_each_published_algorithm_separates_from_the_thesis_start_alone(algorithm):
    """UBPA, UBPA1 and BPA. The start was not feasible, and UBPA1 and BPA ended at w = 0."""
    for seed in range(3):
        X, y = two_planes(500, 10, random_state=seed)
        options = {"topology": "second", "algorithm": algorithm, "start": "thesis"}
        model = BilinearSeparator(**options).fit(X, y)
        assert (model.separable_, model.found_by_, model.n_restarts_) == (True, "descent", 0)
        assert model.score(X, y) == 1.0
        assert np.all(np.linalg.norm(model.coef_ * model.scale_, axis=1) > 1e-6)


def test_the_coupled_program_is_solved_by_its_published_algorithm_alone():
    """BPA on (7.16), as in Table 7.2."""
    models = []
    for seed in range(4):
        X, y = two_planes(500, 5, alternating=True, random_state=seed)
        models.append(BilinearSeparator(topology="alternating", start="thesis").fit(X, y))
        assert models[-1].separable_ == (models[-1].score(X, y) == 1.0)
    assert {model.found_by_ for model in models} == {"descent"}
    assert sum(model.separable_ for model in models) >= 3


def test_what_found_the_planes_is_told():
    """One plane where that suffices; settling where the descent of the thesis falls short."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert BilinearSeparator().fit(X, [0, 0, 1, 1]).found_by_ == "one plane"
    found = set()
    for seed in range(8):
        X, y = two_planes(500, 5, alternating=True, random_state=seed)
        alone = BilinearSeparator(topology="alternating", start="thesis").fit(X, y)
        model = BilinearSeparator(topology="alternating").fit(X, y)
        assert model.separable_
        assert alone.separable_ == (model.found_by_ == "descent" and model.n_restarts_ == 0)
        found.add(model.found_by_)
    assert found == {"descent", "settling"}


def test_at_least_99_in_100_of_separable_data_are_solved():
    solved = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rule = RULES[seed % 2]
        X, inside, _ = rows_of_two_planes(
            seed, int(rng.integers(5, 120)), int(rng.integers(1, 8)), rule
        )
        model = BilinearSeparator(topology="second" if rule == "both" else "alternating").fit(
            X, inside
        )
        assert model.separable_ == (model.score(X, inside) == 1.0)
        solved.append(model.separable_)
    assert np.mean(solved) >= 0.99


@given(st.integers(0, 10**6), st.integers(6, 60), st.integers(1, 4), st.sampled_from(TOPOLOGIES))
@settings(max_examples=40)
def test_never_worse_than_the_robust_plane(seed, n_rows, n_features, topology):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(n_rows, n_features)).astype(float), rng.integers(0, 2, n_rows)
    X[:, 0] += 0.01 * np.arange(n_rows)
    y[:2] = 0, 1
    robust = RobustSeparator().fit(X, y)
    model = BilinearSeparator(topology=topology, max_restarts=0).fit(X, y)
    assert model.error_ == pytest.approx(1.0 - model.score(X, y))
    assert model.score(X, y) >= robust.score(X, y) - 1e-12


def test_inseparable_classes_get_an_answer_that_says_so():
    X, y = np.array([[0.0], [0.0], [1.0], [2.0], [3.0], [4.0]]), [0, 1, 1, 0, 1, 0]
    model = BilinearSeparator().fit(X, y)
    assert not model.separable_
    assert model.status_ == "stationary"
    assert model.objective_ > 0
    assert model.gap_ == 1.0
    assert model.error_ == pytest.approx(2 / 6)  # no two cuts of the line do better


def test_the_same_seed_gives_the_same_planes_and_another_may_not_matter():
    X, y = two_planes(200, 5, alternating=True, random_state=5)
    models = [BilinearSeparator(topology="alternating", random_state=1).fit(X, y) for _ in range(2)]
    assert np.array_equal(models[0].coef_, models[1].coef_)


def test_the_description_names_both_planes_and_the_class_inside():
    model = BilinearSeparator(topology="second").fit(XOR, ["even", "even", "odd", "odd"])
    first, last = model.to_text().splitlines()
    assert first.endswith(": odd")
    assert last == "otherwise: even"
    text = BilinearSeparator(topology="alternating").fit(XOR, PARITY).to_text()
    assert ", or neither: " in text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"topology": "third"}, "'topology' parameter of BilinearSeparator must be"),
        ({"algorithm": "simplex"}, "'algorithm' parameter of BilinearSeparator must be"),
        ({"topology": "alternating", "algorithm": "serial"}, "use 'frank_wolfe'"),
        ({"max_restarts": -1}, "'max_restarts' parameter of BilinearSeparator must be"),
        ({"max_restarts": 1.5}, "'max_restarts' parameter of BilinearSeparator must be"),
    ],
)
def test_parameters_that_cannot_be_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BilinearSeparator(**parameters).fit(XOR, PARITY)


def test_three_classes_are_refused_with_an_alternative():
    with pytest.raises(ValueError, match="For more than two, use RobustSeparator"):
        BilinearSeparator().fit(XOR, [0, 1, 2, 2])


def test_demands_of_one_side_leave_a_plane_alone():
    plane = np.array([1.0, 2.0, 3.0])
    demand = Demand(XOR, np.ones(4, dtype=int), np.ones(4))
    kept, steps = best_plane(demand, plane)
    assert kept is plane
    assert steps == 0


def test_real_data_are_separated_or_better_than_by_one_plane(data_folder):
    for name in ("ionosphere", "breast-cancer-wisconsin"):
        data = load(name)
        X = data.X.dropna()
        y = data.y[X.index]
        model = BilinearSeparator(max_restarts=1).fit(X, y)
        assert model.score(X, y) > RobustSeparator().fit(X, y).score(X, y)
        assert model.separable_ == (name == "ionosphere")
