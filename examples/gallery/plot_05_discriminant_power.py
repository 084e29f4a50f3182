"""
Which features tell the classes apart?
======================================

Feature discriminant power on Breiman's waveforms: 21 points of a wave, of which the middle ones matter.
"""

# %%
# A tree grows while the error on held-out rows is watched. What each feature's splits gain there is its power.
from planetree import DiscriminantPowerSelector, plot
from planetree.datasets import make_waveform

X, y = make_waveform(1500, noise_features=9, random_state=0)
selector = DiscriminantPowerSelector(n_features_to_select=6, repeats=4).fit(X, y)

# %%
# The last nine columns are pure noise.
plot.ranking(
    [f"point {j + 1}" if j < 21 else f"noise {j - 20}" for j in range(30)], selector.scores_
)
