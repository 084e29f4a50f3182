"""A model as text or bytes that run elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planetree.cli.command import UsageError

__all__ = ["exported"]

TAKES = {
    "sql": ("name", "table", "dialect"),
    "python": ("name",),
    "c": ("name",),
}


def exported(
    model: Any, path: Path, to: str, wanted: dict[str, str | None], majority: bool
) -> str | bytes:
    """A model in a format, with what was asked of it; refuse what the format cannot follow."""
    given: dict[str, Any] = {key: value for key, value in wanted.items() if value is not None}
    strange = sorted(set(given) - set(TAKES.get(to, ())))
    if strange:
        raise UsageError(f"--{strange[0]} is not for --to {to}.")
    if to == "json":
        return path.read_text("utf-8")
    if to == "network":
        return network_text(model)
    if majority:
        given["missing"] = "majority"
    content = converter(to)(model, **given)
    if hasattr(content, "SerializeToString"):
        return bytes(content.SerializeToString())
    return content if isinstance(content, bytes) else str(content)


def converter(to: str) -> Callable[..., Any]:
    """The function of planetree.convert for a format."""
    from planetree import convert

    function = getattr(convert, f"to_{to}", None)
    if function is None:
        raise UsageError(f"This installation cannot export to {to}.")
    found: Callable[..., Any] = function
    return found


def network_text(model: Any) -> str:
    """A network of threshold units as JSON: its inputs, layers and outputs."""
    from planetree.convert import to_network

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
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"
