"""Odd tables for every estimator of the contract: a fit answers, or refuses in words of its own.

    strange error    an exception of another kind than those that docstrings announce, or one that
                     was not raised by this library or by scikit-learn's checks of its input
    warning          a warning that was not meant for a user, such as numpy's of an overflow
    not finite       a probability or score that is not finite, or shares that do not sum to 1
    strange class    an answer that is not one of the classes
    order            rows in another order get other answers
    refit            a second fit to the same table answers otherwise

A finding is made as small as it gets: rows, then columns, are dropped while it stays. Numbers reach
to 1e150, whose squares are numbers still.
"""

import warnings

import numpy as np
from sklearn.base import clone

from campaigns.fuzzing.containers import CONTAINERS, LABELS, WEIGHTS
from campaigns.fuzzing.refusals import is_refusal, place_of
from campaigns.fuzzing.workers import Trial
from tests.test_contract import ESTIMATORS

LENT = ("GaussianNB", "DecisionTreeClassifier")  # of scikit-learn, whose warnings are its own
SHRINKS = 60  # fits that making a finding smaller may take


def cells(rng, m, n, y):
    """Numbers of one of many kinds."""
    X = rng.normal(size=(m, n)) + rng.choice([0.0, 0.5, 2.0]) * y[:, None]
    kinds = {
        "plain": lambda: X,
        "ties": lambda: np.round(X),
        "duplicates": lambda: X[rng.integers(0, max(1, m // 3), size=m)],
        "constant": lambda: np.full_like(X, rng.choice([0.0, 1.0, 1e150])),
        "constant column": lambda: np.where(np.arange(n) == 0, 0.1, X),
        "adjacent at 1": lambda: 1.0 + np.spacing(1.0) * rng.integers(0, 4, size=(m, n)),
        "adjacent at 2^24": lambda: 2.0**24 + rng.integers(-2, 3, size=(m, n)),
        "adjacent at 2^53": lambda: 2.0**53 + rng.integers(-2, 3, size=(m, n)),
        "huge": lambda: X * 10.0 ** rng.integers(100, 150),
        "tiny": lambda: X * 10.0 ** -rng.integers(100, 320).astype(float),
        "mixed scales": lambda: X * 10.0 ** rng.integers(-150, 150, size=n).astype(float),
        "one huge cell": lambda: np.where(rng.random((m, n)) < 1 / m, 1e150, X),
        "gaps": lambda: np.where(rng.random((m, n)) < 0.2, np.nan, X),
        "a column of gaps": lambda: np.where(np.arange(n) == n - 1, np.nan, X),
        "infinite": lambda: np.where(rng.random((m, n)) < 0.1, np.inf, X),
        "signed zeros": lambda: np.where(rng.random((m, n)) < 0.5, -0.0, np.round(X)),
    }
    name = rng.choice(list(kinds))
    with np.errstate(all="ignore"):
        return str(name), kinds[name]()


def draw(rng):
    """Names of the kinds of a table; its rows in a container, labels and weights."""
    m, n = int(rng.choice([1, 2, 3, 5, 8, 12, 20])), int(rng.choice([1, 1, 2, 3, 4, 9]))
    k = int(rng.choice([1, 2, 2, 2, 2, 3, 3, 7]))
    y = rng.integers(0, k, size=m) if rng.random() < 0.5 else np.resize(np.arange(k), m)
    name, X = cells(rng, m, n, y)
    plain = rng.random() < 0.4
    container, label = (
        "array" if plain and values is CONTAINERS else "whole" if plain else rng.choice([*values])
        for values in (CONTAINERS, LABELS)
    )
    weight = "none" if rng.random() < 0.7 else rng.choice([*WEIGHTS])
    return (name, str(container), str(label), str(weight)), X, y, WEIGHTS[weight](rng, m)


def judge(estimator, kinds, X, y, weights):
    """Kinds of findings about one fit, each with a sentence."""
    _, container, label, _ = kinds
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows, labels = CONTAINERS[container](X), LABELS[label](y)
            more = {} if weights is None else {"sample_weight": weights}
            model = clone(estimator).fit(rows, labels, **more)
            found |= answers(model, rows, X, container)
            again = clone(estimator).fit(rows, labels, **more)
            if told(again, rows) != told(model, rows):
                found["refit"] = "a second fit answers otherwise"
        except Exception as error:
            if not is_refusal(error):
                said = f"{type(error).__name__}: {error!s:.200}"
                found["strange error"] = f"{said} ({place_of(error)})"[:300]
    odd = [each for each in caught if not issubclass(each.category, UserWarning)]
    if odd and not any(name in repr(estimator) for name in LENT):
        found["warning"] = f"{odd[0].category.__name__}: {odd[0].message} ({odd[0].filename})"[:300]
    return found


def told(model, rows):
    """Bytes of all that a model answers for rows."""
    names = [n for n in ("predict", "predict_proba", "decision_function") if hasattr(model, n)]
    if not names:
        return model.get_support().tobytes()
    return b"".join(np.asarray(getattr(model, name)(rows)).tobytes() for name in names)


def answers(model, rows, X, container):
    """What is wrong with a model's answers for its training rows."""
    found = {}
    if not hasattr(model, "predict"):
        support = model.get_support()
        if np.asarray(model.transform(rows)).shape != (len(X), support.sum()):
            found["strange class"] = "transform gives another number of columns than the support"
        return found
    labels = np.asarray(model.predict(rows))
    if not set(labels.tolist()) <= set(np.asarray(model.classes_).tolist()):
        found["strange class"] = f"{labels.tolist()} are not all of {model.classes_.tolist()}"
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(rows))
        sums = np.abs(shares.sum(axis=1) - 1)
        if not np.isfinite(shares).all() or shares.min() < 0 or sums.max() > 1e-9:
            found["not finite"] = f"probabilities {shares.tolist()}"[:300]
    scored = hasattr(model, "decision_function") and np.abs(X).max() < 1e100
    if scored and not np.isfinite(model.decision_function(rows)).all():
        found["not finite"] = "a score is not finite"
    turned = CONTAINERS[container](X[::-1])
    if not np.array_equal(np.asarray(model.predict(turned))[::-1], labels):
        found["order"] = "rows in another order get other answers"
    return found


def smaller(estimator, kinds, X, y, weights, kind):
    """Table with fewer rows and columns that has the same kind of finding."""
    left, shrunk = SHRINKS, True
    while shrunk and left > 0:
        shrunk = False
        parts = [(i, 0) for i in range(len(y))] + [(j, 1) for j in range(X.shape[1])]
        for place, axis in reversed(parts):
            if X.shape[axis] < 2 or left <= 0 or place >= X.shape[axis]:
                continue
            left -= 1
            rows = np.delete(np.arange(len(y)), place) if axis == 0 else np.arange(len(y))
            tried = np.delete(X, place, axis=axis), y[rows]
            some = None if weights is None else weights[rows]
            if kind in judge(estimator, kinds, *tried, some):
                (X, y), weights, shrunk = tried, some, True
    return X, y, weights


def trial(seed, number):
    """One table, for the estimator whose turn it is."""
    rng = np.random.default_rng([seed, number])
    estimator = ESTIMATORS[number % len(ESTIMATORS)]
    kinds, X, y, weights = draw(rng)
    found, call = judge(estimator, kinds, X, y, weights), ""
    if found:
        X, y, weights = smaller(estimator, kinds, X, y, weights, next(iter(found)))
        found = judge(estimator, kinds, X, y, weights) or found
        given = None if weights is None else weights.tolist()
        name = " ".join(repr(estimator).split())
        call = f"judge({name}, {kinds}, np.array({X.tolist()}), np.array({y.tolist()}), {given})"
    return Trial(type(estimator).__name__, found, call)
