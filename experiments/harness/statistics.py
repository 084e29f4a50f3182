"""Tests of differences: as the papers did them, and as they should be done.

matched_pair_t          Student's t over the folds of one division, as in the papers. The training
                        sets overlap, so its p is too small.
corrected_resampled_t   the same over repeated folds with the variance enlarged by the overlap:
                        t = mean(d) / sqrt((1/J + n_test / n_train) var(d)), J differences in all
                        (Nadeau & Bengio 2003; Bouckaert & Frank 2004).
wilcoxon_over_sets      signed ranks of one mean difference a data set (Demsar 2006).
rates_equal             whether an error of ours is a printed one, when both are shares of so many
                        rows and only the printed mean is known.
mean_equal              whether the mean of our divisions is a printed number, by Student's t.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from planetree.statistics import corrected_t_test


def matched_pair_t(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p of equal means, for pairs; 1 where no pair differs, or there is but one."""
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if len(gaps) < 2:
        return 1.0
    if np.ptp(gaps) <= 1e-12:
        return 1.0 if abs(gaps[0]) <= 1e-12 else 0.0
    return float(stats.ttest_rel(first, second).pvalue)


def corrected_resampled_t(first: ArrayLike, second: ArrayLike, test_to_training: float) -> float:
    """Two-sided p of equal means over repeated folds, whose training sets overlap.

    Parameters
    ----------
    first, second : arrays of shape (n_folds * n_repeats,)
    test_to_training : float
        Rows of a test fold to rows it was trained on: 1/9 for ten folds.
    """
    return corrected_t_test(np.subtract(first, second), test_to_training)


def mean_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Interval of Student's t around the mean of independent values."""
    gaps = np.asarray(values, dtype=float)
    half = stats.t.ppf((1 + level) / 2, len(gaps) - 1) * stats.sem(gaps)
    return float(gaps.mean() - half), float(gaps.mean() + half)


def wilcoxon_over_sets(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p of symmetric differences, one a data set; 1 where none differs."""
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return float(stats.wilcoxon(gaps).pvalue) if np.any(gaps != 0) else 1.0


def rates_equal(ours: float, printed: float, n_rows: int) -> float:
    """Two-sided p of two percentages of so many rows each, if both have the same true rate."""
    share = (ours + printed) / 200.0
    spread = 100.0 * np.sqrt(2.0 * share * (1.0 - share) / n_rows)
    if spread == 0.0:
        return 1.0
    return float(2.0 * stats.norm.sf(abs(ours - printed) / spread))


def mean_equal(values: ArrayLike, printed: float) -> float:
    """Two-sided p of values whose true mean is a printed number; 0 where all have another."""
    found = np.asarray(values, dtype=float)
    if np.ptp(found) <= 1e-12:
        return float(abs(found[0] - printed) <= 1e-12)
    return float(stats.ttest_1samp(found, printed).pvalue)
