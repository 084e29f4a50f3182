"""Selectors of features."""

from planetree.feature_selection.clustering.biclustering import BiclusteringSelector
from planetree.feature_selection.clustering.centroid import CentroidSelector
from planetree.feature_selection.clustering.pairwise import PairwiseSelector
from planetree.feature_selection.genetic.genetic_selector import GeneticSelector
from planetree.feature_selection.ranking.discriminant_power import DiscriminantPowerSelector
from planetree.feature_selection.ranking.floating import FloatingSelector
from planetree.feature_selection.ranking.nested_subsets import (
    CostComplexityTree,
    nested_subset_errors,
)

__all__ = [
    "BiclusteringSelector",
    "CentroidSelector",
    "CostComplexityTree",
    "DiscriminantPowerSelector",
    "FloatingSelector",
    "GeneticSelector",
    "PairwiseSelector",
    "nested_subset_errors",
]
