"""How a decision was found, and what proves it.

A program is proved by its bound: no planes have an objective below it, so the gap says how much
better any others could be at most. Objective and gap are those of the decision that predicts: where
its weights were rounded and its threshold moved, the gap says what that cost. A decision that was
found otherwise, by trying every cut of a column or by C4.5's gain ratio, says so in `kind`; what it
has no figure for is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan


@dataclass(frozen=True)
class Certificate:
    """How one decision was found, and what proves it.

    Parameters
    ----------
    kind : str
        In words: 'linear program', 'every cut of one column', 'gain ratio (C4.5)', ...
    objective : float
        What was minimized, of the decision that predicts.
    bound : float
        The least that any decision of its kind can have.
    gap : float
        How much of the objective the bound leaves open, as a share.
    status : str
        'optimal', 'time_limit', 'inaccurate', 'rounded' where the best decision was rounded or
        its threshold moved, or 'unproved' where no bound is known.
    moved : pair of float, optional
        The threshold before and after, where grading moved it.

    Examples
    --------
    >>> from planetree.certificate import Certificate
    >>> Certificate("linear program", 0.25, 0.25, 0.0, "optimal").is_proved
    True
    >>> Certificate("gain ratio (C4.5)").is_proved
    False
    """

    kind: str
    objective: float = nan
    bound: float = nan
    gap: float = nan
    status: str = "unproved"
    moved: tuple[float, float] | None = None

    @property
    def is_proved(self) -> bool:
        """Whether no other decision of its kind is better, but for rounding."""
        return self.status == "optimal"
