"""SET-GEN: simpler trees by genetic search over subsets of features (Cherkauer & Shavlik 1996).

C4.5 reads only some features; which ones is searched for. A subset is as good as the trees of a
ten-fold cross-validation within the training rows are accurate and small, and as it is small:

    fitness = 3/4 A + 1/4 (1 - (S + F)/2)

with A the average accuracy on the rows left out, S the average number of nodes divided by the
number of rows the trees were grown from, F the share of the features that are in the subset. The
pruning level is chosen before the search, among 5%, 15%, ..., 95%, as C4.5 alone would choose
it. The published search answers with the tree of all rows on the fittest subset. By default the
answer is rather one that is as accurate as all features on folds that the search has not seen, the
most accurate but for near ties (`GeneticSearch.choose`).

- the answer is the same for any number of jobs, with any cache, and after any interruption;
- no subset of more than `max_features` features is searched; the finish compares with all features.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack, closing
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.tree import BaseDecisionTree, export_text
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock, warn_of_time_limit
from planetree.feature_selection.genetic.checkpoint import (
    Checkpoint,
    classifier_settings,
    digest_of,
)
from planetree.feature_selection.genetic.genetic_search import GeneticSearch, SearchRules
from planetree.feature_selection.genetic.subset_trees import (
    C45Subsets,
    ClassifierSubsets,
    OutcomesAhead,
    SubsetTrees,
    read_folds,
)
from planetree.feature_selection.selector import Selector
from planetree.parameters import (
    Allowed,
    choice,
    classifier,
    count,
    either,
    flag,
    number,
    optional,
    parameter,
)
from planetree.progress import CallbackSupport, show_progress, tell_callbacks, with_callbacks
from planetree.separators.base import Documented
from planetree.table import Table, Training, all_or_nothing, read_rows, read_training
from planetree.table.partitions import deal_folds
from planetree.tree import C45Classifier
from planetree.words import printable

_N_FRESH = 10  # divisions into folds: the rule was chosen on 16 other data sets than the paper's
_LARGEST_SEED = 2**31 - 1  # of what RandomState draws anywhere


def _is_pair_of_weights(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(number(0).holds, value))


_FITNESS = Allowed("two weights from 0 on, of accuracy and of simplicity", _is_pair_of_weights)
_SPLITTER = Allowed("a splitter, splits or None", lambda cv: not isinstance(cv, str | Real))
_CV = either(count(2), _SPLITTER)


@dataclass(eq=False, repr=False)
class GeneticSelector(Selector, CallbackSupport, ClassifierMixin, Documented):
    """SET-GEN: the features with which C4.5 grows trees that are accurate, small and few-featured.

    Parameters
    ----------
    tree : classifier, optional
        By default `C45Classifier()`. Any scikit-learn classifier works; those not from planetree
        get numbers only, with a category as its code.
    n_evaluations : int
        How many subsets the search tries; a repeated subset counts again, but costs nothing.
    population_size : int
    genome_size : int, optional
        By default the number of features. A smaller genome gives smaller subsets.
    crossover_rate, mutation_rate : float
        Share of the entries that come from the second parent, and share that are filled again.
    cv : int, splitter or iterable
        Folds of the cross-validation that evaluates a subset.
    fitness : pair of floats
        Weights of accuracy and of simplicity.
    random_state : int, RandomState or None
    n_jobs : int, optional
        How many folds are grown at the same time: in threads for C4.5, otherwise by joblib.
    checkpoint : path, optional
        File that is written every few seconds; if it exists, the search resumes from it.
    time_limit : float, optional
        Seconds after which the search ends with the best subset so far. If none was evaluated, this
        is the set of all features, with a fitness of NaN.
    finish : {"fresh_folds", "published"}
        Which subset is the answer. "published": the fittest, as in the paper; as the luckiest of
        thousands on the same folds, it costs some accuracy. "fresh_folds": the best subsets are
        judged again on ten other divisions into folds, and the answer is one that is as accurate
        there as all features: the most accurate, unless one nearly as accurate is much simpler. A
        search that is cut short, or whose `cv` is not a number, ends as published.
    confidence : float or "cv"
        The confidence with which C4.5 prunes, instead of that of `tree`; "cv" chooses it first.
    size : callable, optional
        Size of a fitted classifier; by default its number of nodes.
    max_features : int, optional
        Maximum number of features in a subset.
    multi_objective : bool
        Keep a population that spreads over the front of accuracy, size and features, instead of the
        fittest.
    memory : float
        Megabytes for gains that other subsets may need again; 0 keeps none.
    verbose : int
        0 shows progress only on a terminal, 1 everywhere, -1 nowhere.
    genome : {"features", "bits"}
        Entries that can be any feature, with repeats, as in the paper; or one indicator for each
        feature, the traditional genome that the paper compares with.
    crossover : {"uniform", "one_point"}
        A share of the entries from the second parent, as in the paper; or all entries beyond a
        random place, which the paper mentions but does not try. `crossover_rate` is for the first.

    Attributes
    ----------
    support_ : boolean array of shape (n_features,)
        The features of the subset that `finish` chooses.
    best_genome_ : array of shape (genome_size,)
        Its genome: numbers of features, -1 where empty.
    best_fitness_ : float
        Its fitness on the folds of the search.
    estimator_ : classifier
        Fitted to all rows with the selected features; it makes the predictions.
    confidence_ : float or None
        The confidence with which C4.5 pruned.
    history_ : structured array, one entry an evaluation
        For each subset, in the order of the search: `evaluation`, `fitness`, `accuracy`, `size`,
        `features`.
    front_ : structured array
        Every subset that no other beats in accuracy, size and features together, with `fitness`
        and `support`.
    n_evaluations_, n_distinct_ : int
        Subsets tried, and how many of them differ.
    status_ : {"complete", "time_limit", "interrupted", "stopped"}
        How the search ended; a callback can stop it.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import GeneticSelector
    >>> data = load_breast_cancer(as_frame=True)
    >>> X, y = data.data.iloc[:, :10], data.target_names[data.target]
    >>> short = GeneticSelector(
    ...     n_evaluations=200, population_size=20, finish="published", random_state=0
    ... )
    >>> model = short.fit(X, y)
    >>> model.get_feature_names_out().tolist()
    ['mean area', 'mean concavity']
    >>> print(model.to_text())
    mean area <= 693.7 :
    |   mean concavity <= 0.09293 : benign (325.0/12.9)
    |   mean concavity > 0.09293 :
    |   |   mean area <= 349.6 : benign (8.0/1.3)
    |   |   mean area > 349.6 :
    |   |   |   mean concavity <= 0.117 : benign (29.0/13.4)
    |   |   |   mean concavity > 0.117 : malignant (35.0/8.2)
    mean area > 693.7 : malignant (172.0/12.9)
    """

    tree: Any = parameter(None, optional(classifier()))
    _: KW_ONLY
    n_evaluations: int = parameter(5000, count())
    population_size: int = parameter(100, count())
    genome_size: int | None = parameter(None, optional(count()))
    crossover_rate: float = parameter(0.1, number(0, 1))
    mutation_rate: float = parameter(0.1, number(0, 1))
    cv: Any = parameter(10, _CV)
    fitness: tuple[float, float] = parameter((0.75, 0.25), _FITNESS)
    random_state: Any = None
    n_jobs: int | None = None
    checkpoint: Any = None
    time_limit: float | None = parameter(None, optional(number(0)))
    finish: str = parameter("fresh_folds", choice("fresh_folds", "published"))
    confidence: float | str = parameter("cv", either(choice("cv"), number(above=0, most=1)))
    size: Any = parameter(None, optional(Allowed("a function of a fitted classifier", callable)))
    max_features: int | None = parameter(None, optional(count()))
    multi_objective: bool = parameter(False, flag())
    memory: float = parameter(256.0, number(0))
    verbose: int = 0
    genome: str = parameter("features", choice("features", "bits"))
    crossover: str = parameter("uniform", choice("uniform", "one_point"))

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GeneticSelector:
        """Search for the fittest subset and fit the tree to it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        training = read_training(self, X, y, sample_weight, missing=True, min_classes=1)
        folds = read_folds(self.cv, training, self.classes_)
        checkpoint = self._open_checkpoint(training, folds)
        seed, known = checkpoint.load() if checkpoint else (None, [])
        if seed is None:
            seed = int(check_random_state(self.random_state).randint(_LARGEST_SEED))
        if checkpoint:
            checkpoint.save(seed, known)
        n_rows = float(training.weights.sum()) * (1.0 - 1.0 / (folds.max() + 1))
        with closing(self._subset_trees(training, folds, seed, clock)) as trees:
            if trees.fell_back:  # what is found now is not what a longer run would find
                checkpoint, known = None, []
            outcomes = OutcomesAhead(trees)
            search = GeneticSearch(self._rules(), outcomes, n_rows, seed, known)
            outcomes.foresee = partial(search.foreseen, int(self.n_evaluations))
            self.status_: str = self._run(search, seed, checkpoint, clock)
            best = self._answer(search, trees, training)
            self.best_genome_, self.best_fitness_ = best.genome, best.fitness
            self.support_, self.estimator_ = best.chosen, trees.fit(best.chosen)
            self.confidence_: float | None = trees.confidence
            self.history_, self.front_ = search.history(), search.front()
            self.n_evaluations_, self.n_distinct_ = search.n_evaluations, len(search.subsets)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, by the tree."""
        rows = self._selected(X)
        return self.estimator_.predict(rows)

    @available_if(lambda self: hasattr(self._tree(), "predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Share of each class, by the tree."""
        rows = self._selected(X)
        return self.estimator_.predict_proba(rows)

    @available_if(
        lambda self: hasattr(self._tree(), "to_text") or isinstance(self._tree(), BaseDecisionTree)
    )
    def to_text(self) -> str:
        """The tree in words, of the selected columns."""
        check_is_fitted(self, "estimator_")
        if hasattr(self.estimator_, "to_text"):
            return str(self.estimator_.to_text())
        names = [printable(name) for name in self.get_feature_names_out()]
        return str(export_text(self.estimator_, feature_names=names)).rstrip()

    def _selected(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        rows = read_rows(self, X, missing=True)
        table = Table(rows, self.columns_).of_columns(self.get_support(indices=True))
        return table if hasattr(self.estimator_, "columns_") else table.values

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self, "support_")
        return self.support_

    def _tree(self) -> Any:
        return self.estimator_ if hasattr(self, "estimator_") else self._unfitted_tree()

    def _unfitted_tree(self) -> Any:
        return C45Classifier() if self.tree is None else self.tree

    def _rules(self) -> SearchRules:
        n = self.n_features_in_
        if self.genome == "bits" and self.genome_size not in (None, n):
            raise ValueError(
                f"A genome of bits has one entry for each of {n} features, but genome_size is "
                f"{self.genome_size!r}. Leave it out, or use genome='features'."
            )
        own = {name: getattr(self, name) for name in SearchRules._fields if name != "n_features"}
        return SearchRules(n, **own | {"genome_size": self.genome_size or n})

    def _open_checkpoint(self, training: Training, folds: Indices) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        settings = {
            "tree": classifier_settings(self._unfitted_tree()),
            "confidence": self.confidence,
            "size": getattr(self.size, "__qualname__", repr(self.size)),
            **self._rules()._asdict(),
        }
        if isinstance(self.random_state, Integral):
            settings["random_state"] = int(self.random_state)
        return Checkpoint(self.checkpoint, digest_of(training, self.classes_, folds), settings)

    def _subset_trees(
        self, training: Training, folds: Indices, seed: int, clock: Clock
    ) -> SubsetTrees:
        tree = self._unfitted_tree()
        if type(tree) is C45Classifier and self.size is None:
            own = self.confidence, self.n_jobs, self.memory
            return C45Subsets(tree, training, self.classes_, folds, *own, clock)
        others = self.size, self.n_jobs, seed
        return ClassifierSubsets(tree, training, self.classes_, folds, *others, clock)

    def _run(
        self, search: GeneticSearch, seed: int, checkpoint: Checkpoint | None, clock: Clock
    ) -> str:
        """Search until the end, whichever it is."""
        total = int(self.n_evaluations)
        with ExitStack() as stack:
            tell = stack.enter_context(tell_callbacks(self, "evaluation", total))
            verbose = self.verbose if tell is None else -1
            show = stack.enter_context(show_progress("GeneticSelector", total, verbose))
            if checkpoint:
                stack.callback(lambda: checkpoint.save(seed, search.outcomes))
            try:
                status = None
                while status is None:
                    search.step()
                    show(search.n_evaluations, f"fitness {search.best_fitness:.4f}")
                    if checkpoint and checkpoint.is_due:
                        checkpoint.save(seed, search.outcomes)
                    status = self._ended(search, clock, tell)
            except KeyboardInterrupt:
                if search.best is None:
                    raise
                status = "interrupted"
                _warn_of_interruption(search.n_evaluations, total)
            except TimeoutError:
                status = "time_limit"
        if status == "time_limit":
            taken = f"the best subset of {search.n_evaluations} of {total} evaluations is used"
            if search.best is None:
                search.best = search.all_features()
                taken = "no subset was judged, so features are kept as they are, up to max_features"
            warn_of_time_limit(taken, stacklevel=5)
        return status

    def _ended(self, search: GeneticSearch, clock: Clock, tell: Any) -> str | None:
        """Why the search is over, unless it goes on."""
        stopped = tell is not None and tell()
        if search.n_evaluations >= self.n_evaluations:
            return "complete"
        if stopped:
            return "stopped"
        return "time_limit" if clock.is_over else None

    def _answer(self, search: GeneticSearch, trees: SubsetTrees, training: Training) -> Any:
        """The subset that `finish` takes; the fittest if there is no time for another."""
        is_number = isinstance(self.cv, Integral)
        if self.finish == "published" or self.status_ != "complete" or not is_number:
            return search.best
        values, codes = training.table.values, training.codes
        with ExitStack() as stack:
            fresh = [
                stack.enter_context(
                    closing(trees.on_folds(deal_folds(values, codes, self.cv, seed)))
                )
                for seed in range(1, _N_FRESH + 1)
            ]

            def accuracy_of(chosen: Mask) -> float:
                return sum(each.evaluate(chosen).accuracy for each in fresh) / _N_FRESH

            try:
                return search.choose(accuracy_of)
            except TimeoutError:
                self.status_ = "time_limit"
                warn_of_time_limit("the fittest subset is used, not judged again", stacklevel=5)
            except KeyboardInterrupt:
                self.status_ = "interrupted"
                _warn_of_interruption(search.n_evaluations, self.n_evaluations)
            return search.best

    def __sklearn_tags__(self) -> Tags:
        """Take missing values where the tree does."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._tree()).input_tags.allow_nan
        return tags


def _warn_of_interruption(done: int, total: int) -> None:
    """Warn that the search did not come to its end."""
    warnings.warn(
        f"Interrupted after {done} of {total} evaluations: the best subset so far is used.",
        UserWarning,
        stacklevel=6,
    )
