"""
Biclusters of gene expression
=============================

Forty samples, four hundred genes, two kinds of tissue. Consistent biclustering divides the genes among the classes so that each
sample is highest in the genes of its own class.
"""

# %%
# Made-up intensities: 60 genes are high in one class, 60 in the other, the rest tell nothing.
import numpy as np

from planetree import BiclusteringSelector, plot

rng = np.random.default_rng(0)
y = np.repeat(["ALL", "AML"], 20)
X = rng.gamma(4.0, 25.0, size=(40, 400))
X[:20, :60] *= 2.5
X[20:, 60:120] *= 2.5
model = BiclusteringSelector(separation=0.5).fit(X, y)
print(f"{model.support_.sum()} of {X.shape[1]} genes selected")

# %%
# Samples are rows, selected genes are columns, both ordered by class.
plot.heatmap(model, X, y)
