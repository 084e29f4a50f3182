"""
Are the probabilities true?
===========================

Of the rows that get a probability of 80%, about 80% should have the class.
"""

# %%
# Graded probabilities of rows that a model has not seen.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

from planetree import PlaneTreeClassifier, plot

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
shares = cross_val_predict(PlaneTreeClassifier(), X, y, cv=5, method="predict_proba")

# %%
# Points on the diagonal are calibrated; bars are 95% intervals.
fig, ax = plt.subplots(figsize=(5.5, 5))
plot.calibration(y, shares, ax=ax)
