"""
Biclusters of leukemia
======================

Thirty-eight bone marrow samples, seven thousand genes, two kinds of leukemia. Consistent biclustering divides the genes among the
classes so that each sample is highest in the genes of its own class.
"""

# %%
# We drop the genes that control the measurement, and ask for a separation of 0.1, as the paper does.
from planetree import BiclusteringSelector, plot
from planetree.datasets import load

train, test = load("leukemia-train"), load("leukemia-test")
genes = [gene for gene in train.X if not gene.startswith(("AFFX", "hum_alu"))]
model = BiclusteringSelector(separation=0.1).fit(train.X[genes], train.y)
wrong = (model.predict(test.X[genes]) != test.y).sum()
print(
    f"{model.support_.sum()} of {len(genes)} genes selected; {wrong} of {len(test.y)} new samples wrong"
)

# %%
# Genes are rows, samples are columns, both ordered by class.
plot.heatmap(model, train.X[genes], train.y)
