"""The array types that signatures speak of, parts of arrays, and the terms of their rows.

A term is what a plane reads of a row, by a column and a code:

    -1                    the number of the column
    0, 1, ...             1 where the column has this category, 0 where not
    product_code(j)       the number of the column times that of column j: `age * dose`, `age^2`

- missing cells make every term that reads them NaN;
- a plane over products is a quadratic surface in the columns.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from planetree import _core

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Hashes: TypeAlias = NDArray[np.uint64]
Whole: TypeAlias = NDArray[np.object_]  # whole numbers of any size

PRODUCT = -3  # codes from here downwards are of products: -1 and -2 are taken
_FEW_CELLS = 1 << 16  # that are copied as fast as some of them
_PART_ROWS = 100_000  # whose numbers are laid out at a time


def mix_bits(words: Hashes) -> Hashes:
    """Words of which each bit depends on all bits (the finalizer of splitmix64).

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.arrays import mix_bits
    >>> mix_bits(np.array([0, 0x9E3779B97F4A7C15], dtype=np.uint64))
    array([                   0, 16294208416658607535], dtype=uint64)
    """
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def cells_of(X: Floats, rows: Indices, columns: Indices) -> Floats:
    """Some rows of X, for a decision that reads some columns: of many rows, the others are 0.

    Columns that are never written take no memory.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.arrays import cells_of
    >>> cells_of(np.arange(6.0).reshape(3, 2), np.array([2]), np.array([1]))
    array([[4., 5.]])
    """
    if len(rows) * X.shape[1] < _FEW_CELLS:
        return X[rows]
    cells = np.zeros((len(rows), X.shape[1]), order="F")
    for j in columns.tolist():
        cells[:, j] = X[:, j].take(rows)
    return cells


def row_parts(n_rows: int) -> list[slice]:
    """Rows in parts, so that what is made of many of them takes no room for long; at least one.

    Examples
    --------
    >>> from planetree.arrays import row_parts
    >>> row_parts(150_000)
    [slice(0, 100000, None), slice(100000, 200000, None)]
    """
    return [slice(at, at + _PART_ROWS) for at in range(0, max(1, n_rows), _PART_ROWS)]


def midway(scores: Floats, offset: float, rounding: Floats | float = 0.0) -> float:
    """Offset in the middle of the gap between the scores beside it; itself where a side is empty.

    Scores that exceed the offset by rounding alone lie below.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.arrays import midway
    >>> round(midway(np.array([-1.0, 2e-16, -2e-16, 1.0]), 0.0, rounding=1e-9), 9)
    0.5
    """
    is_below = scores - offset <= rounding
    if not is_below.any() or is_below.all():
        return float(offset)
    low, high = float(scores[is_below].max()), float(scores[~is_below].min())
    middle = low / 2 + high / 2
    if low >= high:
        return float(offset)
    return middle if low <= middle < high else low


def product_code(factor: Any) -> Any:
    """What stands in the place of a category where a column is multiplied by another, the factor.

    Examples
    --------
    >>> from planetree.arrays import factor_of, product_code
    >>> factor_of(product_code(5)), factor_of(-1)
    (5, -1)
    """
    return PRODUCT - factor


def factor_of(category: int) -> int:
    """The column that a term is multiplied by; -1 for a term that is no product."""
    return PRODUCT - category if category <= PRODUCT else -1


def factors_of_terms(categories: Indices) -> Indices:
    """The columns that terms are multiplied by; -1 for those that are no products."""
    return np.where(categories <= PRODUCT, PRODUCT - categories, -1)


def renumbered_terms(
    columns: Indices, categories: Indices, names: Indices
) -> tuple[Indices, Indices]:
    """Terms whose column j is called `names[j]`; of a product the first in order comes first."""
    factors, named = factors_of_terms(categories), names[columns]
    others = np.where(factors >= 0, names[factors], named)
    codes = np.where(factors >= 0, product_code(np.maximum(named, others)), categories)
    return np.minimum(named, others), codes


def exponents_of_terms(columns: Indices, categories: Indices, of_columns: Indices) -> Indices:
    """Exponents of terms where columns have these; those of a product add up."""
    factors = factors_of_terms(categories)
    return of_columns[columns] + np.where(factors >= 0, of_columns[factors], 0)


def encode(X: Floats, columns: Indices, categories: Indices) -> Floats:
    """Terms of the rows of X: numbers as they stand, a category as 0 or 1, missing as NaN.

    A product is that of its two numbers, rounded once. All indicators of a category that training
    did not have (code -1) are 0.
    """
    n = X.shape[1]
    if len(columns) == n and (categories == -1).all() and (columns == np.arange(n)).all():
        return X
    terms = X[:, columns]
    for t in np.flatnonzero(categories >= 0):
        column = terms[:, t]
        terms[:, t] = np.where(np.isnan(column), np.nan, column == categories[t])
    for t in np.flatnonzero(categories <= PRODUCT):
        terms[:, t] *= X[:, PRODUCT - categories[t]]
    return terms


def scores_of_terms(
    X: Floats, weights: Floats, offsets: Floats, columns: Indices, categories: Indices
) -> Floats:
    """Scores of the rows of X; products are taken first."""
    if (categories <= PRODUCT).any():
        X, n = np.ascontiguousarray(encode(X, columns, categories)), len(columns)
        columns, categories = np.arange(n), np.full(n, -1)
    return _core.plane_scores(X, weights, offsets, columns, categories)


def set_arrays(record: Any, **dtypes: Any) -> None:
    """Make fields of a frozen record arrays of some dtypes, copies that can only be read.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Categories
    >>> Categories(0, [0, 1]).branches.flags.writeable
    False
    """
    for name, dtype in dtypes.items():
        array = np.array(getattr(record, name), dtype=dtype)
        array.flags.writeable = False
        object.__setattr__(record, name, array)
