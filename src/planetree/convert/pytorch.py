"""A network as a PyTorch module, for further training."""

from __future__ import annotations

from typing import Any

from planetree.convert.network import Network

__all__ = ["to_pytorch"]


def to_pytorch(network: Network) -> Any:
    """Say a smooth network as a `torch.nn.Sequential` of linear layers and sigmoids.

    Its inputs are those that `Network.inputs` makes of rows; its outputs are `Network.outputs`.

    Parameters
    ----------
    network : Network
        With sigmoids: see `Network.smooth`.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import to_network, to_pytorch
    >>> model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> module = to_pytorch(to_network(model).smooth(5.0))  # doctest: +SKIP
    """
    if network.steepness is None:
        raise ValueError(
            "Threshold units have no slope to train by. Call network.smooth(...) first."
        )
    try:
        import torch  # optional, and slow to load
    except ImportError as error:
        raise ImportError("to_pytorch needs PyTorch: pip install torch.") from error
    modules = []
    for layer in network.layers:
        linear = torch.nn.Linear(layer.weights.shape[1], len(layer.thresholds), dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(network.steepness * layer.weights))
            linear.bias.copy_(torch.from_numpy(-network.steepness * layer.thresholds))
        modules += [linear, torch.nn.Sigmoid()]
    return torch.nn.Sequential(*modules)
