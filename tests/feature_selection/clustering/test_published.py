"""What Busygin & Pardalos (2005) print of leukemia and colon, computed again."""

import numpy as np
import pytest

from experiments.harness.tables import colon_by_number, fit_and_test, leukemia
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector

SIX = ["normal 8", "normal 12", "normal 34", "normal 36", "tumor 30", "tumor 36"]


@pytest.fixture(scope="module")
def leukemia_parts(data_folder):
    return leukemia()


@pytest.fixture(scope="module")
def colon_parts(data_folder):
    return colon_by_number()


def sizes(model):
    return [np.sum(model.support_ & (model.feature_classes_ == k)) for k in model.classes_]


def test_k_means_on_leukemia(leukemia_parts):
    model, errors = fit_and_test(CentroidSelector(relax=False), *leukemia_parts)
    assert round(model.objective_, 4) == 7069.3582
    assert model.gap_ <= 1e-9
    assert errors == ["AML 64", "AML 66"]
    assert leukemia_parts[0].numbers[model.outliers_].tolist() == [35]


def test_pairwise_thresholds_on_leukemia(leukemia_parts):
    model, errors = fit_and_test(PairwiseSelector(relax=False), *leukemia_parts)
    assert np.count_nonzero(model.weights_ > 1e-3) == 1457
    assert model.objective_ == pytest.approx(42875706.446, rel=1e-9)
    assert errors == []


def test_algorithm_1_on_leukemia(leukemia_parts):
    model, errors = fit_and_test(
        BiclusteringSelector(separation=0.1, method="iterative", relax=False), *leukemia_parts
    )
    assert sizes(model) == [3439, 3242]
    assert (model.consistent_, model.n_iter_) == (True, 90)
    assert errors == ["AML 66"]


def test_our_search_keeps_more_features_than_algorithm_1(leukemia_parts):
    model, errors = fit_and_test(BiclusteringSelector(separation=0.1, relax=False), *leukemia_parts)
    assert model.objective_ >= 7000
    assert model.consistent_
    assert errors == ["AML 66"]


def test_k_means_on_colon_and_why_the_printed_optimum_cannot_be(colon_parts):
    model, errors = fit_and_test(CentroidSelector(relax=False), *colon_parts)
    assert model.support_.sum() == 1901
    assert sorted(errors) == sorted(SIX)
    assert model.objective_ == pytest.approx(1899.368, abs=1e-3)
    assert model.bound_ < 1901 < 1903.045  # 1901 weights of at most 1


@pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")
def test_pairwise_thresholds_on_colon(colon_parts):
    model, errors = fit_and_test(PairwiseSelector(), *colon_parts)
    assert sorted(errors) == sorted(["normal 2", *SIX])
    assert model.n_relaxations_ == 2


@pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")
def test_our_search_keeps_more_features_on_colon_too(colon_parts):
    ours, published = (
        BiclusteringSelector(separation=0.1, method=method) for method in ("search", "iterative")
    )
    assert fit_and_test(ours, *colon_parts).model.consistent_
    assert fit_and_test(published, *colon_parts).model.consistent_
    assert ours.objective_ > published.objective_
