"""A fitted model as something else: one pure function per target."""

from planetree.convert.exported import exported
from planetree.convert.languages.c import to_c
from planetree.convert.languages.python import to_python
from planetree.convert.languages.sql import score_sheet_to_sql, to_check_sql, to_sql
from planetree.convert.network import Layer, Network, to_network, to_pytorch
from planetree.convert.onnx import to_onnx
from planetree.convert.rules import Rule, RuleList, to_rules

__all__ = [
    "Layer",
    "Network",
    "Rule",
    "RuleList",
    "exported",
    "score_sheet_to_sql",
    "to_c",
    "to_check_sql",
    "to_network",
    "to_onnx",
    "to_python",
    "to_pytorch",
    "to_rules",
    "to_sql",
]
