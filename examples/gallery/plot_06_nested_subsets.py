"""
Is a ranking any good?
======================

Train classifiers on the first feature of a ranking, on the first two, and so on, and watch the test error.
"""

# %%
# A ranking from growing trees, and one from the best single features.
import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.naive_bayes import GaussianNB

from planetree import DiscriminantPowerSelector, nested_subset_errors, plot
from planetree.datasets import make_waveform

X, y = make_waveform(900, random_state=0)
X_test, y_test = make_waveform(900, random_state=1)
power = DiscriminantPowerSelector(repeats=4).fit(X, y).ranking_
single = np.argsort(np.argsort(-f_classif(X, y)[0])) + 1

# %%
# Both end at the same error, since both end with all features. The better ranking is lower on the way.
curves = {}
for name, ranking in {"discriminant power": power, "F statistic": single}.items():
    found = nested_subset_errors(ranking, X, y, X_test, y_test, {"bayes": GaussianNB()})
    curves[name] = found["bayes"]
plot.nested_subset_errors(curves)
