"""RobustSeparator: the theorems of its papers, its values, its units and its parameters."""

import pickle
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hinge_oracle import highs_value, hinges
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from planetree import RobustSeparator
from planetree.exceptions import AccuracyWarning
from planetree.separators.robust import _best_offset
from planetree.solvers import LinearProgram

pytestmark = pytest.mark.core

seeds = st.integers(0, 2**32 - 1)

EXCLUSIVE_OR = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), np.array([1, 1, 0, 0])
EXAMPLE_3_10 = np.array([[1.0], [2.0], [-1.0], [0.0], [4.0]]), np.array([1, 1, 0, 0, 0])


def clouds(seed, k=2, m=40, n=3, shift=1.0):
    """Classes that overlap, each shifted from the last in every column."""
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(k), m)
    return rng.normal(size=(m, n)) + shift * y[:, None], y


def error_of(model, X, y, weight=None, uniform=False):
    """(3.1), (3.14) or (5.8) as printed, of the planes in the user's units on the user's rows."""
    weight = np.ones(len(y)) if weight is None else weight
    totals = np.bincount(y, weight)
    share = weight / (totals.sum() if uniform else totals[y])
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        return share @ np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * scores[:, 0])
    margins = scores[np.arange(len(y)), y][:, None] - scores
    violations = np.maximum(0.0, 1.0 - margins)
    violations[np.arange(len(y)), y] = 0.0
    return share @ violations.sum(axis=1)


def is_null(model):
    """Whether no class differs from another in its weights."""
    planes = model.coef_ if len(model.coef_) > 1 else np.vstack([model.coef_, 0 * model.coef_])
    return not np.ptp(planes, axis=0).any()


def most_weight(X, y, charge, value):
    """The largest |w_j| among all optima of the two-class program, by HiGHS; at most 1000."""
    m, n = X.shape
    signed = np.where(y == 1, 1.0, -1.0)[:, None] * np.column_stack([X, -np.ones(m)])
    rows = np.vstack([np.hstack([signed, np.eye(m)]), np.append(np.zeros(n + 1), charge)])
    lower = np.append(np.ones(m), -np.inf)
    upper = np.append(np.full(m, np.inf), value + 1e-12)
    ends = np.append(np.full(n + 1, 1e3), np.full(m, np.inf))
    start = np.append(-ends[: n + 1], np.zeros(m))
    program = LinearProgram(np.zeros(len(ends)), rows, lower, upper, start, ends)
    most = 0.0
    for j, sign in [(j, sign) for j in np.flatnonzero(np.ptp(X, axis=0)) for sign in (1.0, -1.0)]:
        program.change_costs(sign * (np.arange(len(ends)) == j))
        most = max(most, -program.solve().objective)
    return most


def test_classes_that_a_plane_separates_have_error_0():
    X, y = clouds(0, shift=20.0)
    model = RobustSeparator().fit(X, y)
    assert (model.error_, model.objective_, model.bound_, model.gap_) == (0.0, 0.0, 0.0, 0.0)
    assert model.separable_
    assert model.status_ == "optimal"
    assert model.score(X, y) == 1.0


def test_exclusive_or_has_error_2_and_a_line_at_45_degrees():
    """Example 3.9: w = 0 is optimal, but not returned."""
    X, y = EXCLUSIVE_OR
    model = RobustSeparator().fit(X, y)
    assert model.error_ == pytest.approx(2.0, abs=1e-12)
    assert not model.separable_
    first, second = model.coef_[0]
    assert abs(first) == pytest.approx(abs(second))
    assert abs(first) > 0.1
    assert error_of(model, X, y) == pytest.approx(2.0)


def test_uniform_charges_can_lose_the_plane_that_class_charges_find():
    """Example 3.10: Smith's program has w = 0, gamma = 1 and value 4/5 as its only optimum."""
    X, y = EXAMPLE_3_10
    smith = RobustSeparator(weighting="uniform").fit(X, y)
    assert smith.error_ == pytest.approx(0.8, rel=1e-12)
    assert smith.coef_ == pytest.approx(0.0, abs=1e-12)
    assert smith.intercept_[0] == pytest.approx(-1.0)
    robust = RobustSeparator().fit(X, y)
    assert abs(robust.coef_[0, 0]) > 0.01
    assert error_of(robust, X, y) == pytest.approx(robust.error_, rel=1e-9)


@settings(max_examples=60)
@given(seed=seeds, n=st.integers(1, 4), m=st.integers(3, 30))
def test_the_value_is_0_exactly_when_a_plane_separates(seed, n, m):
    """Lemma 3.4, with (3.3) as the definition: a direction whose projections do not meet."""
    X, y = clouds(seed, m=m, n=n, shift=1.5)
    model = RobustSeparator().fit(X, y)
    scores = model.decision_function(X)
    apart = scores[y == 1].min() > scores[y == 0].max()
    assert model.separable_ == apart == (model.error_ == 0.0)
    if model.separable_:
        assert model.coef_.any()
    else:
        assert model.bound_ > 0


@settings(max_examples=60)
@given(seed=seeds, n=st.integers(1, 3))
def test_equal_means_make_w_0_optimal_and_another_optimum_is_returned(seed, n):
    """Theorem 3.7 by (3.17), and Theorem 3.8: rows mirrored at one point, in both classes."""
    rng = np.random.default_rng(seed)
    halves = [rng.integers(-3, 4, size=(rng.integers(1, 5), n)).astype(float) for _ in range(2)]
    X = np.vstack([np.vstack([half, -half]) for half in halves]) + rng.integers(-3, 4, size=n)
    y = np.repeat([0, 1], [2 * len(half) for half in halves])
    assume(np.ptp(X, axis=0).any())
    model = RobustSeparator().fit(X, y)
    assert model.error_ == pytest.approx(2.0, rel=1e-12)
    assert np.abs(model.coef_ * np.ptp(X, axis=0)).max() > 1e-6
    assert error_of(model, X, y) == pytest.approx(2.0, rel=1e-9)


@settings(max_examples=60)
@given(seed=seeds, m=st.integers(3, 15), n=st.integers(1, 3))
def test_means_that_differ_make_w_0_worse_than_the_optimum(seed, m, n):
    """Theorem 3.7, the other way: the value is below 2, that of w = 0, unless (3.17) holds."""
    rng = np.random.default_rng(seed)
    y = np.resize([1, 0, 0], m)
    X = rng.integers(-2, 3, size=(m, n)).astype(float)
    assume(np.ptp(X, axis=0).any())
    model = RobustSeparator().fit(X, y)
    equal = np.allclose(X[y == 1].mean(axis=0), X[y == 0].mean(axis=0), atol=1e-12)
    assert (model.error_ > 2.0 - 1e-9) == equal
    assert not is_null(model)


@settings(max_examples=80)
@given(seed=seeds, m=st.integers(3, 12), n=st.integers(1, 3))
def test_uniform_charges_return_w_0_only_where_it_is_the_only_optimum(seed, m, n):
    """What is left of Theorem 3.8 for (3.14): HiGHS looks for any other w on the optimal face."""
    rng = np.random.default_rng(seed)
    y = np.resize([1, 0, 0, 0], m)
    X = rng.integers(-2, 3, size=(m, n)).astype(float)
    assume(np.ptp(X, axis=0).any())
    model = RobustSeparator(weighting="uniform").fit(X, y)
    if np.abs(model.coef_).max() < 1e-9:
        assert most_weight(X, y, np.full(m, 1.0 / m), model.error_) < 1e-3


def test_uniform_charges_leave_w_0_where_another_w_is_as_good():
    """Found by hand: w = -a, gamma = 1 - a is optimal for a from 0 on. Once w = 0 was returned."""
    X = np.array([[0.0], [0.0], [-1.0], [1.0], [5.0]])
    model = RobustSeparator(weighting="uniform").fit(X, [1, 1, 0, 0, 0])
    assert model.error_ == pytest.approx(0.8, rel=1e-12)
    assert model.coef_[0, 0] < -0.01


def whirlwind():
    """Three segments, each the last turned by 120 degrees, round a triangle like a pinwheel.

    No two meet. Seen from the middle, a segment spans more than 120 degrees, so no w has a positive
    product with its ends turned by 30 degrees either way, as w_i - w_j would need by symmetry.
    """
    arm = np.array([[1.0, -1.4], [1.0, 4.0]])
    turns = 2 * np.pi / 3 * np.arange(3)
    rotate = [np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) for t in turns]
    return np.vstack([arm @ turn for turn in rotate]), np.repeat([0, 1, 2], 2)


def test_classes_that_are_separable_in_pairs_need_not_be_so_together():
    """Theorem 5.4 and Remark 5.3.1, the whirlwind: the optimum is positive."""
    X, y = whirlwind()
    for pair in combinations(range(3), 2):
        rows = np.isin(y, pair)
        assert RobustSeparator().fit(X[rows], y[rows]).separable_
    model = RobustSeparator().fit(X, y)
    assert not model.separable_
    assert model.bound_ > 0.1


@settings(max_examples=40)
@given(seed=seeds, k=st.integers(3, 5), n=st.integers(1, 4))
def test_the_value_is_0_exactly_when_the_planes_separate_all_classes(seed, k, n):
    """Theorem 5.4: then (5.3) holds, a margin of 1 between the own score and each other."""
    X, y = clouds(seed, k, m=4 * k, n=n, shift=2.0)
    model = RobustSeparator().fit(X, y)
    scores = model.decision_function(X)
    own = scores[np.arange(len(y)), y][:, None]
    rivals = np.where(np.eye(k, dtype=bool)[y], -np.inf, scores)
    apart = np.all(own > rivals.max(axis=1, keepdims=True))
    assert model.separable_ == apart == (model.error_ == 0.0)
    if apart:
        assert np.all(own >= rivals + 1 - 1e-9)


@settings(max_examples=40)
@given(seed=seeds, k=st.integers(3, 5), n=st.integers(1, 3))
def test_equal_means_of_all_classes_give_k_times_k_minus_1_and_planes_all_the_same(seed, k, n):
    """Theorems 5.5 and 5.6: w_i = w_j is optimal by (5.11), and another optimum is returned."""
    rng = np.random.default_rng(seed)
    halves = [rng.integers(-3, 4, size=(rng.integers(1, 4), n)).astype(float) for _ in range(k)]
    X = np.vstack([np.vstack([half, -half]) for half in halves])
    y = np.repeat(np.arange(k), [2 * len(half) for half in halves])
    assume(np.ptp(X, axis=0).any())
    model = RobustSeparator().fit(X, y)
    assert model.error_ == pytest.approx(k * (k - 1), rel=1e-12)
    assert np.ptp(model.coef_, axis=0).max() > 1e-6
    assert error_of(model, X, y) == pytest.approx(k * (k - 1), rel=1e-9)


def test_means_that_differ_make_equal_planes_worse_for_several_classes():
    """Theorem 5.5, the other way."""
    X, y = clouds(3, k=3, shift=0.1)
    model = RobustSeparator().fit(X, y)
    assert model.error_ < 6 - 1e-3
    assert not is_null(model)


@settings(max_examples=60)
@given(
    seed=seeds,
    k=st.integers(2, 4),
    uniform=st.booleans(),
    perturbation=st.sampled_from([0.0, 0.02, 0.5]),
    shift=st.sampled_from([0.0, 0.5, 5.0]),
)
def test_the_planes_have_the_error_they_state_in_the_users_units(
    seed, k, uniform, perturbation, shift
):
    """And (10): the violations count 1 - e, the 1-norm of the normalized weights e."""
    X, y = clouds(seed, k, shift=shift)
    X = X * [1e-6, 1.0, 1e5] + [0.0, 10.0, -1e5]
    weight = np.random.default_rng(seed).integers(1, 4, size=len(y)).astype(float)
    weighting = "uniform" if uniform else "class"
    model = RobustSeparator(weighting=weighting, perturbation=perturbation).fit(
        X, y, sample_weight=weight
    )
    error = error_of(model, X, y, weight, uniform)
    assert error == pytest.approx(model.error_, rel=1e-9, abs=1e-9)
    deviation = np.sqrt(np.cov(X, rowvar=False, ddof=0, aweights=weight).diagonal())
    size = np.abs(model.coef_ * deviation).sum()
    objective = (1 - perturbation) * error + perturbation * size
    assert model.objective_ == pytest.approx(objective, rel=1e-9, abs=1e-9)
    assert model.bound_ == pytest.approx(model.objective_, rel=1e-9, abs=1e-12)
    assert model.gap_ <= 1e-9
    assert 0 <= model.error_ <= k * (k - 1) * (1 + 1e-12)


@settings(max_examples=30)
@given(seed=seeds, k=st.integers(2, 4), perturbation=st.sampled_from([0.0, 0.1]))
def test_the_objective_is_that_of_highs(seed, k, perturbation):
    X, y = clouds(seed, k, shift=0.5)
    model = RobustSeparator(perturbation=perturbation).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    charges = (1 - perturbation) / np.bincount(y)
    every = perturbation > 0 and k > 2
    hinge = hinges(Z, y, charges, price=perturbation, all_planes=every)
    assert model.objective_ == pytest.approx(highs_value(hinge), rel=1e-9, abs=1e-12)


@settings(max_examples=80)
@given(seed=seeds, m=st.integers(2, 20), whole=st.booleans())
def test_a_refined_offset_is_the_best_of_all_breakpoints(seed, m, whole):
    """(3.10), whose minimum is at a score: a hair from it, or amid the scores that are as good."""
    rng = np.random.default_rng(seed)
    codes = np.resize([0, 1], m)
    scores = (rng.integers(-3, 4, size=m) if whole else rng.normal(size=m)).astype(float)
    charge = rng.integers(1, 4, size=m) / 10.0
    signs = np.where(codes == 1, 1.0, -1.0)

    def violation(at):
        return charge @ np.maximum(0.0, -signs * (scores - at))

    (found,) = _best_offset(scores, codes, charge, np.array([0.123]))
    if scores[codes == 1].min() > scores[codes == 0].max():
        assert found == 0.123
    else:
        best = min(violation(at) for at in scores)
        assert violation(found) == pytest.approx(best, abs=1e-6)
        flat = scores[[violation(at) <= best + 1e-9 for at in scores]]
        if np.ptp(flat) > 0:
            assert found == pytest.approx((flat.min() + flat.max()) / 2)


def test_refining_the_offset_keeps_the_direction_and_lowers_what_it_is_about():
    X, y = clouds(5, m=80, shift=0.7)
    plain, refined = (RobustSeparator(refine_offset=each).fit(X, y) for each in (False, True))
    np.testing.assert_allclose(refined.coef_, plain.coef_)
    # Objective and gap are of the plane that predicts; the bound is of the program.
    assert refined.objective_ > plain.objective_
    assert refined.bound_ == plain.bound_
    assert refined.gap_ > plain.gap_

    def mean_distance(model):
        wrong = np.maximum(0.0, -np.where(y == 1, 1.0, -1.0) * model.decision_function(X))
        return wrong[y == 1].mean() + wrong[y == 0].mean()

    assert mean_distance(refined) <= mean_distance(plain)


def test_a_larger_perturbation_buys_smaller_weights_with_more_error():
    X, y = clouds(7, m=100, n=8, shift=0.3)
    models = [RobustSeparator(perturbation=each).fit(X, y) for each in (0.0, 0.02, 0.2, 0.6)]
    sizes = [np.abs(model.coef_ * model.scale_).sum() for model in models]
    errors = [model.error_ for model in models]
    assert sizes == sorted(sizes, reverse=True)
    assert errors == sorted(errors)
    assert models[2].planes_.n_terms < models[0].planes_.n_terms


def test_categories_count_as_their_indicators():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"color": rng.choice(["red", "green", "blue"], size=60), "size": rng.normal(size=60)}
    )
    y = np.where(rng.random(60) < 0.3 + 0.4 * (frame["color"] == "red"), "yes", "no")
    model = RobustSeparator().fit(frame, y)
    plain = RobustSeparator().fit(pd.get_dummies(frame, dtype=float), y)
    assert model.error_ == pytest.approx(plain.error_, rel=1e-9)
    assert model.coef_.shape == (1, 4)
    assert model.planes_.columns.tolist() == [0, 0, 0, 1]
    assert "[color is red]" in model.to_text()


@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_is_as_many_rows(k):
    X, y = clouds(1, k, shift=0.5)
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    weighted = RobustSeparator().fit(X, y, sample_weight=weight)
    repeated = RobustSeparator().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.error_ == pytest.approx(repeated.error_, rel=1e-12)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("perturbation", [0.0, 0.1])
def test_a_column_with_one_value_has_weight_0(k, perturbation):
    X, y = clouds(2, k)
    X[:, 1] = 0.1
    model = RobustSeparator(perturbation=perturbation).fit(X, y)
    assert not model.coef_[:, 1].any()
    without = RobustSeparator(perturbation=perturbation).fit(np.delete(X, 1, axis=1), y)
    assert model.error_ == pytest.approx(without.error_, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_do_not_change_the_answer(scale):
    X, y = clouds(4, shift=0.5)
    units = np.array([scale, 1.0, 1.0 / scale])
    plain, scaled = RobustSeparator().fit(X, y), RobustSeparator().fit(X * units, y)
    assert scaled.error_ == pytest.approx(plain.error_, rel=1e-9)
    np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-6)


def test_rows_that_are_all_alike_are_refused():
    with pytest.raises(ValueError, match=r"Every row of X has the same features.*RobustSeparator"):
        RobustSeparator().fit([[1.0, 2.0]] * 4, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weighting": "rows"}, "'weighting' .* must be 'class' or 'uniform'. Got 'rows'"),
        ({"perturbation": 1.0}, "'perturbation' .* between 0 and 1, 0 included. Got 1.0"),
        ({"perturbation": -0.1}, "'perturbation' .* between 0 and 1, 0 included. Got -0.1"),
        ({"perturbation": np.nan}, "'perturbation' .* between 0 and 1, 0 included. Got nan"),
        ({"perturbation": "0.1"}, "'perturbation' .* between 0 and 1, 0 included. Got '0.1'"),
        ({"time_limit": 0}, "'time_limit' .* seconds above 0 or None. Got 0"),
        ({"time_limit": "1 s"}, "'time_limit' .* seconds above 0 or None. Got '1 s'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused_by_name(parameters, message):
    with pytest.raises(ValueError, match=message):
        RobustSeparator(**parameters).fit(*clouds(0))


def test_a_time_limit_keeps_the_best_planes_with_their_gap():
    X, y = clouds(0, k=3, m=3000, n=40, shift=0.1)
    best = RobustSeparator().fit(X, y)
    model = RobustSeparator(time_limit=1e-4).fit(X, y)
    assert (best.status_, model.status_) == ("optimal", "time_limit")
    assert model.bound_ <= best.objective_ <= model.objective_ * (1 + 1e-9)
    assert model.gap_ > 1e-9
    assert error_of(model, X, y) == pytest.approx(model.error_, rel=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_a_pickled_model_is_the_model(k):
    X, y = clouds(0, k)
    model = RobustSeparator(perturbation=0.1).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.decision_function(X), model.decision_function(X))
    assert copy.to_text() == model.to_text()
    again = clone(model).fit(X, y)
    assert np.array_equal(again.coef_, model.coef_)


def test_the_words_of_a_plane():
    frame = pd.DataFrame({"age": [10.0, 20.0, 30.0, 40.0], "same": [1.0, 1.0, 1.0, 1.0]})
    model = RobustSeparator().fit(frame, ["young", "young", "old", "old"])
    assert model.to_text(graded=False).splitlines() == ["if age < 25: young", "otherwise: old"]
    assert model.to_text().splitlines() == [
        "if age < 25 (unsure between 17 and 33): young 81.6%",
        "otherwise: old 81.6%",
    ]


def test_planes_that_separate_predict_every_training_row():
    """Scores were judged with columns in another layout than predict has, and round otherwise."""
    X = [
        [1.000000000000001, -0.46399610209485215],
        [1.0000000000000002, 3.159050582425578],
        [1.0000000000000013, -0.06837164826778985],
        [1.0000000000000002, -0.9406625630909373],
    ]
    y = np.array([0, 1, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        model = RobustSeparator(weighting="uniform").fit(X, y)
    assert model.error_ == 0.0
    assert model.separable_ == np.array_equal(model.predict(X), y)
    assert (model.status_ == "optimal") == model.separable_
