"""Whether decisions fit the columns of their model: every index is of something that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetree.arrays import PRODUCT, product_code
from planetree.exceptions import ModelFileError
from planetree.planes import Categories, Planes
from planetree.table import Column, Terms
from planetree.tree import AxisSplits, PathStep, Tree


def check_decisions(value: Any, columns: Sequence[Column], where: str) -> None:
    """Raise if a value holds a decision that reads what the columns do not have."""
    if isinstance(value, Planes):
        _check_planes(value, columns, where)
    elif isinstance(value, Terms):
        _check_terms(value.columns, value.categories, columns, where)
    elif isinstance(value, Tree):
        _check_tree(value, columns, where)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            if isinstance(each, PathStep):
                _check_tree(each.tree, columns, f"{where}[{i}].tree")
    elif where.endswith(".columns_"):
        names = [column.name for column in value]
        demand(len(set(names)) == len(names), f"{where}: two columns have the same name.")


def check_together(model: Any, where: str) -> None:
    """Raise if the parts of a model do not fit each other."""
    columns = getattr(model, "columns_", ())
    names = [column.name for column in columns]
    n_features = getattr(model, "n_features_in_", None)
    demand(
        n_features == len(columns), f"{where}: {len(columns)} columns, but {n_features} features."
    )
    if hasattr(model, "feature_names_in_"):
        demand(model.feature_names_in_.tolist() == names, f"{where}: feature_names_in_ are others.")
    if hasattr(model, "planes_") and hasattr(model, "classes_"):
        branches, classes = model.planes_.n_branches, len(model.classes_)
        demand(branches == classes, f"{where}: {branches} branches, but {classes} classes.")
    _check_branch_codes(model, where)
    if hasattr(model, "costs_"):
        mistakes = ~np.eye(len(model.costs_), dtype=bool)
        holds = (model.costs_ > 0) == mistakes
        demand(holds, f"{where}: costs_ must be 0 on the diagonal and positive elsewhere.")
    if hasattr(model, "coef_"):
        same = np.array_equal(model.coef_, model.planes_.weights)
        demand(same, f"{where}: coef_ are not the weights of planes_.")
    if "certificates_" in vars(model) and hasattr(model, "tree_"):
        one_each = len(model.certificates_) == model.tree_.n_nodes - model.tree_.n_leaves
        demand(one_each, f"{where}: certificates_ must be one for each decision of tree_.")
    if hasattr(model, "estimator_"):
        inner, support = model.estimator_, getattr(model, "support_", [False] * len(columns))
        chosen = tuple(column for column, is_in in zip(columns, support, strict=True) if is_in)
        same = getattr(inner, "columns_", None) == chosen
        demand(same, f"{where}: estimator_ has other columns than support_.")
        same = hasattr(model, "classes_") and np.array_equal(
            getattr(inner, "classes_", ()), model.classes_
        )
        demand(same, f"{where}: estimator_ has other classes than classes_.")


def _check_branch_codes(model: Any, where: str) -> None:
    """Raise unless each branch of the planes is a class: in their order, or one that is inside."""
    if hasattr(model, "branch_codes_") and hasattr(model, "classes_"):
        codes = model.branch_codes_.tolist()
        if hasattr(model, "inside_"):
            same = sorted(codes) == [0, 1] and model.classes_.tolist()[codes[1]] == model.inside_
        else:
            same = codes == list(range(len(model.classes_)))
        demand(same, f"{where}: branch_codes_ are not the classes of the branches of planes_.")


def demand(holds: Any, problem: str) -> None:
    """Raise a problem unless a rule holds, of every element if there are several."""
    if holds is not True and not np.all(holds):
        raise ModelFileError(problem)


def _check_tree(tree: Tree, columns: Sequence[Column], where: str) -> None:
    """Each node with children has a decision of as many branches, and no other node has one."""
    if isinstance(tree.splits, AxisSplits):
        _check_axis(tree.splits, columns, f"{where}.splits")
    demand(tree.class_weights >= 0, f"{where}.class_weights: must not be negative.")
    demand(tree.weights >= 0, f"{where}.weights: must not be negative.")
    if tree.leaf_probabilities is not None:
        _check_probabilities(tree.leaf_probabilities, f"{where}.leaf_probabilities")
    demand(len(tree.weights) == tree.n_nodes, f"{where}: a weight is needed for each node.")
    for node, split in enumerate(tree.splits):
        place, children = f"{where}.splits[{node}]", int(tree.n_branches[node])
        if split is None:
            demand(children == 0, f"{place}: no decision, but {children} children.")
        elif isinstance(split, Planes):
            _check_planes(split, columns, place)
            demand(split.n_branches == children, f"{place}: needs as many branches as {children}.")
        elif isinstance(split, Categories):
            _check_categories(split, columns, place)
            demand(0 < split.n_branches <= children, f"{place}: has not {children} branches.")
        else:
            raise ModelFileError(f"{place}: must be a record Planes or Categories, or null.")


def _check_probabilities(given: Any, where: str) -> None:
    """Probabilities of the classes at each node are such."""
    demand(given >= 0, f"{where}: must not be negative.")
    demand(np.abs(given.sum(axis=1) - 1.0) <= 1e-6, f"{where}: must sum to 1 at each node.")


def _check_axis(splits: AxisSplits, columns: Sequence[Column], where: str) -> None:
    """The arrays are as long as each other, before a decision is made of them."""
    n = len(splits.columns)
    lengths = {len(splits.thresholds), len(splits.n_mapped)}
    demand(lengths == {n}, f"{where}: columns, thresholds and n_mapped must be equally long.")
    demand(splits.n_mapped >= 0, f"{where}: n_mapped must not be negative.")
    demand(splits.n_mapped <= len(splits.branches), f"{where}: branches are too few.")
    demand(
        splits.n_mapped.sum() == len(splits.branches), f"{where}: branches must be n_mapped in all."
    )
    inside = (splits.columns >= -1) & (splits.columns < len(columns))
    demand(inside, f"{where}: columns must be numbers of columns, or -1.")


def _check_planes(planes: Planes, columns: Sequence[Column], where: str) -> None:
    """Planes are some, finite, and read terms that are there."""
    demand(planes.weights.size > 0, f"{where}: has no plane or no term.")
    demand(planes.rule != "argmax" or len(planes.offsets) > 1, f"{where}: argmax needs two planes.")
    numbers = np.concatenate([planes.weights.ravel(), planes.offsets, [planes.spread]])
    demand(np.isfinite(numbers), f"{where}: weights, offsets and spread must be finite.")
    demand(planes.unknown < planes.n_branches, f"{where}: unknown must be one of its branches.")
    _check_terms(planes.columns, planes.categories, columns, where)


def _check_terms(numbers: Any, categories: Any, columns: Sequence[Column], where: str) -> None:
    """Each term is a column's number, a category that its column has, or a product of numbers."""
    demand(len(numbers) == len(categories), f"{where}: needs as many categories as columns.")
    demand(
        (numbers >= 0) & (numbers < len(columns)), f"{where}: has {len(columns)} columns to read."
    )
    n_categories = np.array([len(column.categories or ()) for column in columns])
    known, factors = n_categories[numbers], product_code(categories)  # its own inverse
    is_product = (categories <= PRODUCT) & (factors < len(columns))
    is_product &= n_categories[np.where(is_product, factors, 0)] == 0
    number = is_product | (categories == -1)
    fits = np.where(known > 0, (categories >= 0) & (categories < known), number)
    demand(fits, f"{where}: a term asks for a category that its column does not have.")


def _check_categories(split: Categories, columns: Sequence[Column], where: str) -> None:
    """Each category of a column has its branch."""
    demand(split.column < len(columns), f"{where}: has {len(columns)} columns to read.")
    known = len(columns[split.column].categories or ())
    demand(len(split.branches) == known, f"{where}: needs a branch for each of {known} categories.")
    demand(split.branches >= -1, f"{where}: a branch is -1 or more.")
