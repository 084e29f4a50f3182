"""The methods, by the names that a user types: one list, read by every command.

A method names its class. `options` says which parameter takes --max-features and --max-splits;
seeds, jobs, class weights and time limits go to parameters of their own names, where a class has
them.
"""

import difflib
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple

from planetree.exceptions import MethodError

DEFAULT_METHOD = "sparse-planes"
METRICS = {  # how `compare` may order methods: the figure, and whether less of it is better
    "error": True,
    "auc": False,
    "average-precision": False,
    "log-loss": True,
    "brier": True,
    "recall": False,
    "precision": False,
}
PEER_METHODS = ("sklearn-tree", "sklearn-logistic")  # to compare with

_FOR_ALL = ("random_state", "n_jobs", "time_limit", "missing")  # whether or not there is one

_OPTION = {  # how the command calls what is called otherwise here
    "costs": "--cost",
    "required_features": "--require",
    "excluded_features": "--forbid",
    "monotonic_cst": "--increasing or --decreasing",
    "feature_costs": "--feature-cost",
}

_Purpose = Literal["classifies", "selects", "ranks"]


class Settings(NamedTuple):
    """What was asked of a method; None where nothing was."""

    max_features: int | None = None
    max_splits: int | None = None
    class_weight: Any = None
    random_state: int | None = None
    n_jobs: int | None = None
    time_limit: float | None = None
    grading: str | None = None  # "none" for hard decisions
    teacher: str | None = None  # "forest" or "boosting"
    missing: str | None = None  # "impute", for the methods that need every value
    size: Any = None
    costs: Any = None
    required_features: Any = None
    excluded_features: Any = None
    monotonic_cst: Any = None
    feature_costs: Any = None


class Method(NamedTuple):
    """A way to learn.

    Parameters
    ----------
    name : str
    home : str
        Name of the class in planetree.
    line : str
        What it gives, in a line.
    options : mapping
        Parameters that are called otherwise than in `Settings`.
    fixed : mapping
        Parameters that differ from their defaults; a class is named by text.
    classifies, selects, ranks : bool
        Whether it can predict, whether it chooses columns, and whether it gives each a weight.
    """

    name: str
    home: str
    line: str
    options: Mapping[str, str] = {}
    fixed: Mapping[str, Any] = {}
    classifies: bool = True
    selects: bool = False
    ranks: bool = False

    def make(self, settings: Settings) -> Any:
        """An estimator with these settings; refuse one that it cannot follow."""
        library = import_module("planetree")  # loads a class when it is asked for
        fixed = {
            key: getattr(library, value)() if str(value)[0].isupper() else value
            for key, value in self.fixed.items()
        }
        estimator = getattr(library, self.home)(**fixed)
        known = estimator.get_params(deep=False)
        wanted = {}
        for name, value in settings._asdict().items():
            parameter = self.options.get(name, name)
            if parameter in known:
                given = value if value is not None else known[parameter]
                given = None if given == "none" else given
                wanted[parameter] = _teacher(value) if name == "teacher" else given
            elif value is not None and name not in _FOR_ALL:
                option = _OPTION.get(name, f"--{name.replace('_', '-')}")
                raise MethodError(f"Method {self.name} has no {option}.")
        return estimator.set_params(**wanted)


def _teacher(name: str | None) -> Any:
    """The teacher of a name, not fitted."""
    if name is None:
        return None
    ensemble = import_module("sklearn.ensemble")
    if name == "forest":
        return ensemble.RandomForestClassifier(300, min_samples_leaf=2, random_state=0)
    return ensemble.HistGradientBoostingClassifier(random_state=0)


_TREE = {"max_features": "max_features_total"}

_METHODS = (
    Method(
        "sparse-planes",
        "PlaneTreeClassifier",
        "the readable tree: few decisions, few features in each",
        _TREE,
        selects=True,
    ),
    Method("planes", "SeparatorTreeClassifier", "a tree of planes"),
    Method(
        "minimized-planes",
        "SeparatorTreeClassifier",
        "a tree of planes, each with the fewest features",
        _TREE,
        {"separator": "SparseSeparator"},
        selects=True,
    ),
    Method("c45", "C45Classifier", "C4.5: one column at a decision"),
    Method(
        "set-gen",
        "GeneticSelector",
        "C4.5 on the columns that a genetic search finds best",
        selects=True,
    ),
    Method("holdout", "HoldoutTreeClassifier", "the tree of the discriminant-power paper"),
    Method("plane", "RobustSeparator", "one plane, with the least average violation", ranks=True),
    Method(
        "sparse-plane",
        "SparseSeparator",
        "one plane with the fewest features",
        {"max_features": "n_features"},
        selects=True,
    ),
    Method("quadratic-plane", "QuadraticSeparator", "one plane, with the least squared violations"),
    Method("two-planes", "BilinearSeparator", "two planes at once, for two classes"),
    Method(
        "multisurface",
        "MultisurfaceClassifier",
        "pairs of parallel planes, for two classes",
        {"max_splits": "max_pairs"},
        {"conflicts": "majority"},
    ),
    Method("max-norm", "MaxNormSeparator", "the plane with the least largest errors, two classes"),
    Method(
        "fewest-errors",
        "MisclassificationSeparator",
        "the plane with the fewest training errors, two classes",
    ),
    Method("grinold", "GrinoldSeparator", "the plane whose worst row is best, two classes"),
    Method(
        "centroid",
        "CentroidSelector",
        "features that put every row nearest the centroid of its class",
        selects=True,
        ranks=True,
    ),
    Method(
        "pairwise",
        "PairwiseSelector",
        "features that put rows of a class nearer than others",
        selects=True,
        ranks=True,
    ),
    Method(
        "biclustering",
        "BiclusteringSelector",
        "features that are high in one class each",
        selects=True,
    ),
    Method(
        "discriminant-power",
        "DiscriminantPowerSelector",
        "features whose splits lower the error on held-out rows",
        {"max_features": "n_features_to_select"},
        {"repeats": 10},
        classifies=False,
        selects=True,
        ranks=True,
    ),
    Method(
        "floating",
        "FloatingSelector",
        "features found by steps forward and back, for C4.5",
        {"max_features": "n_features_to_select"},
        {"estimator": "C45Classifier", "method": "floating"},
        classifies=False,
        selects=True,
    ),
)


def methods(purpose: _Purpose = "classifies") -> dict[str, Method]:
    """Methods by name: to classify, or to select or rank columns."""
    return {each.name: each for each in _METHODS if getattr(each, purpose)}


def method_named(name: str, purpose: _Purpose = "classifies") -> Method:
    """The method of a name; refuse another, with what is nearest."""
    known = methods(purpose)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise MethodError(
            f"There is no method {name!r} that {purpose}; {hint}Methods: {', '.join(known)}."
        )
    return known[name]


def chosen_methods(names: Sequence[str] | None) -> list[Method | str]:
    """Methods of these names, or all of ours and those of scikit-learn."""
    if not names:
        return [*methods().values(), *PEER_METHODS]
    return [name if name in PEER_METHODS else method_named(name) for name in dict.fromkeys(names)]


def parse_class_weight(text: str | None, labels: Any) -> Any:
    """`balanced`, or weights such as `yes=5,no=1`, as scikit-learn takes them."""
    if text is None or text == "balanced":
        return text
    classes = {str(label): label for label in dict.fromkeys(labels.tolist())}
    weights = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if name.strip() not in classes:
            raise MethodError(
                f"--class-weight is `balanced` or weights such as yes=5,no=1; {part!r} names none "
                f"of the classes {', '.join(sorted(classes)[:8])}."
            )
        if not _is_number(number):
            raise MethodError(f"--class-weight: {number!r} is not a number.")
        weights[classes[name.strip()]] = float(number)
    return weights


def _parse_costs(texts: Sequence[str], labels: Any) -> list[list[float]] | None:
    """Costs such as `sick as well=5`, what it costs to take a class for another, as a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.evaluation.methods import _parse_costs
    >>> _parse_costs(["sick as well=5"], np.array(["well", "sick"]))
    [[0.0, 5.0], [1.0, 0.0]]
    """
    if not texts:
        return None
    classes = sorted(dict.fromkeys(labels.tolist()))
    names = [str(label) for label in classes]
    matrix = [[float(i != j) for j in range(len(names))] for i in range(len(names))]
    pairs = {f"{a} as {b}": (i, j) for i, a in enumerate(names) for j, b in enumerate(names)}
    for text in texts:
        pair, _, number = text.rpartition("=")
        if pair.strip() not in pairs or not _is_number(number):
            raise MethodError(
                f"--cost is the cost of predicting one class as another, such as "
                f"{names[0]} as {names[-1]}=5, not {text!r}. Classes: {', '.join(names[:8])}."
            )
        i, j = pairs[pair.strip()]
        matrix[i][j] = float(number)
    return matrix


def wished_settings(
    labels: Any,
    *,
    size: str | None = None,
    required: Sequence[str] | None = None,
    excluded: Sequence[str] | None = None,
    increasing: Sequence[str] | None = None,
    decreasing: Sequence[str] | None = None,
    share_of: Sequence[str] | None = None,
    feature_costs: Mapping[str, float] | None = None,
    costs: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What a person wishes of the readable tree, as fields of `Settings`; None for no wish."""
    signs: dict[str, Any] = dict.fromkeys(increasing or (), 1)
    signs |= dict.fromkeys(decreasing or (), -1)
    if signs and (share_of or len(set(labels.tolist())) > 2):
        classes = _classes_named(share_of or (), labels)
        signs = {column: (sign, classes) for column, sign in signs.items()}
    return {
        "size": float(size) if size is not None and _is_number(size) else size,
        "costs": _parse_costs(costs or (), labels),
        "required_features": list(required) if required else None,
        "excluded_features": list(excluded) if excluded else None,
        "monotonic_cst": signs or None,
        "feature_costs": dict(feature_costs) if feature_costs else None,
    }


def _classes_named(names: Sequence[str], labels: Any) -> list[Any]:
    """Classes by their names in text."""
    known = {str(label): label for label in sorted(dict.fromkeys(labels.tolist()))}
    wrong = [name for name in names if name not in known]
    if wrong or not names:
        why = f"With {len(known)} classes, --increasing and --decreasing need --share-of CLASS."
        why = f"--share-of names {wrong[0]!r}." if wrong else why
        raise MethodError(f"{why} Classes: {', '.join(list(known)[:8])}.")
    return [known[name] for name in names]


def parse_feature_costs(texts: Sequence[str]) -> dict[str, float] | None:
    """Costs of columns, such as `mri=3`."""
    found = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if not name or not _is_number(number):
            raise MethodError(
                f"--feature-cost is a column and its cost, such as mri=3, not {text!r}."
            )
        found[name] = float(number)
    return found or None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
