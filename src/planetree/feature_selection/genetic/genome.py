"""SET-GEN's genomes and what makes new ones of them (Cherkauer & Shavlik 1996).

A genome is a vector of fixed length. An entry holds the number of a feature or is empty; a feature
may stand in several entries. The subset of a genome is the set of features in it.

    crossover         each entry is that of the primary parent with probability 1 - rate, else that
                      of the secondary parent, which was rotated by a random distance before;
    mutate            each entry is kept with probability 1 - rate, else filled: with any feature,
                      all equally likely, half of the time, and left empty the other half;
    delete a feature  all entries of one feature of the parent, all equally likely, become empty.

A new genome of nothing but chance is an empty one mutated at rate 1.

The paper names two alternatives that it does not try:

    bits              the more traditional vector of indicators: entry j holds feature j or is
                      empty, so nothing is rotated, and what fills an entry is its own feature;
    one point         the child is the primary parent up to a place and the secondary after it, all
                      places between two entries equally likely; nothing is rotated.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from planetree.arrays import Indices, Mask

Genome = Indices

EMPTY = -1  # the number of no feature


def crossover(
    primary: Genome, secondary: Genome, rate: float, rng: Generator, *, rotate: bool = True
) -> Genome:
    """A child that has most entries of the primary parent and some of the rotated secondary."""
    size = len(primary)
    distance = rng.integers(size) if rotate else 0
    rotated = secondary[(np.arange(size) + distance) % size]
    return np.where(rng.random(size) < rate, rotated, primary)


def one_point(primary: Genome, secondary: Genome, rng: Generator) -> Genome:
    """A child that is the primary parent up to a place, and the secondary after it."""
    size = len(primary)
    cut = rng.integers(1, size) if size > 1 else size
    return np.where(np.arange(size) < cut, primary, secondary)


def mutate(
    parent: Genome, rate: float, n_features: int, rng: Generator, *, bits: bool = False
) -> Genome:
    """A child some of whose entries are filled anew, with any feature; of `bits`, with their own.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.genetic.genome import EMPTY, mutate
    >>> mutate(np.full(8, EMPTY), 1.0, 5, np.random.default_rng(0))
    array([-1,  2,  2,  4, -1, -1, -1, -1])
    """
    size = len(parent)
    is_filled = rng.random(size) < 0.5
    filled = np.where(
        is_filled, np.arange(size) if bits else rng.integers(n_features, size=size), EMPTY
    )
    return np.where(rng.random(size) < rate, filled, parent)


def delete_feature(parent: Genome, rng: Generator) -> Genome:
    """A child without one feature of the parent; of an empty parent, an empty child."""
    present = np.unique(parent[parent != EMPTY])
    if not len(present):
        return parent.copy()
    return np.where(parent == rng.choice(present), EMPTY, parent)


def limit(genome: Genome, max_features: int, rng: Generator) -> Genome:
    """The genome with features deleted, all equally likely, until it has no more than allowed."""
    present = np.unique(genome[genome != EMPTY])
    n_over = len(present) - max_features
    if n_over <= 0:
        return genome
    return np.where(np.isin(genome, rng.permutation(present)[:n_over]), EMPTY, genome)


def subset_of(genome: Genome, n_features: int) -> Mask:
    """Which features the genome holds.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.genetic.genome import EMPTY, subset_of
    >>> subset_of(np.array([2, EMPTY, 0, 2]), 4)
    array([ True, False,  True, False])
    """
    chosen = np.zeros(n_features, dtype=bool)
    chosen[genome[genome != EMPTY]] = True
    return chosen
