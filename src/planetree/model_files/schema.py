"""What a model file may hold: estimators, records, and the kind of every fitted attribute.

A name means the same in every estimator, so one table serves all. Sizes in shapes are those of the
model at hand: `columns`, `classes`, and `planes` and `terms` where it has planes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from sys import float_info
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from planetree.certificate import Certificate
from planetree.planes import Categories, Planes
from planetree.separators.probability_curve import ProbabilityCurve
from planetree.table import Column, ColumnRanges, Terms
from planetree.tree import AxisSplits, PathStep, Tree
from planetree.tree.c45.c45_tree import CRITERIA
from planetree.tree.c45.prepared_table import CORES

DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
DTYPES |= {"float16", "float32", "float64", "object"}

_HOMES = ("separators", "tree", "feature_selection")

# Estimators of scikit-learn that others take as parameters; held unfitted, by their parameters.
PEERS = {
    "DecisionTreeClassifier": "sklearn.tree",
    "DummyClassifier": "sklearn.dummy",
    "GaussianNB": "sklearn.naive_bayes",
    "HistGradientBoostingClassifier": "sklearn.ensemble",
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
    for home in _HOMES:
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


def _is_number(value: Any) -> bool:
    """Whether a value is a number, perhaps not a finite one."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    """Whether a value is a finite number, as a float too."""
    return _is_number(value) and bool(abs(value) <= float_info.max)


def _is_count(value: Any) -> bool:
    """Whether a value is a whole number of at least 0."""
    return _is_number(value) and isinstance(value, (int, np.integer)) and bool(value >= 0)


def _is_label(value: Any) -> bool:
    """Whether a value can name a class or a category."""
    return isinstance(value, (str, bool, np.bool_)) or (_is_number(value) and value == value)


def _are_labels(value: Any) -> bool:
    """Whether a value is a tuple of different labels."""
    return type(value) is tuple and all(map(_is_label, value)) and len(set(value)) == len(value) > 0


def _plain(says: str, holds: Callable[[Any], bool]) -> Kind:
    """Kind of a value that no size of the model bears on."""
    return Kind(says, lambda value, sizes: holds(value))


def _optional(kind: Kind) -> Kind:
    """The same kind, or None."""
    return Kind(f"{kind.says}, or null", lambda v, sizes: v is None or kind.holds(v, sizes))


def _record(*kinds: type) -> Kind:
    """A record of one of some classes."""
    says = "a record " + " or ".join(kind.__name__ for kind in kinds)
    return _plain(says, lambda value: type(value) in kinds)


def _listed(kind: Any, says: str, holds: Callable[[Any], bool]) -> Kind:
    """A list or tuple of things."""
    word = f"a {kind.__name__} of {says}"
    return _plain(word, lambda value: type(value) is kind and all(map(holds, value)))


def _array(letters: str, *shape: Any, finite: bool = True, below: str | None = None) -> Kind:
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
        if letters == "UObiuf" and not all(map(_is_label, value.ravel().tolist())):
            return False
        return below is None or bool(np.all((value >= 0) & (value < sizes.get(below, 0))))

    return Kind(f"an array of {words} of shape ({named}){bound}", holds)


def _word(*allowed: str) -> Kind:
    """One of some words."""
    return _plain(" or ".join(allowed), lambda value: type(value) is str and value in allowed)


def _either(*kinds: Kind) -> Kind:
    """A value of one of some kinds."""
    says = ", or ".join(kind.says for kind in kinds)
    return Kind(says, lambda value, sizes: any(kind.holds(value, sizes) for kind in kinds))


def _counted(says: str, holds: Callable[[Any], bool]) -> Kind:
    """Things by how many features they have."""

    def are_counted(value: Any) -> bool:
        return type(value) is dict and all(_is_count(n) and holds(value[n]) for n in value)

    return _plain(f"a dict from counts to {says}", are_counted)


def _is_estimator(value: Any) -> bool:
    """Whether a value is an estimator of planetree."""
    return type(value) in own_estimators().values()


def _are_classes(value: Any, sizes: Mapping[str, int]) -> bool:
    """Whether a value is an array of different labels."""
    return _array("UObiuf", None).holds(value, sizes) and _are_labels(tuple(value.tolist()))


def _are_scales(value: Any) -> bool:
    """Whether a value maps terms, as pairs of column and category, to their spread."""
    return type(value) is dict and all(
        type(k) is tuple and len(k) == 2 and all(isinstance(i, int) for i in k) and _is_number(v)
        for k, v in value.items()
    )


_NUMBER = _plain("a number", _is_number)
_COUNT = _plain("a whole number of at least 0", _is_count)
_FLAG = _plain("true or false", lambda value: isinstance(value, (bool, np.bool_)))
_TEXT = _plain("text", lambda value: type(value) is str)
_STRUCTURED = _plain(
    "an array with named fields",
    lambda value: type(value) is np.ndarray and value.ndim == 1 and value.dtype.names is not None,
)
_LABEL = _plain("a label: text, a number or a boolean", _is_label)

_CERTIFICATES = _listed(list, "records Certificate", lambda each: type(each) is Certificate)


def _are_figures(value: Any) -> bool:
    """Whether a dict has the figures that reports show: error, interval, how, training rows."""
    if type(value) is not dict or not all(type(key) is str for key in value):
        return False
    low_high = value.get("interval")
    return (
        type(low_high) is list
        and len(low_high) == 2
        and all(_is_number(each) for each in (value.get("error"), *low_high))
        and all(type(value.get(key)) is str for key in ("how", "training_rows"))
    )


def _are_decimals(value: Any) -> bool:
    """Whether a dict says of columns whether they were read with decimal points or commas."""
    return type(value) is dict and all(
        type(key) is str and mark in (".", ",") for key, mark in value.items()
    )


# What `fit` sets: attributes of the most common kinds, and the others one by one.
_BY_KIND = {
    _FLAG: ("allow_nan_ consistent_ multi_class_ proved_ separable_"),
    _NUMBER: ("best_fitness_ bound_ error_ error_bound_ gap_ objective_ search_bound_"),
    _array("i", None): ("best_genome_ holdout_indices_ outliers_"),
    _COUNT: (
        "n_bytes_gathered_ n_distinct_ n_evaluations_ n_features_bound_ n_features_in_ "
        "n_features_to_select_ n_features_used_ n_iter_ n_pairs_ n_planes_ n_programs_ n_reads_ "
        "n_relaxations_ n_restarts_ n_skipped_"
    ),
    _record(Tree): ("rounded_tree_ tree_ unpruned_tree_"),
    _CERTIFICATES: "_certificates certificates_",
    _optional(_NUMBER): "_strength confidence_ fidelity_",
    _array("f", "columns"): "discriminant_power_ weights_",
    _array("f", None): "errors_ prices_",
    _array("i", None, below="columns"): "features_ order_",
    _STRUCTURED: "front_ history_",
    _record(Planes): "pair_ planes_",
    _array("f", "columns", finite=False): "root_gains_ spread_",
    _TEXT: "found_by_ status_ topology_",
}
_OTHERS = {
    "_scales": _plain("a dict from (column, category) to a number", _are_scales),
    "_terms": _record(Terms),
    "arithmetic_": _word(*CORES),
    "baselines_": _array("f", "classes", finite=False),
    "branch_codes_": _array("i", "branches", below="classes"),
    "centroids_": _array("f", "classes", None),
    "class_order_": _array("i", "classes", below="classes"),
    "classes_": Kind("an array of different labels", _are_classes),
    "coef_": _array("f", "planes", "terms"),
    "columns_": _listed(tuple, "records Column", lambda each: type(each) is Column),
    "costs_": _array("f", "classes", "classes"),
    "criterion_": _word(*CRITERIA),
    "curve_": _record(ProbabilityCurve),
    "decimals_": _plain("a dict from columns to decimal marks", _are_decimals),
    "dropped_pairs_": _array("i", None, 2),
    "edits_": _listed(list, "sentences", lambda each: type(each) is str),
    "estimator_": _plain("a fitted estimator", _is_estimator),
    "feature_classes_": _array("UObiuf", None),
    "feature_names_in_": _array("UObiuf", "columns"),
    "free_terms_": _array("b", "terms"),
    "grading_": _optional(_word("leaf", "soft")),
    "inside_": _LABEL,
    "intercept_": _array("f", "planes"),
    "locked_": _array("i", None),
    "path_": _listed(list, "records PathStep", lambda each: type(each) is PathStep),
    "ranges_": _record(ColumnRanges),
    "ranking_": _array("i", "columns"),
    "sample_codes_": _array("i", None, below="classes"),
    "samples_": _array("f", None, None),
    "scale_": _array("f", "terms"),
    "scores_": _either(_array("f", "columns"), _counted("numbers", _is_number)),
    "smoothing_": _optional(_word("laplace")),
    "subsets_": _counted(
        "arrays of whole numbers", lambda value: _array("i", None).holds(value, {})
    ),
    "support_": _array("b", "columns"),
    "thresholds_": _listed(tuple, "numbers", _is_number),
    "trees_": _listed(list, "fitted trees", _is_estimator),
    "validation_": _plain("a dict of figures on unseen rows", _are_figures),
}

_COMMON = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
FITTED: dict[str, Kind] = dict(sorted((_COMMON | _OTHERS).items()))

_WHOLE = _array("i", None)
_BRANCH = _plain("a whole number of at least -1", lambda value: type(value) is int and value >= -1)

RECORD_FIELDS: dict[type, dict[str, Kind]] = {
    Column: {
        "name": _TEXT,
        "categories": _optional(_plain("a tuple of different labels", _are_labels)),
        "fill": _optional(_plain("a finite number", _is_finite)),
    },
    ColumnRanges: {
        "low": _array("f", "columns", finite=False),
        "high": _array("f", "columns", finite=False),
        "deviation": _array("f", "columns", finite=False),
        "whole": _array("b", "columns"),
        "missing": _array("f", "columns"),
    },
    Terms: {"columns": _array("i", None, below="columns"), "categories": _WHOLE},
    Planes: {
        "weights": _array("f", None, None),
        "offsets": _array("f", None),
        "rule": _TEXT,
        "columns": _array("i", None),
        "categories": _WHOLE,
        "spread": _NUMBER,
        "unknown": _BRANCH,
    },
    ProbabilityCurve: {"spread": _NUMBER, "purity": _NUMBER},
    Categories: {"column": _COUNT, "branches": _WHOLE, "unknown": _BRANCH},
    AxisSplits: {
        "columns": _WHOLE,
        "thresholds": _array("f", None, finite=False),
        "n_mapped": _WHOLE,
        "branches": _WHOLE,
    },
    Tree: {
        "splits": _plain(
            "a list or tuple of decisions and nulls, or a record AxisSplits",
            lambda value: type(value) in (list, tuple, AxisSplits),
        ),
        "n_branches": _WHOLE,
        "children": _WHOLE,
        "class_weights": _array("f", None, "classes"),
        "predicted": _array("i", None, below="classes"),
        "weights": _array("f", None),
        "errors": _array("f", None),
        "leaf_probabilities": _optional(_array("f", None, "classes")),
    },
    PathStep: {
        "size_price": _NUMBER,
        "entropy": _NUMBER,
        "n_terms": _COUNT,
        "n_leaves": _COUNT,
        "tree": _record(Tree),
    },
    Certificate: {
        "kind": _TEXT,
        "objective": _NUMBER,
        "bound": _NUMBER,
        "gap": _NUMBER,
        "status": _TEXT,
        "moved": _optional(_listed(tuple, "numbers", _is_number)),
    },
}
RECORDS = {kind.__name__: kind for kind in RECORD_FIELDS}
