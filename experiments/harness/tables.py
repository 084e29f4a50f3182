"""The data sets as the papers used them.

cancer_566    Wisconsin breast cancer as of January 1991, the complete ones of its first six groups
              (582 rows). The thesis has 566 (354 benign, 212 malignant); the public file has 567
              (356, 211), because labels were corrected and rows withdrawn since.
cancer_487    the first four groups, as the thesis's chapter 2 has them, missing values as 0: 369
              for training, of which 367 are left, then the next 118 for the test.
heart         Cleveland: 297 complete rows, the categories as ordered integers. The 197 of the
              thesis's Table A.1 is a misprint: it counts 137 of one class, as in 297.
votes         y, n and unknown as 2, -2 and 0 (Bredensteiner & Bennett 1996).
glass         each column divided by its standard deviation about its mean ("was normalized").
image_n       the 2310 rows of image segmentation, the 210 included.
leukemia      7070 genes: the control probes (AFFX and hum_alu_at) left out; raw values. Samples are
              named by their number: 1 to 38 for training, 39 to 72 for the test.
colon         2000 genes. Tumor samples are numbered 1 to 40, normal ones by their patient. Training
              on odd numbers and testing on even ones gives the errors that the paper prints.
"""

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from planetree.datasets import load

# The numbers that the original file of the Cleveland clinic has for its words.
HEART_CODES = {
    "sex": {"female": 0, "male": 1},
    "cp": {
        "typical angina": 1, "atypical angina": 2, "non-anginal pain": 3, "asymptomatic": 4,
    },
    "fbs": {"no": 0, "yes": 1},
    "restecg": {"normal": 0, "ST-T wave abnormality": 1, "left ventricular hypertrophy": 2},
    "exang": {"no": 0, "yes": 1},
    "slope": {"upsloping": 1, "flat": 2, "downsloping": 3},
    "thal": {"normal": 3, "fixed defect": 6, "reversable defect": 7},
}  # fmt: skip
VOTES = {"y": 2, "n": -2, None: 0}
TRAINING_ORDER = (*range(1, 28), *range(34, 39), *range(28, 34))
TEST_ORDER = (39, 40, 42, 47, 48, 49, 41, 43, 44, 45, 46, 70, 71, 72, 68, 69, 67, 55, 56, 59, 52)
TEST_ORDER += (53, 51, 50, 54, 57, 58, 60, 61, 65, 66, 63, 64, 62)
PATIENTS_WITH_NORMAL_TISSUE = (*range(1, 13), 27, 28, 29, *range(32, 37), 39, 40)
FIRST_GROUP, FIRST_FOUR, FIRST_SIX = 367, 485, 582  # rows of the breast-cancer file


class Rows(NamedTuple):
    """Rows with their classes."""

    X: Any
    y: np.ndarray


def numbers(name: str, codes: dict[str, dict[Any, int]] | None = None) -> Rows:
    """A data set as numbers, an unknown one as NaN."""
    data = load(name, as_frame=False)
    X = np.empty(data.X.shape)
    for j, feature in enumerate(data.feature_names):
        code = (codes or {}).get(feature)
        column = data.X[:, j]
        X[:, j] = column if code is None else [code.get(cell, np.nan) for cell in column]
    return Rows(X, data.y)


sonar, wine, iris, image_s = (
    cache(partial(numbers, name)) for name in ("sonar", "wine", "iris", "segmentation-train")
)


def complete(table: Rows) -> Rows:
    """The rows that lack nothing."""
    whole = ~np.isnan(table.X).any(axis=1)
    return Rows(table.X[whole], table.y[whole])


@cache
def heart() -> Rows:
    return complete(numbers("heart-cleveland", HEART_CODES))


@cache
def heart_with_categories() -> Rows:
    """The same rows with the categories as such."""
    data = load("heart-cleveland")
    whole = data.X.notna().all(axis=1).to_numpy()
    return Rows(data.X[whole], data.y[whole])


@cache
def cancer() -> Rows:
    return complete(numbers("breast-cancer-wisconsin"))


@cache
def cancer_566() -> Rows:
    X, y = numbers("breast-cancer-wisconsin")
    return complete(Rows(X[:FIRST_SIX], y[:FIRST_SIX]))


@cache
def cancer_487() -> tuple[Rows, Rows]:
    X, y = numbers("breast-cancer-wisconsin")
    X = np.nan_to_num(X)
    late = slice(FIRST_GROUP, FIRST_FOUR)
    return Rows(X[:FIRST_GROUP], y[:FIRST_GROUP]), Rows(X[late], y[late])


@cache
def votes() -> Rows:
    features = load("house-votes-84", as_frame=False).feature_names
    return numbers("house-votes-84", dict.fromkeys(features, VOTES))


@cache
def glass() -> Rows:
    X, y = numbers("glass")
    return Rows((X - X.mean(axis=0)) / X.std(axis=0), y)


@cache
def image_n() -> Rows:
    parts = image_s(), numbers("segmentation-test")
    return Rows(np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts]))


@cache
def prognosis() -> Rows:
    """A public relative of the thesis's prognosis set: recurrence soon, later, or not."""
    data = load("wpbc")
    time, recurs = data.X["time"].to_numpy(), data.y == "recur"
    labels = np.where(time > 24, "later", np.where(time > 3, "in 24 months", "in 3 months"))
    known = recurs | (time > 24)
    means = [name for name in data.feature_names if name.endswith("_mean")]
    X = data.X[["tumor_size", *means]].to_numpy(dtype=float)
    return Rows(X[known], labels[known])


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


def fit_and_test(model: Any, training: Part, test: Part) -> Outcome:
    """Fit to the one part, and name the errors in the other."""
    model.fit(training.X, training.y)
    wrong = test.take(model.predict(test.X) != test.y)
    named = sorted(zip(wrong.y.tolist(), wrong.numbers.tolist(), strict=True))
    return Outcome(model, [f"{label} {number}" for label, number in named])
