"""The steady state of SET-GEN, its fitness, and the front that it leaves behind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from planetree.feature_selection.genetic.genetic_search import (
    GeneticSearch,
    Outcome,
    SearchRules,
    _first_front,
    _fitness_of,
    _worst_member,
)

N_FEATURES = 12
RULES = SearchRules(n_features=N_FEATURES, genome_size=N_FEATURES, population_size=15)
points = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=25).map(
    lambda rows: np.array(rows, dtype=float)
)


def made_up(chosen):
    """An outcome that any subset can have: features 0 and 5 help, and every feature adds nodes."""
    return Outcome(0.5 + 0.2 * chosen[0] + 0.2 * chosen[5], 1.0 + 3.0 * chosen.sum())


def search(rules=RULES, seed=0, known=(), evaluate=made_up):
    return GeneticSearch(rules, evaluate, 100.0, seed, known)


def test_fitness_is_three_quarters_accuracy_and_one_quarter_simplicity():
    """A = 0.9, S = 30/120, F = 4/16: 3/4 * 0.9 + 1/4 * (1 - (0.25 + 0.25)/2)."""
    outcome = Outcome(accuracy=0.9, size=30.0)
    assert _fitness_of(outcome, 120.0, 4 / 16) == pytest.approx(0.675 + 0.25 * 0.75)


def test_a_child_replaces_the_worst_member_if_it_is_fitter_and_nobody_otherwise():
    state = search()
    n_replaced = 0
    for step in range(600):
        before = state.fitness.copy()
        state.step()
        child = state.history()["fitness"][-1]
        if step < RULES.population_size:
            assert np.array_equal(state.fitness, [*before, child])
        elif child > before.min():
            before[before.argmin()] = child
            assert np.array_equal(state.fitness, before)
            n_replaced += 1
        else:
            assert np.array_equal(state.fitness, before)
    assert n_replaced > 20


def test_the_best_member_is_the_first_of_the_fittest_ever_seen():
    state = search()
    for _ in range(400):
        state.step()
    subset, genome = state.best, state.best.genome
    history = state.history()
    assert subset.fitness == history["fitness"].max() == state.fitness.max()
    assert set(np.flatnonzero(subset.chosen)) == set(genome.tolist()) - {-1}
    assert set(np.flatnonzero(subset.chosen)) == {0, 5}


def test_each_operator_makes_a_third_of_the_children():
    """A search that never deletes a feature, or never mates, differs from Table 1."""
    state = search()
    for _ in range(state.rules.population_size):
        state.step()
    made = []
    state._child = made.append  # the operator that was drawn
    for _ in range(3000):
        state._propose()
    assert stats.chisquare(np.bincount(made, minlength=3)).pvalue > 1e-6


def test_the_third_operator_deletes_a_feature_of_a_member():
    state = search()
    for _ in range(state.rules.population_size):
        state.step()
    for _ in range(100):
        child = set(state._child(2).tolist()) - {-1}
        members = [set(genome.tolist()) - {-1} for genome in state.genomes]
        assert not all(members) or any(child < m and len(m - child) == 1 for m in members)


def test_the_fittest_wins_of_those_as_accurate_as_all_features():
    """Fresh accuracies are made up: all features 0.8, subsets of two features more, others less."""
    state = search()
    for _ in range(400):
        state.step()
    fresh = {(0, 5): 0.79}

    def accuracy_of(chosen):
        return fresh.get(tuple(np.flatnonzero(chosen)), 0.8 if chosen.sum() > 1 else 0.5)

    best = state.choose(accuracy_of)
    front = [row["support"] for row in state.front()] + [np.ones(state.rules.n_features, bool)]
    allowed = [each for each in front if accuracy_of(each) >= 0.8]
    assert state.best.chosen[[0, 5]].all()
    assert state.best.chosen.sum() == 2
    assert best.chosen.sum() == min(each.sum() for each in allowed) > 1
    assert set(np.flatnonzero(best.chosen)) == set(best.genome.tolist()) - {-1}


def test_at_the_finish_a_point_of_accuracy_outweighs_features_that_the_search_would_drop():
    """A feature with its three nodes is worth 1.9 points of accuracy, at the finish a third."""
    state = search()
    for _ in range(400):
        state.step()
    sizes = np.unique(state.front()["features"])
    few, many = sizes[sizes > 0][:2]

    def chosen_with(gain):
        levels = {int(few): 0.9, int(many): 0.9 + gain}
        return state.choose(lambda chosen: levels.get(int(chosen.sum()), 0.8)).chosen.sum()

    simpler = (many - few) * (3 / state.n_rows + 1 / state.rules.n_features) / 2
    worth = simpler / 3  # in accuracy, whose weight is three times that of simplicity
    assert chosen_with(0.35 * worth) == many
    assert chosen_with(0.31 * worth) == few


def test_a_subset_that_comes_again_is_not_evaluated_again():
    seen = []

    def evaluate(chosen):
        seen.append(chosen.tobytes())
        return made_up(chosen)

    state = search(evaluate=evaluate)
    for _ in range(500):
        state.step()
    assert len(seen) == len(set(seen)) == len(state.subsets) < state.n_evaluations == 500


def test_at_the_finish_no_subset_is_judged_twice():
    state, judged = search(), []
    for _ in range(100):
        state.step()

    def accuracy_of(chosen):
        judged.append(chosen.tobytes())
        return 0.5

    state.choose(accuracy_of)
    assert np.ones(state.rules.n_features, bool).tobytes() in judged
    assert len(judged) == len(set(judged))


def test_a_search_taken_up_anywhere_goes_on_as_if_nothing_had_happened():
    whole = search()
    for _ in range(400):
        whole.step()
    for n_known in (0, 1, 50, len(whole.subsets)):
        resumed = search(known=whole.outcomes[:n_known])
        for _ in range(400):
            resumed.step()
        assert np.array_equal(resumed.history(), whole.history())
        assert np.array_equal(resumed.genomes, whole.genomes)


def test_parents_are_drawn_in_proportion_to_fitness():
    state = search()
    for _ in range(RULES.population_size):
        state.step()
    numbered = {id(genome): i for i, genome in enumerate(state.genomes)}
    drawn = [numbered[id(state._draw_parent())] for _ in range(20_000)]
    expected = 20_000 * state.fitness / state.fitness.sum()
    counts = np.bincount(drawn, minlength=RULES.population_size)
    assert stats.chisquare(counts, expected).pvalue > 1e-6


def test_the_three_operators_are_equally_likely():
    state = search()
    for _ in range(RULES.population_size):
        state.step()
    drawn = []
    state._child = lambda operator: drawn.append(operator) or state.genomes[0]
    for _ in range(6000):
        state._propose()
    assert stats.chisquare(np.bincount(drawn, minlength=3)).pvalue > 1e-6


def test_no_subset_exceeds_the_budget():
    state = search(RULES._replace(max_features=2))
    for _ in range(300):
        state.step()
    assert state.history()["features"].max() == 2


def dominates(a, b):
    return (a <= b).all() and (a < b).any()


@given(points)
def test_the_front_is_what_no_point_dominates(rows):
    front = _first_front(rows)
    for i, row in enumerate(rows):
        beaten = any(dominates(other, row) for other in rows)
        assert beaten != any(np.array_equal(row, rows[j]) for j in front), i
    assert len({tuple(rows[j]) for j in front}) == len(front)


@given(points)
def test_the_member_given_up_dominates_no_other(rows):
    worst = _worst_member(rows)
    assert not any(dominates(rows[worst], other) for other in rows)
    on_first = [not any(dominates(other, row) for other in rows) for row in rows]
    assert all(on_first) or not on_first[worst]


def test_the_front_of_a_search_holds_every_trade_off_among_all_subsets_seen():
    state = search(RULES._replace(multi_objective=True))
    for _ in range(500):
        state.step()
    front, history = state.front(), state.history()
    rows = np.column_stack([-history["accuracy"], history["size"], history["features"]])
    kept = {(-f["accuracy"], f["size"], f["features"]) for f in front}
    assert kept == {tuple(row) for row in rows[_first_front(rows)]}
    assert np.array_equal(front["support"].sum(axis=1), front["features"])
    members = {subset.objectives for subset in state._members}
    assert kept <= members, "the front is part of the population while there is room"


@pytest.mark.parametrize("others", [{}, {"max_features": 9, "multi_objective": True}])
def test_what_a_search_foresees_comes_until_a_child_is_admitted(others):
    """Looking ahead changes nothing: neither the draws nor the members."""
    rules = SearchRules(n_features=30, genome_size=30, population_size=15, **others)
    total, ahead, same_members = 400, {}, []

    def by_chance(chosen):
        return Outcome(np.random.default_rng(np.flatnonzero(chosen)).random(), 1.0)

    def evaluate(chosen):
        masks = state.foreseen(total, 3)
        ahead[state.n_evaluations] = [m.tolist() for m in masks if (m != chosen).any()]
        return by_chance(chosen)

    state, plain = search(rules, evaluate=evaluate), search(rules, evaluate=by_chance)
    for _ in range(total):
        plain.step()
        members = list(map(id, state.genomes))
        state.step()
        same_members.append(list(map(id, state.genomes)) == members)
    assert state.history().tolist() == plain.history().tolist()
    asked = [subset.chosen.tolist() for subset in state.subsets]
    assert asked[1 : 1 + len(ahead[0])] == ahead[0], "those of chance are certain"
    n_right = 0
    for number, (step, masks) in enumerate(ahead.items()):
        if step >= rules.population_size:
            until = next((s for s in range(step, total) if not same_members[s]), total)
            n_certain = min(len(masks), sum(step < s <= until for s in ahead))
            assert masks[:n_certain] == asked[number + 1 : number + 1 + n_certain]
            n_right += n_certain
    assert len(ahead[0]) >= 10
    assert n_right > 100
