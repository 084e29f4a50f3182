"""QuadraticSeparator against a quasi-Newton method, squared-hinge peers and the linear program.

The quasi-Newton method is scipy's L-BFGS on the same objective, written with matrix products alone;
it is stopped at the first value within 1e-6 of the minimum, or after 3000 iterations.
"""

import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from planetree import QuadraticSeparator, RobustSeparator

SEGMENTATION = (2310, 19, 7)


def clouds(n_rows: int, n_columns: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal clouds with correlated columns that overlap."""
    rng = np.random.default_rng(0)
    y = np.resize(np.arange(n_classes), n_rows)
    mix = np.eye(n_columns) + 0.3 * rng.normal(size=(n_columns, n_columns))
    centers = 0.5 * rng.normal(size=(n_classes, n_columns))
    return (rng.normal(size=(n_rows, n_columns)) + centers[y]) @ mix, y


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The least time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


class QuasiNewton:
    """L-BFGS on (6.6) of normalized columns, until the minimum is reached to 1e-6."""

    def __init__(self, X: np.ndarray, y: np.ndarray, l2: float, goal: float) -> None:
        deviation = X.std(axis=0)
        self.Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        self.y, self.l2, self.goal = y, l2, goal
        self.charge = (1 / np.bincount(y))[y][:, None]
        self.rows = np.arange(len(y))

    def value_and_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient at the planes z, one after another."""
        planes = z.reshape(-1, self.Z.shape[1] + 1)
        W = planes[:, :-1] - planes[:, :-1].mean(axis=0)
        scores = self.Z @ W.T - planes[:, -1]
        short = np.maximum(0, 1 - scores[self.rows, self.y][:, None] + scores)
        short[self.rows, self.y] = 0
        pull = self.charge * short
        value = (pull * short).sum() / 2 + self.l2 / 2 * (W**2).sum()
        pull[self.rows, self.y] = -pull.sum(axis=1)
        gradient = np.column_stack([pull.T @ self.Z + self.l2 * W, -pull.sum(axis=0)])
        return value, gradient.ravel()

    def run(self) -> float:
        """The value that is reached."""

        def enough(intermediate_result: object) -> None:
            if intermediate_result.fun <= self.goal * (1 + 1e-6):
                raise StopIteration

        start = np.zeros((self.y.max() + 1) * (self.Z.shape[1] + 1))
        options = {"maxiter": 3000, "maxfun": 10000, "ftol": 0.0, "gtol": 0.0}
        found = minimize(
            self.value_and_gradient, start, jac=True, method="L-BFGS-B",
            callback=enough, options=options,
        )  # fmt: skip
        return float(found.fun)


def against_quasi_newton(name: str, X: np.ndarray, y: np.ndarray, l2: float) -> None:
    model = QuadraticSeparator(l2=l2)
    mine = seconds(lambda: model.fit(X, y))
    other = QuasiNewton(X, y, l2, model.objective_)
    values: list[float] = []
    theirs = seconds(lambda: values.append(other.run()), repeats=1)
    short = values[0] / model.objective_ - 1
    print(
        f"{name:>24} l2={l2:<7g} ours {1e3 * mine:8.1f} ms  L-BFGS {1e3 * theirs:9.1f} ms  "
        f"ratio {theirs / mine:7.1f}  L-BFGS above the minimum by {short:.1e}"
    )


def against_peers(X: np.ndarray, y: np.ndarray) -> None:
    mine = seconds(lambda: QuadraticSeparator(l2=1e-4).fit(X, y))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    svc = LinearSVC(loss="squared_hinge", C=1.0, dual="auto", max_iter=10000)
    theirs = seconds(lambda: svc.fit(Z, y))
    program = seconds(lambda: RobustSeparator().fit(X, y), repeats=1)
    shape = f"{X.shape[0]}x{X.shape[1]}, {y.max() + 1} classes"
    print(
        f"{shape:>24} ours {1e3 * mine:8.1f} ms  LinearSVC {1e3 * theirs:8.1f} ms "
        f"(ratio {theirs / mine:.1f})  LP {1e3 * program:8.1f} ms (ratio {program / mine:.1f})"
    )


def growth() -> None:
    """Time a row for more and more rows."""
    for n_classes in (2, 7):
        for n_rows in (10_000, 40_000, 160_000):
            X, y = clouds(n_rows, 20, n_classes)
            model = QuadraticSeparator()
            spent = seconds(lambda model=model, X=X, y=y: model.fit(X, y))
            print(
                f"{n_rows:>10}x20, {n_classes} classes {1e3 * spent:9.1f} ms, "
                f"{1e6 * spent / n_rows:6.2f} us a row, {model.n_iter_} steps"
            )


def segmentation() -> tuple[np.ndarray, np.ndarray] | None:
    """The image segmentation data, if their folder is there."""
    from planetree.datasets import load

    try:
        parts = [load(f"segmentation-{part}", as_frame=False) for part in ("train", "test")]
    except FileNotFoundError:
        return None
    X = np.vstack([part.X for part in parts]).astype(float)
    return X, np.unique(np.concatenate([part.y for part in parts]), return_inverse=True)[1]


def main() -> None:
    """Print the ratios."""
    for l2 in (0.0, 1e-4):
        against_quasi_newton("clouds 2310x19, 7", *clouds(*SEGMENTATION), l2)
        if found := segmentation():
            against_quasi_newton("segmentation 2310x19, 7", *found, l2)
    for shape in (SEGMENTATION, (20_000, 20, 2), (20_000, 20, 5)):
        against_peers(*clouds(*shape))
    growth()


if __name__ == "__main__":
    main()
