"""A fitted model as something else: one pure function per target."""

from planetree.convert.network import Layer, Network, to_network
from planetree.convert.pytorch import to_pytorch

__all__ = ["Layer", "Network", "to_network", "to_pytorch"]
