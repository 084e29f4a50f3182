"""
A tree that fits on a card
==========================

One decision on three measurements separates benign from malignant tumors almost as well as any model that nobody can read.
"""

# %%
# Fit the readable tree and print it. The weights that you read are the weights that predict.
from sklearn.datasets import load_breast_cancer

from planetree import PlaneTreeClassifier, plot

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
model = PlaneTreeClassifier().fit(data.data, diagnosis)
print(model.to_text())

# %%
# The rows along the plane of the decision: bars are stacked by class, the line is the threshold, and the gray band is where
# the model is unsure.
plot.tree(model, data.data, diagnosis)
