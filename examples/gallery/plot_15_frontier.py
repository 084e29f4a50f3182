"""
Error against size
==================

One fit gives a path of trees of rising size. Each is the cheapest at some price of a term.
"""

# %%
# Grow once, then judge every tree of the path on rows that it has not seen.
import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from planetree import PlaneTreeClassifier
from planetree.datasets import make_waveform

X, y = make_waveform(600, random_state=0)
X_new, y_new = make_waveform(2000, random_state=1)
model = PlaneTreeClassifier(size="accurate", max_splits=6).fit(X, y)
trees = [model.select(n_terms=terms) for terms in range(1, model.n_terms_ + 1)]
carts = [
    DecisionTreeClassifier(max_leaf_nodes=n, random_state=0).fit(X, y) for n in range(2, 24, 2)
]

# %%
# Terms are what a reader must take in: mentions of a column in all decisions.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(
    [tree.n_terms_ for tree in trees],
    [100 * (1 - tree.score(X_new, y_new)) for tree in trees],
    "o-",
    color="#14694a",
    label="PlaneTreeClassifier",
)
ax.plot(
    [tree.get_n_leaves() - 1 for tree in carts],
    [100 * (1 - tree.score(X_new, y_new)) for tree in carts],
    "s--",
    color="#8a93a0",
    label="scikit-learn's tree",
)
ax.set(xlabel="terms", ylabel="error on new rows, %", ylim=0)
ax.legend()
