"""What a model file may hold: estimators, records, and the kind of every fitted attribute.

A name means the same in every estimator, so one table serves all. Sizes in shapes are those of the
model at hand: `columns`, `classes`, and `planes` and `terms` where it has planes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from planetree.certificate import Certificate
from planetree.planes import Categories, Planes
from planetree.table import Column, Terms
from planetree.tree import AxisSplits, PathStep, Tree
from planetree.tree.c45.c45_tree import CRITERIA
from planetree.tree.c45.prepared_table import CORES

__all__ = [
    "DTYPES",
    "FITTED",
    "PEERS",
    "RECORDS",
    "Kind",
    "SplitCertificate",
    "fields_of",
    "own_estimators",
]

DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
DTYPES |= {"float16", "float32", "float64", "object"}

HOMES = ("separators", "tree", "feature_selection")

# Estimators of scikit-learn that others take as parameters; held unfitted, by their parameters.
PEERS = {
    "DecisionTreeClassifier": "sklearn.tree",
    "DummyClassifier": "sklearn.dummy",
    "GaussianNB": "sklearn.naive_bayes",
    "KNeighborsClassifier": "sklearn.neighbors",
    "LinearDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "LinearSVC": "sklearn.svm",
    "LogisticRegression": "sklearn.linear_model",
    "NearestCentroid": "sklearn.neighbors",
    "QuadraticDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "RandomForestClassifier": "sklearn.ensemble",
    "RidgeClassifier": "sklearn.linear_model",
    "SVC": "sklearn.svm",
}


@cache
def own_estimators() -> dict[str, type]:
    """Public estimators of planetree by name."""
    found, public = {}, import_module("planetree").__all__
    for home in HOMES:
        part = import_module(f"planetree.{home}")
        for name in set(public) & set(part.__all__):
            kind = getattr(part, name)
            if isinstance(kind, type) and issubclass(kind, BaseEstimator):
                found[name] = kind
    return found


def fields_of(record: type) -> tuple[str, ...]:
    """Names of the fields of a dataclass or named tuple."""
    named: tuple[str, ...] = getattr(record, "_fields", ())
    return named or tuple(field.name for field in fields(record))


class Kind(NamedTuple):
    """What a value must be, in words and as a test given the sizes of the model."""

    says: str
    holds: Callable[[Any, Mapping[str, int]], bool]


def is_number(value: Any) -> bool:
    """Whether a value is a number, perhaps not a finite one."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0 on."""
    return is_number(value) and isinstance(value, (int, np.integer)) and bool(value >= 0)


def is_label(value: Any) -> bool:
    """Whether a value can name a class or a category."""
    return isinstance(value, (str, bool, np.bool_)) or (is_number(value) and value == value)


def are_labels(value: Any) -> bool:
    """Whether a value is a tuple of different labels."""
    return type(value) is tuple and all(map(is_label, value)) and len(set(value)) == len(value) > 0


def plain(says: str, holds: Callable[[Any], bool]) -> Kind:
    """Kind of a value that no size of the model bears on."""
    return Kind(says, lambda value, sizes: holds(value))


def optional(kind: Kind) -> Kind:
    """The same kind, or None."""
    return Kind(f"{kind.says}, or null", lambda v, sizes: v is None or kind.holds(v, sizes))


def record(*kinds: type) -> Kind:
    """A record of one of some classes."""
    says = "a record " + " or ".join(kind.__name__ for kind in kinds)
    return plain(says, lambda value: type(value) in kinds)


def listed(kind: Any, says: str, holds: Callable[[Any], bool]) -> Kind:
    """A list or tuple of things."""
    word = f"a {kind.__name__} of {says}"
    return plain(word, lambda value: type(value) is kind and all(map(holds, value)))


def array(letters: str, *shape: Any, finite: bool = True, below: str | None = None) -> Kind:
    """An array of a sort of elements and a shape; None stands for any length.

    `below` names the size that bounds indices: each is from 0 on and less than it.
    """
    words = {"f": "numbers", "i": "whole numbers", "b": "booleans", "UObiuf": "labels"}[letters]
    named = ", ".join("any" if n is None else str(n) for n in shape)
    bound = f", each the number of one of the {below}" if below else ""

    def holds(value: Any, sizes: Mapping[str, int]) -> bool:
        if type(value) is not np.ndarray or value.ndim != len(shape):
            return False
        if value.dtype.kind not in letters:
            return False
        wanted = [sizes.get(n, n) if isinstance(n, str) else n for n in shape]
        if any(n is not None and n != m for n, m in zip(wanted, value.shape, strict=True)):
            return False
        if letters == "f" and finite and not np.isfinite(value).all():
            return False
        if letters == "UObiuf" and not all(map(is_label, value.ravel().tolist())):
            return False
        return below is None or bool(np.all((value >= 0) & (value < sizes.get(below, 0))))

    return Kind(f"an array of {words} of shape ({named}){bound}", holds)


def either(*kinds: Kind) -> Kind:
    """A value of one of some kinds."""
    says = ", or ".join(kind.says for kind in kinds)
    return Kind(says, lambda value, sizes: any(kind.holds(value, sizes) for kind in kinds))


def counted(says: str, holds: Callable[[Any], bool]) -> Kind:
    """Things by how many features they have."""

    def are_counted(value: Any) -> bool:
        return type(value) is dict and all(is_count(n) and holds(value[n]) for n in value)

    return plain(f"a dict from counts to {says}", are_counted)


def is_whole_array(value: Any) -> bool:
    """Whether a value is a list of whole numbers as an array."""
    return type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind == "i"


def is_estimator(value: Any) -> bool:
    """Whether a value is an estimator of planetree."""
    return type(value) in own_estimators().values()


def is_structured(value: Any) -> bool:
    """Whether a value is an array with named fields."""
    return type(value) is np.ndarray and value.ndim == 1 and value.dtype.names is not None


def are_classes(value: Any, sizes: Mapping[str, int]) -> bool:
    """Whether a value is an array of different labels."""
    return array("UObiuf", None).holds(value, sizes) and are_labels(tuple(value.tolist()))


def are_scales(value: Any) -> bool:
    """Whether a value maps terms, as pairs of column and category, to their spread."""
    return type(value) is dict and all(
        type(k) is tuple and len(k) == 2 and all(isinstance(i, int) for i in k) and is_number(v)
        for k, v in value.items()
    )


class SplitCertificate(NamedTuple):
    """What files of 0.1.0 hold of a decision of `unpruned_tree_` of a SeparatorTreeClassifier."""

    node: int
    status: str
    error: float
    objective: float
    bound: float
    gap: float


def is_proof(value: Any) -> bool:
    """Whether a value is a certificate, or what files of 0.1.0 hold instead."""
    if value is None or isinstance(value, (Certificate, SplitCertificate)):
        return True
    return type(value) is tuple and len(value) == 3 and all(map(is_number, value))


NUMBER = plain("a number", is_number)
COUNT = plain("a whole number from 0 on", is_count)
FLAG = plain("true or false", lambda value: isinstance(value, (bool, np.bool_)))
TEXT = plain("text", lambda value: type(value) is str)
STRUCTURED = plain("an array with named fields", is_structured)
LABEL = plain("a label: text, a number or a boolean", is_label)

FITTED: dict[str, Kind] = {
    "_certificates": listed(list, "records Certificate", lambda v: type(v) is Certificate),
    "_scales": plain("a dict from (column, category) to a number", are_scales),
    "_strength": optional(NUMBER),
    "_terms": record(Terms),
    "allow_nan_": FLAG,
    "arithmetic_": plain("single or double", lambda v: type(v) is str and v in CORES),
    "baselines_": array("f", "classes", finite=False),
    "best_fitness_": NUMBER,
    "best_genome_": array("i", None),
    "bound_": NUMBER,
    "branch_codes_": array("i", "branches", below="classes"),
    "centroids_": array("f", "classes", None),
    "certificates_": listed(list, "records Certificate", is_proof),
    "class_order_": array("i", "classes", below="classes"),
    "classes_": Kind("an array of different labels", are_classes),
    "coef_": array("f", "planes", "terms"),
    "columns_": listed(tuple, "records Column", lambda each: type(each) is Column),
    "confidence_": optional(NUMBER),
    "consistent_": FLAG,
    "costs_": array("f", "classes", "classes"),
    "criterion_": plain("gain_ratio or gain", lambda v: type(v) is str and v in CRITERIA),
    "discriminant_power_": array("f", "columns"),
    "dropped_pairs_": array("i", None, 2),
    "error_": NUMBER,
    "error_bound_": NUMBER,
    "errors_": array("f", None),
    "feature_classes_": array("UObiuf", None),
    "feature_names_in_": array("UObiuf", "columns"),
    "features_": array("i", None, below="columns"),
    "front_": STRUCTURED,
    "gap_": NUMBER,
    "history_": STRUCTURED,
    "holdout_indices_": array("i", None),
    "inside_": LABEL,
    "intercept_": array("f", "planes"),
    "multi_class_": FLAG,
    "n_distinct_": COUNT,
    "n_evaluations_": COUNT,
    "n_features_bound_": COUNT,
    "n_features_in_": COUNT,
    "n_features_to_select_": COUNT,
    "n_features_used_": COUNT,
    "n_iter_": COUNT,
    "n_pairs_": COUNT,
    "n_planes_": COUNT,
    "n_programs_": COUNT,
    "n_relaxations_": COUNT,
    "n_restarts_": COUNT,
    "n_skipped_": COUNT,
    "objective_": NUMBER,
    "order_": array("i", None, below="columns"),
    "outliers_": array("i", None),
    "pair_": record(Planes),
    "path_": listed(list, "records PathStep", lambda each: type(each) is PathStep),
    "planes_": record(Planes),
    "prices_": array("f", None),
    "proved_": FLAG,
    "ranking_": array("i", "columns"),
    "root_gains_": array("f", "columns", finite=False),
    "rounded_tree_": record(Tree),
    "sample_codes_": array("i", None, below="classes"),
    "samples_": array("f", None, None),
    "scale_": array("f", "terms"),
    "scores_": either(array("f", "columns"), counted("numbers", is_number)),
    "search_bound_": NUMBER,
    "separable_": FLAG,
    "spread_": array("f", "columns", finite=False),
    "status_": TEXT,
    "subsets_": counted("arrays of whole numbers", is_whole_array),
    "support_": array("b", "columns"),
    "thresholds_": listed(tuple, "numbers", is_number),
    "topology_": TEXT,
    "tree_": either(record(Tree), plain("a fitted tree", is_estimator)),
    "trees_": listed(list, "fitted trees", is_estimator),
    "unpruned_tree_": record(Tree),
    "weights_": array("f", "columns"),
}

WHOLE = array("i", None)
RECORD_FIELDS: dict[type, dict[str, Kind]] = {
    Column: {
        "name": TEXT,
        "categories": optional(plain("a tuple of different labels", are_labels)),
    },
    Terms: {"columns": array("i", None, below="columns"), "categories": WHOLE},
    Planes: {
        "weights": array("f", None, None),
        "offsets": array("f", None),
        "rule": TEXT,
        "columns": array("i", None),
        "categories": WHOLE,
    },
    Categories: {"column": COUNT, "branches": WHOLE},
    AxisSplits: {
        "columns": WHOLE,
        "thresholds": array("f", None, finite=False),
        "n_mapped": WHOLE,
        "branches": WHOLE,
    },
    Tree: {
        "splits": plain(
            "a list or tuple of decisions and nulls, or a record AxisSplits",
            lambda value: type(value) in (list, tuple, AxisSplits),
        ),
        "n_branches": WHOLE,
        "children": WHOLE,
        "class_weights": array("f", None, "classes"),
        "predicted": array("i", None, below="classes"),
        "weights": array("f", None),
        "errors": array("f", None),
    },
    PathStep: {
        "size_price": NUMBER,
        "entropy": NUMBER,
        "n_terms": COUNT,
        "n_leaves": COUNT,
        "tree": record(Tree),
    },
    Certificate: {
        "kind": TEXT,
        "objective": NUMBER,
        "bound": NUMBER,
        "gap": NUMBER,
        "status": TEXT,
    },
    SplitCertificate: {
        "node": COUNT,
        "status": TEXT,
        "error": NUMBER,
        "objective": NUMBER,
        "bound": NUMBER,
        "gap": NUMBER,
    },
}
RECORDS = {kind.__name__: kind for kind in RECORD_FIELDS}
