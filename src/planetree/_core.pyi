"""The compiled core of planetree."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

def best_cuts(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_classes: int,
    least: float,
    gini: bool = False,
    time_limit: float | None = None,
) -> tuple:
    """
    Threshold of the best cut of each column, and the impurity that it leaves, times weight: entropy in nats, or Gini's index.
    """

def column_moments(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bits: int | None = None,
) -> tuple:
    """
    Weighted mean and standard deviation of each column, rounded to some bits.
    """

def column_ranges(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple:
    """
    Least and largest numbers, deviations, which columns are whole (1 or 0), and the shares that are missing.
    """

def group_sums(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    group: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    groups: int,
) -> tuple:
    """
    Sums of weight times row by group, and of the weights, as two doubles, and bounds on their errors; a row of group -1 counts nowhere.
    """

def class_totals(
    classes: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_classes: int,
) -> NDArray[numpy.float64]:
    """Weight of each class, rounded once."""

def class_ranks(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    totals: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    center: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scale: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> NDArray[numpy.int64]:
    """Place of each class by its weight, then by its means."""

def merged_rows(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_classes: int,
    n_categories: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    parts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    keep_columns: bool = False,
) -> tuple:
    """
    Equal rows of a class as one, by the hashes of their cells: a row of the table that each is, which of these each row is, their weights and hashes; and the columns in canonical order with the powers of two that bring each column of the table below 1.
    """

def take_columns(
    x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", writable=False)],
    columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", writable=False)],
) -> Annotated[NDArray[numpy.float64], dict()]:
    """Some columns, as a copy."""

def use_threads(count: int) -> int:
    """
    How many threads passes over rows use from now on in this thread; gives the number before. What they find does not depend on it.
    """

def scaled_cells(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    exponents: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    columns: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> NDArray[numpy.float64]:
    """
    Cells of some rows, their columns in an order and divided by powers of two.
    """

def plane_scores(
    x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    columns: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    categories: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> NDArray[numpy.float64]:
    """Scores of rows for planes, terms added in their order."""

def prove_hinge_bound(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    charges: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)
    ],
    duals: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    planes: int,
    rise: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    fall: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    time_limit: float | None = None,
    groups: tuple | None = None,
) -> float:
    """
    A bound of the program of hinge/certificate.hpp that holds in exact arithmetic. Groups of rows that are known by their sums: classes, sums as two doubles, their errors, charges and multipliers of a unit of weight.
    """

def value_of_planes(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    charges: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple:
    """
    Error of planes and half their squared violations, rounded up, and their least margin, rounded down.
    """

def prove_feasible(
    columns: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    b: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    lower: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    upper: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    time_limit: float | None = None,
) -> object:
    """
    An exact solution of sum_i x_i columns_i = b in the box, near x: it lies within the third array of the first plus the second; None if none could be proved.
    """

class Certificate:
    """Value of a point and the bound that multipliers prove."""

    @property
    def objective(self) -> float: ...
    @property
    def error(self) -> float:
        """The objective without its prices."""

    @property
    def bound(self) -> float: ...
    @property
    def gap(self) -> float: ...

class HingeAnswer:
    """A point, its multipliers and how it was found."""

    @property
    def z(self) -> NDArray[numpy.float64]: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def status(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def method(self) -> str: ...

class HingeProgram:
    """Rows of classes, prepared for the programs of hinge/program.hpp."""

    def __init__(
        self,
        x: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        class_charge: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        center: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        scale: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        all_blocks: bool = False,
        costs: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
    ) -> None: ...
    def solve(
        self,
        rise: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        fall: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        start: HingeAnswer | None = None,
        features: Sequence[int] | None = None,
        time_limit: float | None = None,
    ) -> HingeAnswer: ...
    def solve_quadratic(
        self,
        l2: float = 0.0,
        start: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        max_steps: int | None = None,
        time_limit: float | None = None,
    ) -> HingeAnswer:
        """The program of quadratic.hpp on the same rows."""

    def certify_quadratic(
        self,
        l2: float,
        z: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unknowns: Sequence[int] | None = None,
        time_limit: float | None = None,
    ) -> Certificate:
        """Value of the program of quadratic.hpp at a point, and a bound."""

    def at(
        self,
        z: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> HingeAnswer:
        """A point to start from that proves nothing."""

    def certify(
        self,
        z: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        duals: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        rise: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        fall: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> Certificate:
        """
        Checks a point and multipliers, as `duals` gives them, in plain arithmetic.
        """

    def pull(self, answer: HingeAnswer) -> NDArray[numpy.float64]:
        """
        What each unknown would gain by the multipliers, features left out too.
        """

    def duals(self, answer: HingeAnswer) -> NDArray[numpy.float64] | None:
        """
        Multiplier of each row against each rival class, in the order of the rows; or None.
        """

    @property
    def blocks(self) -> int: ...
    @property
    def n_rows(self) -> int:
        """How many distinct rows there are."""

class MaxNormAnswer:
    """Weights that tie for the widest pair of planes."""

    @property
    def value(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def separable(self) -> bool: ...
    @property
    def finished(self) -> int:
        """Programs solved to their end."""

    @property
    def skipped(self) -> int:
        """Programs left once they could not win."""

    @property
    def pivots(self) -> int: ...
    @property
    def status(self) -> str: ...
    def planes(self, n: int) -> NDArray[numpy.float64]:
        """Weights of each program that ties for the best."""

def solve_max_norm(
    a: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    b: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    hulls_only: bool = False,
    time_limit: float | None = None,
) -> MaxNormAnswer:
    """
    Widest pair of parallel planes between two sets, by the largest weight.
    """

class NeighborVotes:
    """Rows whose classes their nearest neighbors vote on."""

    def __init__(
        self,
        x: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
        voters: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tests: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_neighbors: float,
        max_kept: int,
    ) -> None: ...
    def with_each(
        self,
        chosen: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        candidates: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> NDArray[numpy.float64]:
        """
        Weight of the test rows that are right with the chosen columns and each candidate.
        """

    def without_each(
        self,
        chosen: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> NDArray[numpy.float64]:
        """
        Weight of the test rows that are right with the chosen columns but each of them.
        """

    @property
    def test_weight(self) -> float: ...

class C45TreeSingle:
    """A tree as the core keeps it."""

class C45TableSingle:
    """A table prepared for C4.5."""

    def __init__(
        self,
        values: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        n_categories: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        classes: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> None: ...
    def grow(
        self,
        rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        min_cases: float,
        gain_ratio: bool,
        subsets: bool,
        time_limit: float | None = None,
    ) -> tuple:
        """The tree, and whether it is complete."""

    def prune(
        self, tree: C45TreeSingle, confidence: float, subsets: bool, time_limit: float | None = None
    ) -> tuple:
        """The tree, and whether it is pruned."""

    def arrays(self, tree: C45TreeSingle) -> dict: ...
    def columns_with_stand_ins(self) -> list[int]:
        """Number columns that hold -999, read as missing."""

class C45ValidatorSingle:
    """Cross-validation of subsets of the columns."""

    def __init__(
        self,
        table: C45TableSingle,
        fold_of_row: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        folds: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        confidences: Sequence[float],
        min_cases: float,
        gain_ratio: bool,
        subsets: bool,
        max_bytes: float,
    ) -> None: ...
    def run(
        self,
        columns: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> object:
        """Errors and sizes, or None if time is up before."""

    def stop(self, stopped: bool) -> None: ...

class C45TreeDouble:
    """A tree as the core keeps it."""

class C45TableDouble:
    """A table prepared for C4.5."""

    def __init__(
        self,
        values: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        n_categories: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        classes: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> None: ...
    def grow(
        self,
        rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        min_cases: float,
        gain_ratio: bool,
        subsets: bool,
        time_limit: float | None = None,
    ) -> tuple:
        """The tree, and whether it is complete."""

    def prune(
        self, tree: C45TreeDouble, confidence: float, subsets: bool, time_limit: float | None = None
    ) -> tuple:
        """The tree, and whether it is pruned."""

    def arrays(self, tree: C45TreeDouble) -> dict: ...
    def columns_with_stand_ins(self) -> list[int]:
        """Number columns that hold -999, read as missing."""

class C45ValidatorDouble:
    """Cross-validation of subsets of the columns."""

    def __init__(
        self,
        table: C45TableDouble,
        fold_of_row: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        folds: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        confidences: Sequence[float],
        min_cases: float,
        gain_ratio: bool,
        subsets: bool,
        max_bytes: float,
    ) -> None: ...
    def run(
        self,
        columns: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        time_limit: float | None = None,
    ) -> object:
        """Errors and sizes, or None if time is up before."""

    def stop(self, stopped: bool) -> None: ...

def c45_added_errors(n: float, errors: float, confidence: float) -> float: ...
def added_errors(
    n: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    errors: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    confidence: float,
) -> NDArray[numpy.float64]: ...

class GradedRows:
    """Rows in a tree of graded decisions."""

    def __init__(
        self,
        rules: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        input_counts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        branch_counts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        children: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
        inputs: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def likelihood(
        self,
        slope: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        shift: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        leaf: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
    ) -> tuple:
        """
        Negative logarithm of the likelihood, and its derivatives by slopes, shifts and probabilities of the leaves.
        """

    def expected_counts(
        self,
        slope: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        shift: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        leaf: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
    ) -> NDArray[numpy.float64]:
        """
        Weight of each class that each leaf is expected to hold, given the classes.
        """

    def objective(
        self,
        point: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        terms: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        moves: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        prior: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        log_slope: float,
    ) -> tuple:
        """What grading minimizes, and its gradient."""

    def minimum(
        self,
        point: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        terms: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        moves: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        prior: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        log_slope: float,
        low: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        high: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        most_steps: int,
        time_limit: float | None = None,
    ) -> NDArray[numpy.float64]:
        """
        Logits of all nodes, logarithms of slopes, and shifts with the least objective, or the best found within so many seconds.
        """

def cheapest_change(
    moves: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    groups: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_groups: int,
    rows: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    members: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    starts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    max_changes: int,
) -> tuple[NDArray[numpy.float64], int, float, float, int]:
    """
    Sizes of the moves into the cheapest region, its number, the cost, a bound, and how many programs were solved; no sizes where no region can be reached.
    """
