"""Rows of numbers, categories and gaps, with odd names."""

import numpy as np
import pandas as pd


def mixed(n, seed=0):
    """Numbers, categories and booleans, with cells missing where the kind can be."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            'größe "1"\n\'': rng.normal(size=n),
            "select": pd.Categorical(rng.choice(["red", "it's", "日本", ""], n)),
            "rank": pd.Categorical(rng.choice([1, 2, 30], n)),
            "flag": rng.random(n) < 0.5,
        }
    )
    labels = np.where(frame.iloc[:, 0] + (frame["select"] == "red") - frame["flag"] > 0, "a", "b")
    frame.loc[rng.random(n) < 0.1, 'größe "1"\n\''] = np.nan
    frame.loc[rng.random(n) < 0.1, "select"] = None
    return frame, labels
