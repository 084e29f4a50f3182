"""Selectors of features."""

from planetree.feature_selection.biclustering import BiclusteringSelector
from planetree.feature_selection.centroid import CentroidSelector
from planetree.feature_selection.genetic import GeneticSelector
from planetree.feature_selection.pairwise import PairwiseSelector

__all__ = ["BiclusteringSelector", "CentroidSelector", "GeneticSelector", "PairwiseSelector"]
