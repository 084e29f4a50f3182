"""Models as JSON: data that is checked when it is read, and never code.

    {"format": "planetree", "version": 2, "planetree": "0.2.0", "model": MODEL}
    MODEL = {"estimator": NAME, "parameters": {NAME: VALUE, ...}, "fitted": {NAME: VALUE, ...}}

A VALUE is a JSON scalar or list, or an object of one of these forms:

    {"float": "nan", "inf" or "-inf"}                    a number that JSON has no sign for
    {"scalar": DTYPE, "value": SCALAR}                   a numpy scalar
    {"array": DTYPE, "shape": [...], "values": [...]}    a numpy array, elements in C order
    {"fields": [[NAME, ARRAY], ...]}                     a numpy array with named fields
    {"tuple": [VALUE, ...]}
    {"dict": [[KEY, VALUE], ...]}
    {"record": NAME, FIELD: VALUE, ...}                  a Tree, Planes, Categories, Column, ...
    MODEL                                                an estimator inside another

- only the names of `schema` are known: estimators of planetree, records of planetree, and fitted
  attributes of a declared kind; anything else is refused;
- a float is written with as many digits as give it back bit for bit;
- a file is read in memory proportional to its size, and its size is limited.
"""

from planetree.model_files.reading import load
from planetree.model_files.writing import save

__all__ = ["load", "save"]
