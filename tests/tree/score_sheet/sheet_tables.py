"""Patients, and a score sheet of them."""

import numpy as np
import pandas as pd

from planetree import PlaneTreeClassifier


def patients(n=300, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 90, n).astype(float)})
    frame["pressure"] = rng.normal(130, 20, n).round()
    frame["depression"] = rng.gamma(2, 0.6, n).round(1)
    frame["pain"] = pd.Categorical(rng.choice(["none", "some", "strong"], n))
    score = 0.06 * frame.age + 0.04 * frame.pressure + frame.depression
    score += 1.5 * (frame.pain == "strong") + rng.logistic(size=n)
    y = np.where(score > score.median(), "ill", "well")
    if missing:
        for name in ("age", "depression"):
            frame.loc[rng.random(n) < 0.05, name] = np.nan
    return frame, y


def one_sheet(**options):
    X, y = patients(**options)
    model = PlaneTreeClassifier(max_splits=1, size="accurate").fit(X, y)
    return X, y, model.to_score_sheet()
