"""The microarrays of Busygin & Pardalos (2005), as their sections 4.1 and 4.2 use them.

leukemia    7070 genes: the control probes (AFFX and hum_alu_at) left out; raw values. Samples are
            named by their number: 1 to 38 for training, 39 to 72 for the test.
colon       2000 genes. Tumor samples are numbered 1 to 40, normal ones by their patient. Training
            on odd numbers and testing on even ones gives the errors that the paper prints.
"""

from typing import Any, NamedTuple

import numpy as np

from planetree.datasets import load

TRAINING_ORDER = (*range(1, 28), *range(34, 39), *range(28, 34))
TEST_ORDER = (39, 40, 42, 47, 48, 49, 41, 43, 44, 45, 46, 70, 71, 72, 68, 69, 67, 55, 56, 59, 52)
TEST_ORDER += (53, 51, 50, 54, 57, 58, 60, 61, 65, 66, 63, 64, 62)
PATIENTS_WITH_NORMAL_TISSUE = (*range(1, 13), 27, 28, 29, *range(32, 37), 39, 40)


class Part(NamedTuple):
    """Samples with their classes and their numbers."""

    X: np.ndarray
    y: np.ndarray
    numbers: np.ndarray

    def take(self, rows: np.ndarray) -> "Part":
        """Some of the samples."""
        return Part(self.X[rows], self.y[rows], self.numbers[rows])


class Outcome(NamedTuple):
    """A fitted selector with the test samples it gets wrong."""

    model: Any
    errors: list[str]


def leukemia() -> tuple[Part, Part]:
    """Training and test part."""
    return _genes("leukemia-train", TRAINING_ORDER), _genes("leukemia-test", TEST_ORDER)


def _genes(name: str, order: tuple[int, ...]) -> Part:
    data = load(name)
    genes = [i for i, g in enumerate(data.feature_names) if not _is_control(g)]
    return Part(np.asarray(data.X, dtype=float)[:, genes], data.y, np.array(order))


def _is_control(gene: str) -> bool:
    return gene.startswith("AFFX") or gene == "hum_alu_at"


def colon() -> Part:
    """All samples in file order."""
    data = load("colon")
    numbers = np.empty(len(data.y), dtype=int)
    numbers[data.y == "tumor"] = np.arange(1, 41)
    numbers[data.y == "normal"] = PATIENTS_WITH_NORMAL_TISSUE
    return Part(np.asarray(data.X, dtype=float), data.y, numbers)


def colon_by_number() -> tuple[Part, Part]:
    """Odd numbers for training, even ones for the test."""
    samples = colon()
    odd = samples.numbers % 2 == 1
    return samples.take(odd), samples.take(~odd)


def run(model: Any, training: Part, test: Part) -> Outcome:
    """Fit to the one part, and name the errors in the other."""
    model.fit(training.X, training.y)
    wrong = test.take(model.predict(test.X) != test.y)
    named = sorted(zip(wrong.y.tolist(), wrong.numbers.tolist(), strict=True))
    return Outcome(model, [f"{label} {number}" for label, number in named])
