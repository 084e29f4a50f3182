"""The array types that signatures speak of."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Indices", "Mask", "Whole"]

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Whole: TypeAlias = NDArray[np.object_]  # whole numbers of any size
