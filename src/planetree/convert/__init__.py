"""A fitted model as something else: one pure function per target."""

from planetree.convert.c_source import to_c
from planetree.convert.network import Layer, Network, to_network
from planetree.convert.python_source import to_python
from planetree.convert.pytorch import to_pytorch
from planetree.convert.sql import to_sql

__all__ = ["Layer", "Network", "to_c", "to_network", "to_python", "to_pytorch", "to_sql"]
