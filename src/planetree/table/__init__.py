"""The door for data: a frame, an array or a list as a float64 matrix whose columns have names.

Cell (i, j) of the matrix is

    the number itself                           where column j holds numbers,
    c, for the category `categories[c]`         where column j holds text, categories or booleans,
    NaN                                         where the cell is missing (None, NaN, NA).

A linear model reads terms rather than cells. A number column is one term, a column of v > 2
categories is v indicators, one of two categories the indicator of the second, and one of a single
category an indicator that is always 1.

- reading a table and reading it again against its own columns gives the same matrix;
- a matrix of float64 in C order is not copied;
- a row of weight 0 is no row: the fit is that of the table without it.
"""

from planetree.table.canonical_rows import (
    Canonical,
    RowOrder,
    canonical,
    canonical_columns,
    canonical_order,
)
from planetree.table.columns import column_number, column_numbers, column_values
from planetree.table.imputation import OWN_CATEGORY
from planetree.table.labels import read_class_weight, read_costs, read_weights
from planetree.table.ranges import ColumnRanges, column_ranges
from planetree.table.sources import mixed_rows, without_dictionaries
from planetree.table.table import Column, Table, Terms, different, product_terms
from planetree.table.training import (
    Training,
    all_or_nothing,
    columns_read,
    fingerprint,
    lacking_columns,
    new_categories,
    read_batch,
    read_labels,
    read_rows,
    read_training,
)

__all__ = [
    "OWN_CATEGORY",
    "Canonical",
    "Column",
    "ColumnRanges",
    "RowOrder",
    "Table",
    "Terms",
    "Training",
    "all_or_nothing",
    "canonical",
    "canonical_columns",
    "canonical_order",
    "column_number",
    "column_numbers",
    "column_ranges",
    "column_values",
    "columns_read",
    "different",
    "fingerprint",
    "lacking_columns",
    "mixed_rows",
    "new_categories",
    "product_terms",
    "read_batch",
    "read_class_weight",
    "read_costs",
    "read_labels",
    "read_rows",
    "read_training",
    "read_weights",
    "without_dictionaries",
]
