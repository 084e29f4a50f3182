"""Selectors of features."""

from planetree.feature_selection.biclustering import BiclusteringSelector
from planetree.feature_selection.centroid import CentroidSelector
from planetree.feature_selection.discriminant_power import DiscriminantPowerSelector
from planetree.feature_selection.floating import FloatingSelector
from planetree.feature_selection.genetic import GeneticSelector
from planetree.feature_selection.nested_subsets import CostComplexityTree, nested_subset_errors
from planetree.feature_selection.pairwise import PairwiseSelector

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
