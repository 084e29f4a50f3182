"""
C4.5 to the digit
=================

Quinlan's C4.5, Release 8, decision by decision, beside the same tree pruned harder.
"""

# %%
# ``prune_to`` prunes again without growing again.
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from planetree import C45Classifier, plot

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]
model = C45Classifier().fit(iris.data, species)
print(model.to_text())

# %%
# The tree with the flowers at each node.
fig, ax = plt.subplots(figsize=(9, 5))
plot.tree(model, iris.data, species, ax=ax)
