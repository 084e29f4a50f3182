"""A fitted model as something else: one pure function per target."""

from planetree.convert.c_source import to_c
from planetree.convert.network import Layer, Network, to_network
from planetree.convert.onnx_graph import to_onnx
from planetree.convert.python_source import to_python
from planetree.convert.pytorch import to_pytorch
from planetree.convert.rules import Rule, RuleList, to_rules
from planetree.convert.sql import to_sql

__all__ = [
    "Layer",
    "Network",
    "Rule",
    "RuleList",
    "to_c",
    "to_network",
    "to_onnx",
    "to_python",
    "to_pytorch",
    "to_rules",
    "to_sql",
]
