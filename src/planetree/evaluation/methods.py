"""The methods, by the names that a user types: one list, read by every command.

A method names its class; one that this installation does not have is not offered. `options` says
which parameter takes --max-features and --max-splits; seeds, jobs, class weights and time limits
go to parameters of their own names, where a class has them.
"""

import difflib
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from planetree.exceptions import MethodError

__all__ = [
    "DEFAULT_METHOD",
    "PEER_METHODS",
    "Method",
    "Settings",
    "chosen_methods",
    "method_named",
    "method_names",
    "parse_class_weight",
]

DEFAULT_METHOD = "sparse-planes"
PEER_METHODS = ("sklearn-tree", "sklearn-logistic")  # to compare with


def _library() -> Any:
    """The public names of planetree, each of which is imported when it is asked for."""
    return import_module("planetree")


_REFUSED = ("max_features", "max_splits", "class_weight", "grading")  # where there is none


class Settings(NamedTuple):
    """What was asked of a method; None where nothing was."""

    max_features: int | None = None
    max_splits: int | None = None
    class_weight: Any = None
    random_state: int | None = None
    n_jobs: int | None = None
    time_limit: float | None = None
    grading: str | None = None  # "none" for hard decisions


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
        Parameter for each of "max_features" and "max_splits" that there is one for.
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

    @property
    def is_there(self) -> bool:
        """Whether this installation has it."""
        return self.home in _library().__all__

    def make(self, settings: Settings) -> Any:
        """An estimator with these settings; refuse one that it cannot follow."""
        fixed = {
            key: getattr(_library(), value)()
            if isinstance(value, str) and value[0].isupper()
            else value
            for key, value in self.fixed.items()
        }
        estimator = getattr(_library(), self.home)(**fixed)
        known = estimator.get_params(deep=False)
        wanted = {}
        for name, value in settings._asdict().items():
            parameter = self.options.get(name, name)
            if parameter in known:
                given = value if value is not None else known[parameter]
                wanted[parameter] = None if given == "none" else given
            elif value is not None and name in _REFUSED:
                raise MethodError(f"Method {self.name} has no --{name.replace('_', '-')}.")
        return estimator.set_params(**wanted)


_TREE = {"max_splits": "max_splits", "max_features": "max_features_total"}

_METHODS = (
    Method(
        "sparse-planes",
        "PlaneTreeClassifier",
        "the readable tree: few decisions, few features in each",
        _TREE,
        selects=True,
    ),
    Method("planes", "SeparatorTreeClassifier", "a tree of planes", {"max_splits": "max_splits"}),
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
        {"max_features": "max_features"},
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
    Method("grinold", "GrinoldSeparator", "the plane whose worst row is best, two classes"),
    Method(
        "centroid",
        "CentroidSelector",
        "features that put every row nearest the centroid of its class",
        {"max_features": "max_features"},
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
        "features whose splits lower the error on rows held out",
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


def _methods(*, selects: bool = False, ranks: bool = False) -> list[Method]:
    """Methods that this installation has: to classify, or to select or rank columns."""
    what = "ranks" if ranks else "selects" if selects else "classifies"
    return [each for each in _METHODS if each.is_there and getattr(each, what)]


def method_names(*, selects: bool = False, ranks: bool = False) -> str:
    """Names of the methods that this installation has, in a line."""
    return ", ".join(each.name for each in _methods(selects=selects, ranks=ranks))


def method_named(name: str, *, selects: bool = False, ranks: bool = False) -> Method:
    """The method of a name; refuse another, with what is nearest."""
    known = {each.name: each for each in _methods(selects=selects, ranks=ranks)}
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        purpose = "to rank by" if ranks else "to select by" if selects else "to learn by"
        raise MethodError(
            f"There is no method {name!r} {purpose}; {hint}Methods: {', '.join(known)}."
        )
    return known[name]


def chosen_methods(names: Sequence[str] | None) -> list[Method | str]:
    """Methods of these names, or all of ours and those of scikit-learn."""
    if not names:
        return [*_methods(), *PEER_METHODS]
    return [name if name in PEER_METHODS else method_named(name) for name in dict.fromkeys(names)]


def parse_class_weight(text: str | None, labels: Any) -> Any:
    """`balanced`, or weights such as `yes=5,no=1`, as scikit-learn takes them."""
    if text is None or text == "balanced":
        return text
    classes = {str(label): label for label in dict.fromkeys(labels.tolist())}
    weights = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or name.strip() not in classes:
            raise MethodError(
                f"--class-weight is `balanced` or weights such as yes=5,no=1; {part!r} names none "
                f"of the classes {', '.join(sorted(classes)[:8])}."
            )
        try:
            weights[classes[name.strip()]] = float(number)
        except ValueError:
            raise MethodError(f"--class-weight: {number!r} is no number.") from None
    return weights
