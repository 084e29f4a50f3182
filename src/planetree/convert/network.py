"""The network that a model is: threshold units in layers, with weights that need no training.

A threshold unit fires, and gives 1, where its weighted inputs exceed its threshold; else it gives
0. The inputs are the terms of a row: its numbers, and indicators of the categories asked for.

    planes     one unit a plane: fires where the score is positive; for the largest of k scores one
               unit a pair of planes; for a lookup of categories one unit a branch
    regions    one unit a leaf and pattern of signs that leads to it: fires where all of them hold,
                   sum of the units that should fire - sum of those that should not  >  (how many
                   should) - 1/2
    classes    one unit a class, or one for the second of two: fires in the regions of its class

As every row is in exactly one region, exactly one class fires. The planes map a row to a vertex of
a cube. Where a plane of that cube separates the vertices of each class from the others, the layer
of regions is not there, as in Figures 1.5 and 7.3: a linear program finds it (`_output_unit`). Two
planes whose rule is the same side have none, and need their regions (Figure 7.4); of two classes
only the one with fewer regions has them. Bennett (1993), section 1.3 and chapters 2 and 7.

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

from planetree.arrays import Floats, Indices, encode
from planetree.convert.plan import Numbering, Plan, plan_of, plane_matrix, side_of, sides_above
from planetree.convert.share_units import ProbabilityUnits, probability_units
from planetree.exceptions import SolverError
from planetree.parameters import check_argument, number
from planetree.planes import HalfSpace, Pattern, Planes
from planetree.solvers import LinearProgram
from planetree.table import Column, Table
from planetree.tree import MultisurfaceClassifier

_FEW_PLANES, _FEW_REGIONS = 40, 200  # for which one layer less is sought: some milliseconds
_EXACT = 52  # units whose powers of two a float can add up without rounding


_Region = tuple[dict[int, bool], int]  # whether units of planes fire, and the class there


class Layer(NamedTuple):
    """Units: unit u fires where `weights[u] . inputs > thresholds[u]`.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import to_network
    >>> network = to_network(RobustSeparator().fit([[0.0], [1.0]], ["a", "b"]))
    >>> (unit,) = network.layers
    >>> unit.weights.shape, unit.thresholds.shape
    ((1, 1), (1,))
    """

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
    ((2, 2, 1), ['even', 'even', 'odd', 'odd'])
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
        if outputs.shape[1] < len(self.classes):
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
            raise ValueError("The network has no predict_proba, because its model has none.")
        return self.probability_units.probabilities(self.inputs(X))

    def smooth(self, steepness: float) -> Network:
        """Network of the same weights with sigmoids, which can be trained further elsewhere.

        Parameters
        ----------
        steepness : float
            Above 0; the larger, the closer to threshold units.
        """
        check_argument("steepness", steepness, number(above=0))
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
    plan.refuse_strays(
        "which no network of threshold units can express. Fit without these categories."
    )
    fitted, terms, units = plan.fitted, Numbering(), Numbering()
    regions: list[_Region] = []
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
    first = Layer(*plane_matrix(planes, terms))  # one unit a plane: it fires above
    layers = (first, *_later_layers(regions, len(units), len(fitted.classes)))
    if len(units) == len(layers[1].thresholds) == 1 and layers[1].weights[0, 0] > 0:
        layers = (first,)  # a single threshold unit, as in Figure 1.3
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


def _later_layers(regions: list[_Region], n_planes: int, n_classes: int) -> tuple[Layer, ...]:
    """Layers after that of the planes: the outputs alone where that can be, else regions first."""
    second = range(1, 2) if n_classes == 2 else range(n_classes)
    few = n_planes <= _FEW_PLANES and len(regions) <= _FEW_REGIONS
    outputs = [_output_unit(regions, code, n_planes) for code in second] if few else [None]
    found = [unit for unit in outputs if unit is not None]
    if len(found) == len(outputs):
        weights, thresholds = zip(*found, strict=True)
        return (Layer(np.array(weights), np.array(thresholds)),)
    if n_classes == 2:
        return _layers_of_two(regions, n_planes)
    layer = _region_layer([fires for fires, _ in regions], n_planes)
    return layer, _class_layer([code for _, code in regions], n_classes)


def _output_unit(regions: list[_Region], code: int, n_planes: int) -> tuple[Floats, float] | None:
    """Unit over the planes' units that fires in the regions of one class, if one does.

    With r the units that fire, u = p - q and p, q >= 0, it asks for u.r >= t + 1 in its regions and
    u.r <= t - 1 in others, whatever units a region leaves open, and for small p and q.
    """
    rows, lower = np.zeros((len(regions), 2 * n_planes + 1)), np.ones(len(regions))
    for row, (fires, of) in zip(rows, regions, strict=True):
        sign = 1.0 if of == code else -1.0
        p, q = row[:n_planes], row[n_planes:-1]
        (q if sign > 0 else p)[:] = -1.0  # the worst that an open unit can do
        for plane, above in fires.items():
            p[plane], q[plane] = (sign, -sign) if above else (0.0, 0.0)
        row[-1] = -sign
    cost = np.append(np.ones(2 * n_planes), 0.0)
    least = np.append(np.zeros(2 * n_planes), -np.inf)
    program = LinearProgram(cost, rows, lower, lower=least, name="program of an output unit")
    try:
        x = program.solve().x
    except SolverError:
        return None
    return x[:n_planes] - x[n_planes:-1], float(x[-1])


def _layers_of_two(regions: list[_Region], n_planes: int) -> tuple[Layer, Layer]:
    """Regions of the class with fewer of them, and one output unit for the second class."""
    of_class = [[fires for fires, code in regions if code == c] for c in range(2)]
    fewer = 0 if len(of_class[0]) < len(of_class[1]) else 1
    sign = 1.0 if fewer == 1 else -1.0
    layer = _region_layer(of_class[fewer], n_planes)
    return layer, Layer(np.full((1, len(of_class[fewer])), sign), np.array([0.5 * sign]))


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
