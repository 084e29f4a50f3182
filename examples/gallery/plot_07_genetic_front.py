"""
A front of feature subsets
==========================

SET-GEN breeds subsets of features for C4.5. The front holds every subset that no other beats in accuracy, size and number.
"""

# %%
# Two hundred subsets are enough for a first look.
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from planetree import GeneticSelector, plot

wine = load_wine(as_frame=True)
model = GeneticSelector(n_evaluations=200, population_size=40, cv=5, random_state=0)
model = model.fit(wine.data, wine.target_names[wine.target])

# %%
# How the search went, and what it found.
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
plot.search_history(model, ax=axes[0])
front = model.front_
axes[1].scatter(front["features"], 100 * (1 - front["accuracy"]), color="#14694a")
axes[1].set(xlabel="features", ylabel="error in cross-validation, %", title="the front")
