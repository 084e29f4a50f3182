"""
The studio
==========

A page on your own machine in which people who write no Python make, question and hand over a model: `planetree studio tumors.csv`.

.. image:: /images/studio-question.png
   :alt: A decision of the tree on the page, with other decisions and what each costs
"""

# %%
# Its last screen gives the Python of every click. Below is that of a person who questions the first decision and types
# another one.
from sklearn.datasets import load_breast_cancer

from planetree import PlaneTreeClassifier, TreeEditor, plot

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
model = PlaneTreeClassifier().fit(data.data, diagnosis)
editor = TreeEditor(model, data.data, diagnosis)
for other in editor.alternatives(0)[:3]:
    print(f"{other.difference:+.1f} nats: {other.words}")

# %%
# What was typed stands at the root now; what is below it was grown again, and every edit is kept in the model.
editor.replace(0, "worst area > 880")
print(*editor.history, sep="\n")
plot.tree(editor.model_, data.data, diagnosis)
