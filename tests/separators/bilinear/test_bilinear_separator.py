"""Two planes at once: the programs, the descents, the search and the estimator."""

import numpy as np
import pytest
import scipy.sparse as sp
from bilinear_rows import TOPOLOGIES, XOR
from scipy.optimize import linprog

from planetree import BilinearSeparator, RobustSeparator
from planetree.datasets import load, two_planes
from planetree.separators.bilinear.bilinear_program import BilinearProgram
from planetree.separators.bilinear.bilinear_search import Search

pytestmark = pytest.mark.core

PARITY = np.array([0, 0, 1, 1])


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


def bpa_by_the_simplex_method(X, y, max_steps=60):
    """Algorithm 7.2.3 on (7.16) as printed, with vertices of HiGHS; whether its planes separate."""
    n, d = X.shape
    program = BilinearProgram(X, np.ones(n), y == np.unique(y)[1], "same_side")
    start = Search(program, "frank_wolfe", np.random.default_rng(0), plain=True)
    planes, sides = start._tree_planes(), program.sides.reshape(4, n)
    asked = [-s[:, None] * np.column_stack([X, -np.ones(n)]) for s in sides]  # of planes 0 1 0 1
    nothing = np.zeros((n, d + 1))
    blocks = [[a, nothing] if p % 2 == 0 else [nothing, a] for p, a in enumerate(asked)]
    rows = sp.hstack([sp.csr_array(np.block(blocks)), -sp.eye_array(4 * n)])
    bounds = [(None, None)] * (2 * d + 2) + [(0, None)] * (4 * n)
    hinges = np.maximum(0, 1 - program.sides * program.scores(planes)).reshape(2, 2, n)
    for _ in range(max_steps):
        x, y_ = hinges.sum(axis=1)
        cost = np.concatenate([np.zeros(2 * d + 2), y_, y_, x, x])
        found = linprog(cost, rows, -np.ones(4 * n), bounds=bounds, method="highs-ds").x
        vertex, new = found[: 2 * d + 2].reshape(2, d + 1), found[2 * d + 2 :].reshape(2, 2, n)
        u, v = new.sum(axis=1)
        if program.separated(vertex) or u @ y_ + x @ v >= 2 * (x @ y_) * (1 - 1e-9):
            return program.separated(vertex)
        slope, curvature = (u - x) @ y_ + x @ (v - y_), (u - x) @ (v - y_)
        share = 1.0 if curvature <= 0 else min(1.0, -slope / (2 * curvature))
        hinges = hinges + share * (new - hinges)
    return False


@pytest.mark.parametrize(("repeat", "separated"), [(0, False), (1, True), (3, False), (9, True)])
def test_the_published_bpa_separates_what_its_steps_by_the_simplex_method_do(repeat, separated):
    """Sets of Table 7.2 in 5 dimensions: from the thesis's start BPA ends above zero on some."""
    X, y = two_planes(500, 5, True, random_state=5000 + repeat)
    model = BilinearSeparator(topology="alternating", start="thesis").fit(X, y)
    assert model.separable_ == bpa_by_the_simplex_method(X, y) == separated


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


def test_real_data_are_separated_or_better_than_by_one_plane(data_folder):
    for name in ("ionosphere", "breast-cancer-wisconsin"):
        data = load(name)
        X = data.X.dropna()
        y = data.y[X.index]
        model = BilinearSeparator(max_restarts=1).fit(X, y)
        assert model.score(X, y) > RobustSeparator().fit(X, y).score(X, y)
        assert model.separable_ == (name == "ionosphere")
