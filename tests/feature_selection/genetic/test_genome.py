"""SET-GEN's operators do what the paper says, as often as it says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from planetree.feature_selection.genetic.genome import (
    EMPTY,
    crossover,
    delete_feature,
    limit,
    mutate,
    one_point,
    subset_of,
)

N_DRAWS = 4000
genomes = st.lists(st.integers(EMPTY, 6), min_size=1, max_size=12).map(np.array)
seeds = st.integers(0, 1000)


def as_expected(count, n, share):
    """Whether a binomial count is within what one draw in a million exceeds."""
    return stats.binomtest(int(count), int(n), share).pvalue > 1e-6


def uniform(draws, n_values):
    """Whether all values are equally likely, as far as the draws can tell."""
    return stats.chisquare(np.bincount(draws, minlength=n_values)).pvalue > 1e-6


@given(genomes, genomes, st.floats(0, 1), seeds)
def test_an_entry_of_a_crossover_is_the_primary_parents_or_one_of_the_secondarys(
    primary, secondary, rate, seed
):
    secondary = np.resize(secondary, len(primary))
    child = crossover(primary, secondary, rate, np.random.default_rng(seed))
    rotations = [np.roll(secondary, shift) for shift in range(len(primary))]
    assert any(((child == primary) | (child == turned)).all() for turned in rotations)


@given(genomes, genomes, seeds)
def test_a_crossover_at_rate_0_is_the_primary_and_at_rate_1_the_rotated_secondary(
    primary, secondary, seed
):
    secondary = np.resize(secondary, len(primary))
    rng = np.random.default_rng(seed)
    assert np.array_equal(crossover(primary, secondary, 0.0, rng), primary)
    child = crossover(primary, secondary, 1.0, rng)
    assert any(np.array_equal(child, np.roll(secondary, k)) for k in range(len(primary)))


def test_a_crossover_takes_a_tenth_from_the_secondary_rotated_by_any_distance():
    rng = np.random.default_rng(0)
    primary, secondary = np.full(10, 99), np.arange(10)
    children = np.array([crossover(primary, secondary, 0.1, rng) for _ in range(N_DRAWS)])
    taken = children != 99
    assert as_expected(taken.sum(), taken.size, 0.1)
    distances = (children - np.arange(10))[taken] % 10
    assert uniform(distances, 10)
    one_child = crossover(primary, secondary, 1.0, rng)
    assert len(set((one_child - np.arange(10)) % 10)) == 1


def test_a_mutation_fills_a_tenth_of_the_entries_half_of_them_with_any_feature():
    rng = np.random.default_rng(0)
    parent = np.full(20, 99)
    children = np.array([mutate(parent, 0.1, 7, rng) for _ in range(N_DRAWS)])
    changed = children[children != 99]
    assert as_expected(len(changed), children.size, 0.1)
    features = changed[changed != EMPTY]
    assert as_expected(len(features), len(changed), 0.5)
    assert uniform(features, 7)


def test_a_genome_of_chance_keeps_nothing():
    rng = np.random.default_rng(0)
    drawn = np.array([mutate(np.full(20, 99), 1.0, 7, rng) for _ in range(200)])
    assert drawn.max() < 7
    assert as_expected((drawn == EMPTY).sum(), drawn.size, 0.5)


@given(genomes, seeds)
def test_to_delete_a_feature_empties_all_its_entries_and_no_other(parent, seed):
    child = delete_feature(parent, np.random.default_rng(seed))
    gone = set(parent) - set(child)
    assert len(gone - {EMPTY}) == min(1, len(set(parent) - {EMPTY}))
    kept = ~np.isin(parent, list(gone))
    assert np.array_equal(child[kept], parent[kept])
    assert (child[~kept] == EMPTY).all()


def test_every_feature_is_as_likely_to_be_deleted_however_often_it_occurs():
    rng = np.random.default_rng(0)
    parent = np.array([0, 0, 0, 0, 1, EMPTY, 2])
    gone = [next(iter({0, 1, 2} - set(delete_feature(parent, rng)))) for _ in range(N_DRAWS)]
    assert uniform(gone, 3)


@given(genomes, st.integers(1, 5), seeds)
def test_a_limit_is_kept_by_deleting_whole_features_only(genome, most, seed):
    limited = limit(genome, most, np.random.default_rng(seed))
    before, after = subset_of(genome, 7), subset_of(limited, 7)
    assert after.sum() == min(most, before.sum())
    assert not (after & ~before).any()
    assert np.array_equal(limited[limited != EMPTY], genome[np.isin(genome, np.flatnonzero(after))])


@given(genomes)
def test_the_subset_is_the_set_of_features_that_occur(genome):
    assert set(np.flatnonzero(subset_of(genome, 7))) == set(genome.tolist()) - {EMPTY}


@given(genomes, genomes, seeds)
def test_a_one_point_crossover_is_a_beginning_of_one_parent_and_the_end_of_the_other(
    primary, secondary, seed
):
    secondary = np.resize(secondary, len(primary))
    child = one_point(primary, secondary, np.random.default_rng(seed))
    cuts = range(1, max(2, len(primary)))
    joined = [np.append(primary[:cut], secondary[cut:]) for cut in cuts]
    assert any(np.array_equal(child, each) for each in joined)


def test_the_place_of_a_one_point_crossover_is_any_between_two_entries():
    rng = np.random.default_rng(0)
    children = np.array([one_point(np.zeros(8), np.ones(8), rng) for _ in range(N_DRAWS)])
    assert uniform((children == 0).sum(axis=1).astype(int) - 1, 7)


@given(st.integers(1, 12), st.floats(0, 1), seeds)
def test_the_entries_of_bits_hold_their_own_feature_or_none(size, rate, seed):
    rng, empty = np.random.default_rng(seed), np.full(size, EMPTY)
    first, second = (mutate(empty, 1.0, size, rng, bits=True) for _ in range(2))
    child = crossover(first, second, rate, rng, rotate=False)
    for genome in (first, second, child, mutate(child, rate, size, rng, bits=True)):
        assert ((genome == EMPTY) | (genome == np.arange(size))).all()
    assert ((child == first) | (child == second)).all()
