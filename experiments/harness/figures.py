"""One way to start a figure: without a screen."""

from typing import Any

from matplotlib.figure import Figure


def axes(width: float = 6.0, height: float = 4.0, n_columns: int = 1) -> tuple[Figure, Any]:
    """A figure with its axes, or with an array of them."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, n_columns)


def bars(figure: Figure, ax: Any, means: Any, spreads: Any, ylabel: str) -> Figure:
    """Grouped bars: a group for each row of a table, a bar for each of its columns."""
    means.plot.bar(ax=ax, yerr=spreads, capsize=2, rot=20, width=0.8)
    ax.set(xlabel="", ylabel=ylabel)
    ax.legend(title="")
    return figure
