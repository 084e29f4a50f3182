"""The network that a model is: threshold units in layers, with weights that need no training.

A threshold unit fires, and gives 1, where its weighted inputs exceed its threshold; else it gives
0. The inputs are the terms of a row: its numbers, and indicators of the categories asked for.

    planes     one unit a plane: fires where the score is positive; for the largest of k scores one
               unit a pair of planes; for a lookup of categories one unit a branch
    regions    one unit a leaf and pattern of signs that leads to it: fires where all of them hold,
                   sum of the units that should fire - sum of those that should not  >  (how many
                   should) - 1/2
    classes    one unit a class: fires where one of its regions does

As every row is in exactly one region, exactly one class fires. Bennett (1993), chapters 1 and 2,
Figures 7.3 and 7.4.

The multisurface method needs no layer of regions (Figure 2.3). Each pair of planes has two units,
one that fires above beta and one below alpha; the last plane has one. The output unit must follow
the first that fires: unit k of the 2p - 1 has the weight 2^(2p - 1 - k), more than all later ones
together, positive or negative by its class, and the threshold is 0.

- the network agrees with the model on every row that is not within rounding of a surface;
- its probabilities, by the same units with a smooth threshold (`share_units`), are the model's;
- a missing value has no place in it: rows must be complete.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.convert.plan import Numbering, Plan, plan_of, plane_matrix, side_of, sides_above
from planetree.convert.share_units import ProbabilityUnits, probability_units
from planetree.planes import HalfSpace, Pattern, Planes, encode
from planetree.table import Column, Table
from planetree.tree import MultisurfaceClassifier

__all__ = ["Layer", "Network", "to_network", "to_pytorch"]

_EXACT = 52  # units whose powers of two a float can add up without rounding


class Layer(NamedTuple):
    """Units: unit u fires where `weights[u] . inputs > thresholds[u]`."""

    weights: Floats
    thresholds: Floats


@dataclass(frozen=True, eq=False)
class Network:
    """A feed-forward network of threshold units, or of sigmoids of a given steepness.

    Parameters
    ----------
    layers : tuple of Layer
        From the inputs to the outputs.
    input_columns, input_categories : arrays of shape (n_inputs,)
        The column that each input reads, and the category it is the indicator of, or -1.
    columns : tuple of Column
        Names and categories of the columns.
    classes : array
        Labels: one an output unit, or two for a single unit that fires for the second.
    steepness : float, optional
        None for threshold units; else unit u gives `1 / (1 + exp(-steepness * excess))`.
    probability_units : ProbabilityUnits, optional
        The same network with a smooth threshold, where the model has `predict_proba`.

    Examples
    --------
    >>> from planetree import BilinearSeparator
    >>> from planetree.convert import to_network
    >>> X, y = [[0, 0], [1, 1], [1, 0], [0, 1]], ["even", "even", "odd", "odd"]
    >>> network = to_network(BilinearSeparator(topology="alternating").fit(X, y))
    >>> network.n_units, network.predict(X).tolist()
    ((2, 4, 2), ['even', 'even', 'odd', 'odd'])
    """

    layers: tuple[Layer, ...]
    input_columns: Indices
    input_categories: Indices
    columns: tuple[Column, ...]
    classes: NDArray[Any]
    steepness: float | None = None
    probability_units: ProbabilityUnits | None = None

    @property
    def n_inputs(self) -> int:
        """How many inputs there are."""
        return len(self.input_columns)

    @property
    def n_units(self) -> tuple[int, ...]:
        """How many units each layer has, outputs last."""
        return tuple(len(layer.thresholds) for layer in self.layers)

    @property
    def n_hidden_units(self) -> int:
        """How many units there are that are not outputs."""
        return sum(self.n_units[:-1])

    def inputs(self, X: Any) -> Floats:
        """Inputs of the rows of a frame or array: numbers, and indicators of categories."""
        table = Table.read(X, self.columns, owner="Network", missing=False)
        return encode(table.values, self.input_columns, self.input_categories)

    def outputs(self, X: Any) -> Floats:
        """What the output units give for each row.

        Returns
        -------
        array of shape (n_rows, n_outputs)
        """
        signals = self.inputs(X)
        for layer in self.layers:
            signals = self._fire(layer, signals)
        return signals

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: that of the output unit that gives most.

        If the model predicts the class with the largest graded probability, so does the network.
        """
        units = self.probability_units
        if units is not None and units.decides and self.steepness is None:
            return self.classes[units.codes(self.inputs(X))]
        outputs = self.outputs(X)
        if outputs.shape[1] == 1:
            return self.classes[(outputs[:, 0] > 0.5).astype(np.intp)]
        return self.classes[outputs.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, as the model gives it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        if self.probability_units is None:
            raise ValueError("The model of this network has no predict_proba, so it has none.")
        return self.probability_units.probabilities(self.inputs(X))

    def smooth(self, steepness: float) -> Network:
        """Network of the same weights with sigmoids, which can be trained further elsewhere.

        Parameters
        ----------
        steepness : float
            Above 0; the larger, the closer to threshold units.
        """
        if not steepness > 0:
            raise ValueError(f"steepness must be above 0, but it is {steepness!r}.")
        return replace(self, steepness=float(steepness))

    def _fire(self, layer: Layer, signals: Floats) -> Floats:
        excess = signals @ layer.weights.T
        if self.steepness is None:
            return (excess > layer.thresholds).astype(np.float64)
        return expit(self.steepness * (excess - layer.thresholds))


def to_network(model: Any) -> Network:
    """Say a fitted model as a network of threshold units.

    Parameters
    ----------
    model : fitted separator or tree

    Examples
    --------
    >>> from planetree import MultisurfaceClassifier
    >>> from planetree.convert import to_network
    >>> from planetree.datasets import parity
    >>> X, y = parity(5)
    >>> network = to_network(MultisurfaceClassifier().fit(X, y))
    >>> network.n_units, bool((network.predict(X) == y).all())
    ((5, 1), True)
    """
    check_is_fitted(model)
    if isinstance(model, MultisurfaceClassifier) and model.n_planes_ in range(1, _EXACT):
        return _multisurface_network(model)
    return _tree_network(plan_of(model))


def _multisurface_network(model: MultisurfaceClassifier) -> Network:
    """The network of Figure 2.3: 2p - 1 hidden units, one output."""
    splits = [split for split in model.tree_.splits if isinstance(split, Planes)]
    units = [
        (sign * split.weights[p], sign * split.offsets[p], sign)
        for split in splits
        for p, sign in ([(1, 1.0), (0, -1.0)] if len(split.offsets) == 2 else [(0, 1.0)])
    ]
    weights, thresholds, signs = (np.array(part) for part in zip(*units, strict=True))
    powers = 2.0 ** np.arange(len(signs))[::-1]
    layers = (Layer(weights, thresholds), Layer((signs * powers)[None], np.zeros(1)))
    ends = model.tree_.predicted[model.tree_.children_of(0)[[0, -1]]]  # below, and above
    classes = model.classes_[ends]
    return Network(layers, splits[0].columns, splits[0].categories, model.columns_, classes)


def _tree_network(plan: Plan) -> Network:
    """Network of planes, regions and classes."""
    plan.refuse_strays("which no network of threshold units says. Fit without these categories.")
    fitted, terms, units = plan.fitted, Numbering(), Numbering()
    regions: list[tuple[dict[int, bool], int]] = []
    for leaf, conditions in fitted.tree.regions():
        choices = [filter(_can_be, each.patterns(disjoint=True)) for each in conditions]
        for pattern in product(*choices):
            signs = {side_of(test, units) for part in pattern for test in part}
            fires = dict(signs)
            if len(fires) == len(signs):  # else above and below one plane, where no row is
                regions.append((fires, int(fitted.codes[leaf])))
    planes = sides_above(units)
    terms.of(term for plane in planes for term in plane.terms)
    smooth = probability_units(plan, terms)
    layers = (
        Layer(*plane_matrix(planes, terms)),  # one unit a plane: it fires above
        _region_layer([fires for fires, _ in regions], len(units)),
        _class_layer([code for _, code in regions], len(fitted.classes)),
    )
    columns, categories = np.array(list(terms), dtype=np.intp).reshape(-1, 2).T
    named = fitted.columns, fitted.classes
    return Network(layers, columns, categories, *named, probability_units=smooth)


def _can_be(pattern: Pattern) -> bool:
    """Whether sides of parallel planes have a point in common; others are taken to have one."""
    halves = [test for test in pattern if isinstance(test, HalfSpace)]
    return not any(
        low.above
        and not high.above
        and (low.terms, low.weights) == (high.terms, high.weights)
        and low.offset >= high.offset
        for low, high in product(halves, repeat=2)
    )


def _region_layer(regions: list[dict[int, bool]], n_planes: int) -> Layer:
    """One unit a region: it fires where every plane is on the side that leads there."""
    weights = np.zeros((len(regions), n_planes))
    for unit, fires in enumerate(regions):
        for plane, above in fires.items():
            weights[unit, plane] = 1.0 if above else -1.0
    return Layer(weights, np.maximum(weights, 0.0).sum(axis=1) - 0.5)


def _class_layer(codes: list[int], n_classes: int) -> Layer:
    """One unit a class: it fires where one of its regions does."""
    weights = (np.array(codes) == np.arange(n_classes)[:, None]).astype(np.float64)
    return Layer(weights, np.full(n_classes, 0.5))


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
