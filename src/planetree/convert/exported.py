"""A fitted model in any of the formats, by name, as text or bytes."""

from __future__ import annotations

import json
from typing import Any

from planetree.convert.languages.c import to_c
from planetree.convert.languages.python import to_python
from planetree.convert.languages.sql import to_sql
from planetree.convert.network import to_network
from planetree.convert.onnx import to_onnx
from planetree.convert.rules import to_rules

_FORMATS = {"rules": to_rules, "sql": to_sql, "python": to_python, "c": to_c, "onnx": to_onnx}


def exported(model: Any, to: str, **options: Any) -> str | bytes:
    """A model in a format.

    Parameters
    ----------
    model : fitted separator or tree
    to : {"rules", "sql", "python", "c", "onnx", "network"}
    **options
        Of the function of that format.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import exported
    >>> model = RobustSeparator().fit([[0.0], [1.0]], ["a", "b"])
    >>> exported(model, "sql").split()[0]
    'CASE'
    """
    if to == "network":
        return _network_text(model)
    content: Any = _FORMATS[to](model, **options)  # type: ignore[operator]
    if hasattr(content, "SerializeToString"):
        return bytes(content.SerializeToString())
    return content if isinstance(content, bytes) else str(content)


def _network_text(model: Any) -> str:
    """A network of threshold units as JSON: its inputs, layers and outputs."""
    network = to_network(model)
    inputs = [
        {"column": network.columns[j].name}
        if code < 0
        else {"column": network.columns[j].name, "is": (network.columns[j].categories or ())[code]}
        for j, code in zip(network.input_columns, network.input_categories, strict=True)
    ]
    layers = [
        {"weights": layer.weights.tolist(), "thresholds": layer.thresholds.tolist()}
        for layer in network.layers
    ]
    said = {"inputs": inputs, "layers": layers, "classes": network.classes.tolist()}
    if network.probability_units is not None:
        said["probability_units"] = network.probability_units.to_data()
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"
