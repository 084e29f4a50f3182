"""Tables on disk: CSV, TSV, Parquet, ARFF and C4.5's .names with .data, and what is learned from.

    survey       one look at the bytes: is it text, in which encoding, is a line too long
    delimited    text with delimiters, by pyarrow; a row of the wrong length is named by its line
    declared     ARFF and C4.5, which declare their columns; the data is below or beside them
    frame        any of them as one pyarrow table
    pieces       files that are read piece by piece
    folders      the files of a folder, a pattern or a Dataset, as such pieces
    row_sample   some rows of a large file as a file of their own
    examples     the columns to learn from, the class and the weight of each row

- a column is numbers if every cell is one, else text; a cell is missing if it is empty or a word
  for that, such as NA or ?;
- nothing is dropped in silence: `notes` say what was left out and why.
"""

from planetree.table_files.examples import (
    Examples,
    labels_for,
    read_examples,
    read_rows_for,
    refuse_unknown_column,
)
from planetree.table_files.frame import DataFile, read_file
from planetree.table_files.row_sample import is_sampled, write_sample
from planetree.table_files.survey import Reading

__all__ = [
    "DataFile",
    "Examples",
    "Reading",
    "is_sampled",
    "labels_for",
    "read_examples",
    "read_file",
    "read_rows_for",
    "refuse_unknown_column",
    "write_sample",
]
